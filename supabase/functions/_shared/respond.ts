// What functions answer: JSON, with the headers that let a browser on another origin read it, and errors of one shape,
// {error: the text a person reads, field?: the part of the body it is about}.

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info, x-region',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-expose-headers': 'retry-after',
  'access-control-max-age': '3600',
}

/** An answer that ends the work: thrown anywhere, it becomes the response. `retryAfter` is in seconds. */
export class HttpError extends Error {
  readonly status: number
  readonly field: string | undefined
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, field?: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.field = field
    this.retryAfter = retryAfter
  }
}

/** A JSON answer. */
export function respond(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...cors, ...headers } })
}

/** The answer for an error. */
export function errorResponse({ status, message, field, retryAfter }: HttpError): Response {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return respond(status, { error: message, ...(field ? { field } : {}) }, headers)
}

/** The answer to a browser's preflight. */
export function preflight(): Response {
  return new Response(null, { status: 204, headers: cors })
}
