// What functions answer: JSON, with the headers that let a browser on another origin read it, and errors of one shape,
// {error: the text a person reads, field?: the part of the body it is about}.

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info, x-region',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-max-age': '3600',
}

/** An answer that ends the work: thrown anywhere, it becomes the response. */
export class Refusal extends Error {
  readonly status: number
  readonly field: string | undefined

  constructor(status: number, message: string, field?: string) {
    super(message)
    this.status = status
    this.field = field
  }
}

/** A JSON answer. */
export function respond(status: number, body: object): Response {
  return Response.json(body, { status, headers: cors })
}

/** The answer for a refusal. */
export function refuse({ status, message, field }: Refusal): Response {
  return respond(status, { error: message, ...(field ? { field } : {}) })
}

/** The answer to a browser's preflight. */
export function preflight(): Response {
  return new Response(null, { status: 204, headers: cors })
}
