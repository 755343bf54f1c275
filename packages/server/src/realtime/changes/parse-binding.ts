// Parses the bindings of a channel: the table, and the conditions of `filter`. Grammar and error texts are those of
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

/** Equal requests have equal keys. */
export interface ParsedBinding {
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
const MAX_ITEMS = 100
const MAX_CONDITIONS = 100
const MAX_CONDITIONS_PER_CHANNEL = 500

/** Parses the bindings of one channel. Throws BindingError for what cannot be parsed, or is too much. */
export function parseBindings(requests: readonly BindingRequest[]): ParsedBinding[] {
  const bindings = requests.map(parseBinding)
  if (bindings.reduce((sum, { conditions }) => sum + conditions.length, 0) > MAX_CONDITIONS_PER_CHANNEL) {
    throw filterError(`the filters of one channel have at most ${MAX_CONDITIONS_PER_CHANNEL} conditions`)
  }
  return bindings
}

/** Throws BindingError for what cannot be parsed. */
export function parseBinding(request: BindingRequest): ParsedBinding {
  const { event, schema, table = '*', filter, select } = request
  if (filter !== undefined && request.table === undefined) {
    throw new BindingError('A `filter` is a text and needs a `table`')
  }
  const columns = select && select.length > 0 ? [...new Set(select)].sort() : null
  if (columns && (schema === '*' || table === '*')) {
    throw new BindingError(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    )
  }
  const conditions = parseFilter(filter ?? '')
  const key = JSON.stringify([event, schema, table, conditions, columns])
  return { key, event, schema, table, conditions, select: columns }
}

/** How a binding reads in an error. */
export function describe({ event, schema, table, conditions, select }: ParsedBinding): string {
  const filters = conditions.map(({ column, operator, value, negate }) =>
    JSON.stringify([column, `${negate ? 'not.' : ''}${operator}`, value]),
  )
  const columns = select ? `, select: [${select.join(', ')}]` : ''
  return `[event: ${event}, schema: ${schema}, table: ${table}, filters: [${filters.join(', ')}]${columns}]`
}

function parseFilter(filter: string): Condition[] {
  if (filter.trim() === '') return []
  const segments = split(filter.trim())
  if (segments.length > MAX_CONDITIONS) throw filterError(`more than ${MAX_CONDITIONS} conditions`)
  return segments.map((segment) => parseCondition(segment.trim()))
}

/** At commas outside of parentheses and quotes. Quotes begin a value or an item, and only there. */
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

function parseCondition(segment: string): Condition {
  if (segment === '') throw filterError('filter must not contain empty segments (check for extra commas)')
  const [column, rest] = cut(segment, '=')
  if (rest === null) throw filterError(`["${segment}"]`)
  const negate = rest.startsWith('not.')
  const [name, value] = cut(negate ? rest.slice(4) : rest, '.')
  const operator = OPERATORS.find((one) => one === name)
  if (value === null) throw filterError(`["${name}"]`)
  if (!operator) throw filterError(`["${name}", "${value}"]`)
  if (operator !== 'in') return { column, operator, negate, value: unquote(value), items: [] }
  if (!/^\(.*\)$/s.test(value)) throw filterError('`in` filter value must be wrapped by parentheses')
  const literal = `{${value.slice(1, -1)}}`
  const items = parseItems(literal)
  if (items.length > MAX_ITEMS) throw filterError(`too many values for \`in\` filter. Maximum ${MAX_ITEMS}`)
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

function parseItems(literal: string): (string | null)[] {
  try {
    return parseArray(literal)
  } catch {
    throw filterError('`in` filter value must be a list such as (a,b,"c,d")')
  }
}

function filterError(reason: string): BindingError {
  return new BindingError(`Error parsing \`filter\` params: ${reason}`)
}
