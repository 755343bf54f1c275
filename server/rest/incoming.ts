// Takes from the HTTP server what the Data API needs, as directly as it can be had.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { bodyTooLarge } from './errors.ts'
import { MAX_BODY } from './request/limits.ts'
import type { Incoming } from './request/request.ts'

const NO_BODY = Buffer.alloc(0)
const MOUNT = /^\/rest\/v1/

/** Reads the request whole. Throws PGRST102 (413) when the body is too large. */
export async function readIncoming(c: Context<{ Bindings: HttpBindings }>): Promise<Incoming> {
  const { incoming } = c.env
  const url = incoming.url ?? '/'
  const question = url.indexOf('?')
  const headers = incoming.headers as Record<string, string | undefined>
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

function withoutKey(query: string): string {
  return query
    .split('&')
    .filter((part) => !part.startsWith('apikey='))
    .join('&')
}

async function readBody(incoming: HttpBindings['incoming']): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY) throw bodyTooLarge(MAX_BODY)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY) throw bodyTooLarge(MAX_BODY)
    chunks.push(chunk as Buffer)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}
