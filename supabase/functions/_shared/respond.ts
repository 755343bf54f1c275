// Answers of functions: JSON with headers for browsers on other origins, and errors of one shape: {error: the English
// text, code? and params? for translation, field?: the part of the body}.
import type { CodedError } from '../../../shared/errors.ts'
import messages from '../../../shared/texts/en/errors.json' with { type: 'json' }

/** A code of docs/errors.md. */
export type ErrorCode = keyof typeof messages

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info, x-region',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-expose-headers': 'retry-after',
  'access-control-max-age': '3600',
}

type Particulars = { field?: string | undefined; retryAfter?: number; coded?: CodedError | null }

/**
 * An answer that ends the work: thrown anywhere, it becomes the response. `retryAfter` is in seconds. One without a code is for
 * developers and operators.
 */
export class HttpError extends Error {
  readonly status: number
  readonly field: string | undefined
  readonly retryAfter: number | undefined
  readonly coded: CodedError | null

  constructor(status: number, message: string, { field, retryAfter, coded = null }: Particulars = {}) {
    super(message)
    this.status = status
    this.field = field
    this.retryAfter = retryAfter
    this.coded = coded
  }
}

/** The error with that code, which has no parameters. */
export function coded(status: number, code: ErrorCode, particulars: Particulars = {}): HttpError {
  return new HttpError(status, messages[code], { ...particulars, coded: { code, params: {} } })
}

/** A JSON answer. */
export function respond(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...cors, ...headers } })
}

/** The answer for an error. */
export function errorResponse({ status, message, field, retryAfter, coded }: HttpError): Response {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return respond(status, { error: message, ...coded, ...(field ? { field } : {}) }, headers)
}

/** The answer to a browser's preflight. */
export function preflight(): Response {
  return new Response(null, { status: 204, headers: cors })
}
