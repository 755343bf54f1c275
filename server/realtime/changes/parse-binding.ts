// Reads what a client asks for: the table, and the conditions of `filter`. Grammar and error texts are those of
// Supabase's realtime (`column=operator.value`, `not.` before the operator, conditions joined by commas as AND).
import { parse as parseArray } from 'postgres-array'
import { BindingError, type BindingRequest } from './contract.ts'

export type Operator = (typeof OPERATORS)[number]

export interface Condition {
  column: string
  operator: Operator
  negate: boolean
  /** As PostgreSQL would read it; of `in` an array literal. */
  value: string
  /** Of `in`, one by one. */
  items: (string | null)[]
}

/** A request that has been read; equal requests have equal keys. */
export interface Wanted {
  key: string
  event: BindingRequest['event']
  schema: string
  /** `*` for every table of the schema. */
  table: string
  conditions: Condition[]
  /** Null for all columns. */
  select: string[] | null
}

const OPERATORS = [
  ...(['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in'] as const),
  ...(['like', 'ilike', 'is', 'match', 'imatch', 'isdistinct'] as const),
]
const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const
const MOST_ITEMS = 100
const MOST_CONDITIONS = 100
const MOST_OF_ONE = 500

/** Reads what one channel asks for. Throws BindingError for what cannot be understood, or is too much. */
export function readRequests(requests: readonly BindingRequest[]): Wanted[] {
  const wanted = requests.map(readRequest)
  if (wanted.reduce((sum, { conditions }) => sum + conditions.length, 0) > MOST_OF_ONE) {
    throw unreadable(`the filters of one channel have at most ${MOST_OF_ONE} conditions`)
  }
  return wanted
}

/** Throws BindingError for what cannot be understood. */
export function readRequest(request: BindingRequest): Wanted {
  const { filter, select } = request
  const schema = request.schema ?? (request.table === undefined ? undefined : 'public')
  if (typeof schema !== 'string' || !['string', 'undefined'].includes(typeof request.table)) {
    throw new BindingError(
      'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to',
    )
  }
  if (
    filter !== undefined &&
    filter !== null &&
    (typeof filter !== 'string' || request.table === undefined)
  ) {
    throw new BindingError('A `filter` is a text and needs a `table`')
  }
  const table = request.table ?? '*'
  const columns = readSelect(select)
  if (columns && (schema === '*' || table === '*')) {
    throw new BindingError(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    )
  }
  const event = EVENTS.find((name) => name === String(request.event).toUpperCase()) ?? '*'
  const conditions = readFilter(filter ?? '')
  const key = JSON.stringify([event, schema, table, conditions, columns])
  return { key, event, schema, table, conditions, select: columns }
}

/** How a request reads in an error. */
export function describe({ event, schema, table, conditions, select }: Wanted): string {
  const filters = conditions.map(({ column, operator, value, negate }) =>
    JSON.stringify([column, `${negate ? 'not.' : ''}${operator}`, value]),
  )
  const columns = select ? `, select: [${select.join(', ')}]` : ''
  return `[event: ${event}, schema: ${schema}, table: ${table}, filters: [${filters.join(', ')}]${columns}]`
}

function readSelect(select: unknown): string[] | null {
  if (select === undefined || select === null) return null
  if (!Array.isArray(select)) {
    throw new BindingError(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    )
  }
  const columns = [...new Set(select.filter((column) => typeof column === 'string'))].sort()
  return columns.length > 0 ? columns : null
}

function readFilter(filter: string): Condition[] {
  if (filter.trim() === '') return []
  const segments = split(filter.trim())
  if (segments.length > MOST_CONDITIONS) throw unreadable(`more than ${MOST_CONDITIONS} conditions`)
  return segments.map((segment) => readCondition(segment.trim()))
}

/** At commas that stand neither in parentheses nor in quotes. Quotes begin a value or an item, and only there. */
function split(filter: string): string[] {
  const segments: string[] = []
  let [start, depth, quoted] = [0, 0, false]
  for (let at = 0; at < filter.length; at++) {
    const character = filter[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = '.(,'.includes(filter[at - 1] ?? ' ')
    else if (character === '(') depth++
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (character === ',' && depth === 0) {
      segments.push(filter.slice(start, at))
      start = at + 1
    }
  }
  return [...segments, filter.slice(start)]
}

function readCondition(segment: string): Condition {
  if (segment === '') throw unreadable('filter must not contain empty segments (check for extra commas)')
  const [column, rest] = cut(segment, '=')
  if (rest === null) throw unreadable(`["${segment}"]`)
  const negate = rest.startsWith('not.')
  const [name, value] = cut(negate ? rest.slice(4) : rest, '.')
  const operator = OPERATORS.find((one) => one === name)
  if (value === null) throw unreadable(`["${name}"]`)
  if (!operator) throw unreadable(`["${name}", "${value}"]`)
  if (operator !== 'in') return { column, operator, negate, value: unquote(value), items: [] }
  if (!/^\(.*\)$/s.test(value)) throw unreadable('`in` filter value must be wrapped by parentheses')
  const literal = `{${value.slice(1, -1)}}`
  const items = readItems(literal)
  if (items.length > MOST_ITEMS) throw unreadable(`too many values for \`in\` filter. Maximum ${MOST_ITEMS}`)
  return { column, operator, negate, value: literal, items }
}

function cut(text: string, at: string): [string, string | null] {
  const index = text.indexOf(at)
  return index < 0 ? [text, null] : [text.slice(0, index), text.slice(index + 1)]
}

/** `"a,b"` is a,b; anything that is not one whole quoted text is itself. */
function unquote(value: string): string {
  const inner = /^"((?:\\.|[^"\\])*)"$/s.exec(value)?.[1]
  return inner === undefined ? value : inner.replace(/\\(.)/gs, '$1')
}

function readItems(literal: string): (string | null)[] {
  try {
    return parseArray(literal)
  } catch {
    throw unreadable('`in` filter value must be a list such as (a,b,"c,d")')
  }
}

function unreadable(reason: string): BindingError {
  return new BindingError(`Error parsing \`filter\` params: ${reason}`)
}
