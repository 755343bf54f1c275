// The query string of a request, split into shape and values. Equal shapes make equal statements; what the
// shape's longer parts mean (`select`, `order` …) is parsed only when no statement is known for it yet.
// Reference: PostgREST 14, "URL grammar".
import { negativeLimit, tooComplex } from '../errors/errors.ts'
import type { EmbedPath, Filter, LogicTree, OrderTerm, SelectItem } from './ast.ts'
import { MAX_PARAMETERS } from './limits.ts'
import { logicShape, parseLogic } from './logic.ts'
import { parseAll, parseColumns, parseTreePath } from './names.ts'
import { looksLikeFilter, operation, operationShape, restOfText } from './operations.ts'
import { parseOrder } from './order.ts'
import { parseSelect } from './select.ts'

/** A part of a query about the root (empty path) or an embed. */
type At<Part> = Part & { path: EmbedPath }

export type ParsedQuery = {
  select: SelectItem[]
  order: At<{ terms: OrderTerm[] }>[]
  columns: string[] | null
  onConflict: string[] | null
  filters: At<Filter>[]
  logic: At<{ tree: LogicTree }>[]
  ranges: At<{ limit: number | null; offset: number }>[]
}

export type Query = {
  /** Everything about the query that its statement depends on, values left out. */
  shape: string
  /** Operands of filters and arguments, in the order of their indexes. */
  values: string[]
  /** Arguments of a function, by index into `values`, where the query is that of a function. */
  arguments: { name: string; value: number }[]
  /** The root's limit and offset as the query gives them. */
  limit: number | null
  offset: number
  hasRange: boolean
  /** The parameter `columns` as it came. */
  columns: string | null
  /** The parameters sorted by name, as `Content-Location` shows them. */
  canonical(): string
  /** Parses the rest. Throws PGRST100. */
  parse(): ParsedQuery
}

type Pair = [name: string, value: string]

/**
 * Reads a raw query string (without its `?`). With `forFunction`, values that are not filters are arguments.
 * Throws PGRST100 for malformed filters and PGRST103 for a negative limit.
 */
export function readQuery(raw: string, forFunction: boolean): Query {
  const pairs = decodePairs(raw)
  const values: string[] = []
  const filters: { key: string; operation: Filter['operation'] }[] = []
  const logic: At<{ tree: LogicTree }>[] = []
  const orders: Pair[] = []
  const ranges = new Map<string, { limit: number | null; offset: number }>()
  const found: { name: string; value: number }[] = []
  let select: string | undefined
  let columns: string | undefined
  let onConflict: string | undefined
  let shape = ''
  let sorted: string | undefined

  for (const [name, value] of pairs) {
    const word = name.slice(name.lastIndexOf('.') + 1)
    if (name === 'select') {
      if (select !== undefined) continue
      select = value
      shape += `&select=${value}`
    } else if (name === 'columns') {
      if (columns !== undefined) continue
      columns = value
      shape += `&columns=${value}`
    } else if (name === 'on_conflict') {
      if (onConflict !== undefined) continue
      onConflict = value
      shape += `&on_conflict=${value}`
    } else if (word === 'order') {
      orders.push([name, value])
      shape += `&${name}=${value}`
    } else if (word === 'limit' || word === 'offset') {
      const embed = name.slice(0, name.length - word.length)
      const range = ranges.get(embed) ?? { limit: null, offset: 0 }
      ranges.set(embed, range)
      if (word === 'limit') range.limit = wholeNumber(value)
      else range.offset = Math.max(wholeNumber(value) ?? 0, 0)
      if (range.limit !== null && range.limit < 0) throw negativeLimit()
    } else if (word === 'and' || word === 'or') {
      const { path, tree } = parseLogic(name, value, values)
      logic.push({ path, tree })
      shape += `&${name}=${logicShape(tree)}`
    } else if (forFunction && !looksLikeFilter(value)) {
      found.push({ name, value: values.push(value) - 1 })
      shape += `&${name}=`
    } else {
      const parsed = parseAll(value, 'filter', (cursor) => operation(cursor, values, restOfText))
      filters.push({ key: name, operation: parsed })
      shape += `&${name}=${operationShape(parsed)}`
    }
  }
  for (const [embed, range] of ranges) if (embed !== '') shape += `&${embed}${range.limit}+${range.offset}`

  return {
    shape,
    values,
    arguments: found,
    limit: ranges.get('')?.limit ?? null,
    offset: ranges.get('')?.offset ?? 0,
    hasRange: ranges.has(''),
    columns: columns ?? null,
    canonical: () => {
      sorted ??= canonical(pairs)
      return sorted
    },
    parse: () => ({
      select: parseSelect(select ?? '*'),
      order: orders.map(([name, text]) => ({ path: pathOf(name), terms: parseOrder(text) })),
      columns: columns === undefined ? null : parseColumns(columns, 'columns'),
      onConflict: onConflict === undefined ? null : parseColumns(onConflict, 'on_conflict'),
      filters: filters.map((filter) => ({ ...parseTreePath(filter.key), operation: filter.operation })),
      logic,
      ranges: [...ranges].map(([embed, range]) => ({
        path: embed === '' ? [] : pathOf(`${embed}limit`),
        ...range,
      })),
    }),
  }
}

/** The embed that `clients.projects.order` is about. */
function pathOf(name: string): EmbedPath {
  return parseTreePath(name).path
}

/** A number as PostgREST reads it: text that is not a whole number counts as absent. */
function wholeNumber(text: string): number | null {
  if (!/^-?\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : Number.MAX_SAFE_INTEGER * Math.sign(number)
}

/** Splits and decodes a query string; parameters without `=` are left out. */
export function decodePairs(raw: string): Pair[] {
  if (raw === '') return []
  const pairs: Pair[] = []
  for (const part of raw.split('&')) {
    const equals = part.indexOf('=')
    if (equals < 0) continue
    pairs.push([decode(part.slice(0, equals)), decode(part.slice(equals + 1))])
  }
  if (pairs.length > MAX_PARAMETERS)
    throw tooComplex(`At most ${MAX_PARAMETERS} query parameters are accepted`)
  return pairs
}

/** Percent-decoding that never fails: invalid UTF-8 becomes U+FFFD, a stray `%` stays. */
export function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = Buffer.from(spaced, 'utf8')
    const out: number[] = []
    for (let at = 0; at < bytes.length; at++) {
      const hex = bytes[at] === 0x25 ? hexAt(bytes, at) : Number.NaN
      out.push(Number.isNaN(hex) ? (bytes[at] as number) : hex)
      if (!Number.isNaN(hex)) at += 2
    }
    return Buffer.from(out).toString('utf8')
  }
}

function hexAt(bytes: Buffer, at: number): number {
  const digits = bytes.toString('latin1', at + 1, at + 3)
  return /^[0-9a-fA-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
}

function canonical(pairs: Pair[]): string {
  return [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}
