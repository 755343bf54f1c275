// Which rows of a result are asked for: the `Range` header together with `limit` and `offset`.
// Reference: PostgREST 14, "Pagination and count".
import { emptyRange, limitOnPut } from '../errors/errors.ts'

export type RowRange = {
  /** Rows at most; null for all. */
  limit: number | null
  offset: number
}

/**
 * The rows of the root: what the header (of GET only) and the query string both allow.
 * Throws PGRST103 when they leave nothing, PGRST114 for PUT.
 */
export function readRange(
  method: string,
  header: string | undefined,
  query: { limit: number | null; offset: number; hasRange: boolean },
): RowRange {
  if (method === 'PUT' && query.hasRange) throw limitOnPut()
  const fromQuery: RowRange = { limit: query.limit, offset: query.offset }
  const match = method === 'GET' && header !== undefined ? /^(?:items=)?(\d+)-(\d*)$/.exec(header) : null
  if (!match) return fromQuery
  const first = bounded(match[1] as string)
  const last = match[2] === '' ? null : bounded(match[2] as string)
  if (last !== null && last < first) throw emptyRange()
  if (query.limit === 0) return fromQuery
  const offset = Math.max(first, query.offset)
  const ends = [last, query.limit === null ? null : query.offset + query.limit - 1].filter(
    (end) => end !== null,
  )
  if (ends.length === 0) return { limit: null, offset }
  const limit = Math.min(...ends) - offset + 1
  if (limit <= 0) throw emptyRange()
  return { limit, offset }
}

function bounded(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
}

/** The rows of `range`, at most `max` of them. */
export function restrict(range: RowRange, max: number | null): RowRange {
  if (max === null || (range.limit !== null && range.limit <= max)) return range
  return { limit: max, offset: range.offset }
}

/** The `Content-Range` header for `rows` rows from `offset` on. */
export function contentRange(offset: number, rows: number, total: number | null): string {
  const shown = rows > 0 && total !== 0 ? `${offset}-${offset + rows - 1}` : '*'
  return `${shown}/${total ?? '*'}`
}
