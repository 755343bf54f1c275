// Takes from the HTTP server what the Data API needs, as directly as it can be had.
import type { IncomingMessage } from 'node:http'
import { bodyTooLarge, invalidBody } from './errors.ts'
import { MAX_BODY } from './request/limits.ts'
import type { Incoming } from './request/request.ts'

const NO_BODY = Buffer.alloc(0)
const MOUNT = /^\/rest\/v1/

/** Reads the request whole. Throws PGRST102 (413) when the body is too large. */
export async function readIncoming(incoming: IncomingMessage): Promise<Incoming> {
  const url = incoming.url ?? '/'
  const question = url.indexOf('?')
  const headers = headersOf(incoming)
  const method = incoming.method ?? 'GET'
  const query = question < 0 ? '' : url.slice(question + 1)
  return {
    method,
    path: (question < 0 ? url : url.slice(0, question)).replace(MOUNT, '') || '/',
    // The gateway took the key from there.
    query: headers.apikey === undefined ? withoutKey(query) : query,
    headers,
    body: method === 'GET' || method === 'HEAD' ? NO_BODY : await readBody(incoming),
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

function readBody(incoming: IncomingMessage): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY)
    return Promise.reject(bodyTooLarge(MAX_BODY))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY) {
        incoming.removeAllListeners('data')
        reject(bodyTooLarge(MAX_BODY))
      } else chunks.push(chunk)
    })
    let ended = false
    incoming.on('end', () => {
      ended = true
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    // Nobody reads the answer any more, but what waits for the body has to end. Every request closes in the end, and
    // an error that nobody sees costs as much as reading the body.
    const cutOff = () => {
      if (!ended) reject(invalidBody('The request body was cut off'))
    }
    incoming.on('error', cutOff)
    incoming.on('close', cutOff)
  })
}
