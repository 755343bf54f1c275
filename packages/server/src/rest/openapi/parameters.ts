// Parameters that all tables share, as PostgREST's OpenAPI document names them.

type Json = Record<string, unknown>

export function sharedParameters(): Json {
  return {
    preferParams: prefer([]),
    preferReturn: prefer(RETURN),
    preferCount: prefer(['count=none']),
    preferPost: prefer([...RETURN, 'resolution=ignore-duplicates', 'resolution=merge-duplicates']),
    select: inQuery('select', 'Filtering Columns'),
    on_conflict: inQuery('on_conflict', 'On Conflict'),
    order: inQuery('order', 'Ordering'),
    range: inHeader('Range', 'Limiting and Pagination'),
    rangeUnit: { ...inHeader('Range-Unit', 'Limiting and Pagination'), default: 'items' },
    offset: inQuery('offset', 'Limiting and Pagination'),
    limit: inQuery('limit', 'Limiting and Pagination'),
  }
}

const RETURN = ['return=representation', 'return=minimal', 'return=none']

function prefer(values: string[]): Json {
  return { ...inHeader('Prefer', 'Preference'), ...(values.length > 0 ? { enum: values } : {}) }
}

function inQuery(name: string, description: string): Json {
  return { name, description, required: false, in: 'query', type: 'string' }
}

function inHeader(name: string, description: string): Json {
  return { name, description, required: false, in: 'header', type: 'string' }
}
