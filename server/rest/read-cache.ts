// Reads that were asked before in the very same words: what they mean and how they are answered is known, so only
// the caller and the headers are new. Most of what pages ask is like that.
import type { IncomingMessage } from 'node:http'
import type { Compiled } from './plan/compiled.ts'
import type { RestRequest } from './request/request.ts'

export type KnownRead = { request: RestRequest; compiled: Compiled }

export interface ReadCache {
  find(incoming: IncomingMessage): KnownRead | undefined
  /** Keeps it if it is a read and not too long. */
  remember(incoming: IncomingMessage, known: KnownRead): void
  clear(): void
}

const MAX_READS = 1000
const MAX_CHARACTERS = 4000

export function openReadCache(): ReadCache {
  const reads = new Map<string, KnownRead>()
  return {
    find: (incoming) => (isRead(incoming) ? reads.get(keyOf(incoming)) : undefined),
    remember(incoming, known) {
      if (!isRead(incoming)) return
      const key = keyOf(incoming)
      if (key.length > MAX_CHARACTERS) return
      // The oldest goes, asked often or not: it is soon known again.
      if (reads.size >= MAX_READS) reads.delete(reads.keys().next().value as string)
      reads.set(key, known)
    },
    clear: () => reads.clear(),
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Everything that reading a request looks at (see request/request.ts); an apikey in the address is left out there. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  const { accept, prefer, range, apikey } = headers
  return `${method} ${url}\n${accept}\n${prefer}\n${range}\n${headers['accept-profile']}\n${headers['content-type']}\n${apikey === undefined}`
}
