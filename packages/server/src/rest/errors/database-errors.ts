// The Data API's answers to PostgreSQL's errors: HTTP status by SQLSTATE, and the two ways in which a function
// chooses the answer itself (`PTxyz` and `RAISE SQLSTATE 'PGRST'`). Reference: PostgREST 14, "Errors", "Errors from
// PostgreSQL" and "RAISE errors with HTTP status codes".
import type pg from 'pg'
import { badRaise, databaseAway, poolTimeout, RestError } from './errors.ts'

type Failure = Pick<pg.DatabaseError, 'code' | 'message' | 'detail' | 'hint'> & { file?: string | undefined }

/** `anonymous` callers get 401 where others get 403: signing in could help. */
export function fromDatabase(error: Failure, anonymous: boolean): RestError {
  const { code = '', message } = error
  if (code === 'PGRST') return raised(error)
  const body = { code, message, details: error.detail ?? null, hint: error.hint ?? null }
  const status = isOfGeometry(error) ? 400 : statusOf(code, message, anonymous)
  return new RestError(status, body, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {})
}

/** For failures that are no answer of PostgreSQL's: a lost or missing connection. */
export function fromConnection(error: Error): RestError {
  return /timeout exceeded when trying to connect/.test(error.message) ? poolTimeout() : databaseAway(error)
}

/** PostGIS calls everything an internal error that it cannot read, or make a geometry of. */
function isOfGeometry({ code, file }: Failure): boolean {
  return code === 'XX000' && /^(lwgeom|gserialized|geography)_/.test(file ?? '')
}

const EXACT: Record<string, number> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '53400': 500,
  // PostgREST has 500, but a write into a view that takes none asks for something that is not offered.
  '55000': 405,
  // PostgREST has 500 for whatever was cancelled: but the server did what it should.
  '57014': 504,
  '57P01': 503,
  '57P02': 503,
  '57P03': 503,
  P0001: 400,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
}

const CLASSES: Record<string, number> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 413,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
}

function statusOf(code: string, message: string, anonymous: boolean): number {
  if (code === '42501') return anonymous ? 401 : 403
  // A token may name a role that does not exist, or one that may not be taken on.
  if (code === '22023' && /^role .* does not exist$/.test(message)) return 401
  // Two rows of one upsert that meet: the request's doing, as is a missing WHERE under safeupdate.
  if (code === '21000') return /affect row a second time$|requires a WHERE clause$/.test(message) ? 400 : 500
  // PTxyz: the last three characters are the status.
  if (/^PT\d{3}$/.test(code)) {
    const status = Number(code.slice(2))
    return status >= 100 && status <= 599 ? status : 500
  }
  return EXACT[code] ?? CLASSES[code.slice(0, 2)] ?? 400
}

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."

/** `RAISE SQLSTATE 'PGRST'`: MESSAGE holds the body and DETAIL the status and headers, both as JSON. */
function raised({ message, detail }: Failure): RestError {
  const body = objectFrom(message)
  if (typeof body?.code !== 'string' || typeof body.message !== 'string') {
    return badRaise(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT)
  }
  if (detail === undefined) return badRaise('DETAIL is missing in the RAISE statement', DETAIL_HINT)
  const answer = objectFrom(detail)
  const status = answer?.status
  if (typeof status !== 'number' || !isStatus(status) || typeof answer?.headers !== 'object') {
    return badRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
  }
  const { details = null, hint = null } = body
  const headers = Object.entries(answer.headers ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  if (!headers.every(([name, value]) => isHeader(name, value))) {
    return badRaise(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
  }
  const error = new RestError(
    status,
    { code: body.code, message: body.message, details, hint: typeof hint === 'string' ? hint : null },
    Object.fromEntries(headers),
  )
  const { status_text: text } = answer
  if (typeof text === 'string' && isHeader('status', text)) error.statusText = text
  return error
}

/** Whether HTTP can carry it. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599
}

function objectFrom(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
