// Reads that came before with the same address and headers: what they mean and how they are answered is known, so only
// the caller is new. Most of what pages ask is like that.
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { RestRequest } from '../request/request.ts'
import type { Compiled } from './compile.ts'

export type CachedRequest = { request: RestRequest; compiled: Compiled }

export interface RequestCache {
  find(incoming: IncomingMessage): CachedRequest | undefined
  /** Keeps it if it is a read and not too long. */
  put(incoming: IncomingMessage, cached: CachedRequest): void
  clear(): void
}

const MAX_REQUESTS = 1000
const MAX_CHARACTERS = 4000

export function openRequestCache(): RequestCache {
  const requests = new LRUCache<string, CachedRequest>({ max: MAX_REQUESTS })
  return {
    find: (incoming) => (isRead(incoming) ? requests.get(keyOf(incoming)) : undefined),
    put(incoming, cached) {
      const key = keyOf(incoming)
      if (isRead(incoming) && key.length <= MAX_CHARACTERS) requests.set(key, cached)
    },
    clear: () => requests.clear(),
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Everything that reading a request looks at (see request/request.ts). */
function keyOf({ method, url, headers }: IncomingMessage): string {
  // A key that stands in the address is taken out of it.
  const keyInAddress = headers.apikey === undefined
  const { accept, prefer, range, 'accept-profile': profile, 'content-type': type } = headers
  return `${method} ${url}\n${accept}\n${prefer}\n${range}\n${profile}\n${type}\n${keyInAddress}`
}
