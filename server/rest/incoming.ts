// Takes from the HTTP server what the Data API needs, as directly as it can be had.
import type { IncomingMessage } from 'node:http'
import { type Bodies, BodyCutOff, BodyRefused, hasBody, type WholeBody } from '../http/bodies.ts'
import { bodyRefused } from './errors/busy.ts'
import { bodyTooLarge, invalidBody } from './errors/errors.ts'
import { MAX_BODY } from './request/limits.ts'
import type { Incoming } from './request/request.ts'

const NO_BODY: WholeBody = { bytes: Buffer.alloc(0), release() {} }
const MOUNT = /^\/rest\/v1/

/** The request with its body. */
export function toIncoming(incoming: IncomingMessage, { bytes }: WholeBody): Incoming {
  const url = incoming.url ?? '/'
  const question = url.indexOf('?')
  const headers = headersOf(incoming)
  const query = question < 0 ? '' : url.slice(question + 1)
  return {
    method: incoming.method ?? 'GET',
    path: (question < 0 ? url : url.slice(0, question)).replace(MOUNT, '') || '/',
    // The gateway took the key from there.
    query: headers.apikey === undefined ? withoutKey(query) : query,
    headers,
    body: bytes,
  }
}

/** Reads the body, which a read has none of. Throws PGRST102 (413, 408) or 53400 (429, 503) for one that is refused. */
export async function readBody(incoming: IncomingMessage, bodies: Bodies): Promise<WholeBody> {
  const { method } = incoming
  if (method === 'GET' || method === 'HEAD' || !hasBody(incoming)) return NO_BODY
  try {
    return await bodies.read(incoming, MAX_BODY)
  } catch (error) {
    if (error instanceof BodyCutOff) throw invalidBody(error.message)
    if (error instanceof BodyRefused)
      throw error.reason === 'large' ? bodyTooLarge(MAX_BODY) : bodyRefused(error)
    throw error
  }
}

/** The headers by name in lower case; Node joins those that come more than once. */
export function headersOf(incoming: IncomingMessage): Record<string, string | undefined> {
  return incoming.headers as Record<string, string | undefined>
}

function withoutKey(query: string): string {
  return query
    .split('&')
    .filter((part) => !part.startsWith('apikey='))
    .join('&')
}
