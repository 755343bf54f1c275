// The host's answers for functions that cannot run: status, {code, message} and the header `sb-error-code`, with the
// messages of Supabase's platform (https://supabase.com/docs/guides/functions/error-codes).

import type { BodyRefused } from '../http/body-refused.ts'

/** A function that could not be started; the message says why, for the log. */
export class BootError extends Error {}

/** Reads like a function's own failure to functions-js (FunctionsHttpError). */
function functionError(status: number, code: string, message: string): Response {
  return Response.json(
    { code, message },
    {
      status,
      headers: {
        'sb-error-code': code,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'sb-error-code, x-relay-error',
      },
    },
  )
}

/** The host's own error: `x-relay-error: true` makes functions-js tell it apart (FunctionsRelayError). */
export function relayError(status: number, code: string, message: string): Response {
  const response = functionError(status, code, message)
  response.headers.set('x-relay-error', 'true')
  return response
}

export const notFound = () => relayError(404, 'NOT_FOUND', 'Requested function was not found')

/** The function could not be started; only the log has the reason. */
export const bootError = () => relayError(503, 'BOOT_ERROR', 'Function failed to start (please check logs)')

/** Nothing was sent for `timeout` milliseconds. */
export const idleTimeout = (timeout: number) =>
  relayError(504, 'IDLE_TIMEOUT', `Request idle timeout limit (${timeout / 1000}s) reached`)

/** The function ended while it worked on the request. */
export const workerError = () =>
  functionError(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)')

/** The function was ended for what it used up. */
export const resourceLimit = () =>
  functionError(
    546,
    'WORKER_RESOURCE_LIMIT',
    'Function failed due to not having enough compute resources (please check logs)',
  )

/** The function threw while it handled the request: what Deno.serve answers then. */
export const thrown = () => new Response('Internal Server Error', { status: 500 })

/** Marks what a function answered with 5xx as the function's doing. The answer's headers must be changeable. */
export function markFailure(response: Response): Response {
  if (response.status >= 500 && !response.headers.has('sb-error-code')) {
    response.headers.set('sb-error-code', 'EDGE_FUNCTION_ERROR')
  }
  return response
}

/** The server is about to end, or to be replaced. */
export function stopping(): Response {
  const response = relayError(503, 'SERVICE_UNAVAILABLE', 'The server is stopping; try again in a moment')
  response.headers.set('retry-after', '1')
  return response
}

/** The rest of the body is not read. */
export function refusedBody({ reason, status, message, headers }: BodyRefused, limit: number): Response {
  const [code, words] = {
    large: ['PAYLOAD_TOO_LARGE', `The request body is larger than ${limit} bytes`],
    chunks: ['PAYLOAD_TOO_LARGE', message],
    slow: ['REQUEST_TIMEOUT', message],
    address: ['TOO_MANY_REQUESTS', message],
    all: ['SERVICE_UNAVAILABLE', message],
  }[reason] as [string, string]
  const response = relayError(status, code, words)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
