// Every error storage can answer, in the words of Supabase's storage service. The body has `statusCode`, `error` and
// `message`. The HTTP status is 400 whatever statusCode says (413 and 404 too), or 5xx where the fault is ours.
import pg from 'pg'
import { AccessError } from '../http/authenticator.ts'
import { BodyRefused } from '../http/body-refused.ts'
import { TokenError } from '../keys/keys.ts'
import { DATABASE_UNAVAILABLE, isUnavailable } from '../sql/errors.ts'
import { type RaisedCode, raisedCodeOf } from '../sql/raised-code.ts'
import { NoSpace, Unreachable } from './backend/backend.ts'

export class StorageError extends Error {
  /** `statusCode` in the body. */
  readonly statusCode: number
  /** `error` in the body. */
  readonly code: string
  /** Seconds after which it is worth to come again. */
  readonly retryAfter: number | undefined

  /** The code that the application's own SQL raised with the error. */
  readonly raised: RaisedCode | null

  constructor(
    statusCode: number,
    code: string,
    message: string,
    { retryAfter, raised = null }: { retryAfter?: number; raised?: RaisedCode | null } = {},
  ) {
    super(message)
    this.name = 'StorageError'
    this.statusCode = statusCode
    this.code = code
    this.retryAfter = retryAfter
    this.raised = raised
  }

  /** Headers that go with the answer. */
  headers(): Record<string, string> {
    return this.retryAfter === undefined ? {} : { 'retry-after': String(this.retryAfter) }
  }

  /**
   * Supabase answers every client error with 400; clients read the body's statusCode. 429 stays, so that browsers and proxies
   * heed retry-after.
   */
  get httpStatus(): number {
    return this.statusCode >= 500 || this.statusCode === 429 ? this.statusCode : 400
  }

  body() {
    return { statusCode: String(this.statusCode), error: this.code, message: this.message, ...this.raised }
  }
}

export const noSuchBucket = () => new StorageError(404, 'Bucket not found', 'Bucket not found')
export const noSuchObject = () => new StorageError(404, 'not_found', 'Object not found')
const duplicate = () => new StorageError(409, 'Duplicate', 'The resource already exists')
export const accessDenied = (message: string) => new StorageError(403, 'Unauthorized', message)
export const invalidKey = (key: string) =>
  new StorageError(400, 'InvalidKey', `Invalid key: ${key.slice(0, 1100)}`)
export const invalidBucketName = () => new StorageError(400, 'Invalid Input', 'Bucket name invalid')
export const invalidRequest = (message: string) => new StorageError(400, 'InvalidRequest', message)
export const noContent = (message = 'No content provided') => new StorageError(400, 'InvalidRequest', message)
export const invalidToken = (message: string) => new StorageError(400, 'InvalidJWT', message)
export const invalidSignature = (message = 'Invalid signature') =>
  new StorageError(400, 'InvalidSignature', message)
export const mimeNotSupported = (type: string) =>
  new StorageError(415, 'invalid_mime_type', `mime type ${type.slice(0, 1000)} is not supported`)
export const tooLarge = (what = 'object') =>
  new StorageError(413, 'Payload too large', `The ${what} exceeded the maximum allowed size`)

/** The error for a body that is not read, or not to its end. */
function bodyError({ status, message, reason }: BodyRefused): StorageError {
  // Only bodies that are read whole have a separate limit: those of JSON.
  if (reason === 'large') return tooLarge('request body')
  const code = { 408: 'RequestTimeout', 413: 'Payload too large', 429: 'TooManyRequests', 503: 'SlowDown' }[
    status
  ]
  return new StorageError(status, code, message)
}

export const TOKEN_EXPIRED = '"exp" claim timestamp check failed'

/** Why a token is invalid, in the words of Supabase's service. */
export function tokenMessage({ reason }: TokenError): string {
  if (reason === 'expired') return TOKEN_EXPIRED
  if (reason === 'not_yet_valid') return '"nbf" claim timestamp check failed'
  return reason === 'signature' ? 'signature verification failed' : 'Invalid Compact JWS'
}

export const bucketNotEmpty = () =>
  new StorageError(409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty')

const noSpace = () =>
  new StorageError(507, 'InsufficientStorage', 'There is no room for more bytes; nothing was stored')
const databaseAway = () =>
  new StorageError(503, 'DatabaseUnavailable', DATABASE_UNAVAILABLE, { retryAfter: 1 })
const backendAway = () =>
  new StorageError(
    503,
    'StorageUnavailable',
    'The place where files are kept cannot be reached just now; try again in a moment',
    { retryAfter: 1 },
  )

/** The error for a disk, S3 or database that is full or away; null for any other error. */
export function outageOf(error: unknown): StorageError | null {
  if (error instanceof NoSpace || isFull(error)) return noSpace()
  if (error instanceof Unreachable) return backendAway()
  return isUnavailable(error) ? databaseAway() : null
}

/** The error for an exception of a handler or the frame; null for a fault of this server. */
export function storageErrorOf(error: unknown): StorageError | null {
  if (error instanceof StorageError) return error
  if (error instanceof TokenError) return accessDenied(tokenMessage(error))
  if (error instanceof AccessError) return invalidShape("headers must have required property 'authorization'")
  if (error instanceof BodyRefused) return bodyError(error)
  return outageOf(error)
}

/** PostgreSQL's own disk is full. */
function isFull(error: unknown): boolean {
  return (error as { code?: unknown }).code === '53100'
}

/** A request that does not fit its schema, as Fastify words it: `body/limit must be integer`. */
export const invalidShape = (message: string) => new StorageError(400, 'Error', message)

/** The StorageError for an error of PostgreSQL; any other error comes back as it was. */
export function toStorageError(error: unknown): unknown {
  if (isFull(error)) return noSpace()
  if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) return error
  const { code = '', message } = error
  const raised = raisedCodeOf(error)
  if (raised && code === '42501') return new StorageError(403, 'Unauthorized', message, { raised })
  const known = ERRORS_BY_SQLSTATE[code]?.(message)
  if (known) return known
  // A value that does not fit, or an error of the project's own triggers and constraints.
  if (/^(22|23|P0)/.test(code)) return new StorageError(400, 'DatabaseError', message, { raised })
  return error
}

const locked = () => new StorageError(423, 'ResourceLocked', 'The resource is locked')

const ERRORS_BY_SQLSTATE: Record<string, (message: string) => StorageError> = {
  42501: (message) =>
    accessDenied(
      message.includes('row-level security') ? 'new row violates row-level security policy' : message,
    ),
  23505: duplicate,
  23503: () => new StorageError(404, 'InvalidRequest', 'The related resource does not exist'),
  '22P02': (message) => new StorageError(400, 'InvalidParameter', message),
  '55P03': locked,
  '40P01': locked,
  40001: locked,
  25006: () =>
    new StorageError(
      503,
      'DatabaseReadOnly',
      'The database is currently in read-only mode. Please try again later.',
    ),
  57014: () => new StorageError(544, 'DatabaseTimeout', 'The connection to the database timed out'),
}
