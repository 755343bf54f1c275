// Reads a request for the Data API, and words the rejection of bodies.
import { BodyCutOff, BodyRefused } from '../http/body-refused.ts'
import type { RequestContext } from '../http/request-context.ts'
import { bodyRefused } from './errors/busy.ts'
import { bodyTooLarge, invalidBody, type RestError } from './errors/errors.ts'
import { MAX_BODY } from './request/limits.ts'
import type { Incoming } from './request/request.ts'

/** The request with its body. */
export function toIncoming({ method, path, queryText, headers, body }: RequestContext): Incoming {
  return {
    method,
    path: path || '/',
    // The key was taken from there.
    query: headers.apikey === undefined ? withoutKey(queryText) : queryText,
    headers,
    body,
  }
}

/** PGRST102 (413, 408) or 53400 (429, 503) for a body that is refused; null for any other error. */
export function refusedBody(error: unknown): RestError | null {
  if (error instanceof BodyCutOff) return invalidBody(error.message)
  if (!(error instanceof BodyRefused)) return null
  return error.reason === 'large' ? bodyTooLarge(MAX_BODY) : bodyRefused(error)
}

function withoutKey(query: string): string {
  return query
    .split('&')
    .filter((part) => !part.startsWith('apikey='))
    .join('&')
}
