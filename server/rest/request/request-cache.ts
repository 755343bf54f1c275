// Reads that were asked before in the very same words: what they mean and how they are answered is known, so only
// the caller and the headers are new. Most of what pages ask is like that.
import type { IncomingMessage } from 'node:http'
import type { Compiled } from '../plan/compiled.ts'
import type { RestRequest } from './request.ts'

export type KnownRead = { request: RestRequest; compiled: Compiled }

export interface ReadCache {
  find(incoming: IncomingMessage): KnownRead | undefined
  /** Keeps it if it is a read and not too long. */
  remember(incoming: IncomingMessage, known: KnownRead): void
  clear(): void
}

/** Addresses; and ways to ask for the same one. */
const MAX_READS = 1000
const MAX_WAYS = 4
const MAX_CHARACTERS = 4000

/** Everything besides the address that reading a request looks at (see request/request.ts). */
type Way = {
  method: string | undefined
  accept: string | undefined
  prefer: string | undefined
  range: string | undefined
  profile: string | undefined
  type: string | undefined
  /** The key stood in the address, from where it is taken out. */
  keyInAddress: boolean
}

export function openReadCache(): ReadCache {
  const reads = new Map<string, (Way & KnownRead)[]>()
  return {
    find(incoming) {
      if (!isRead(incoming)) return undefined
      const ways = reads.get(incoming.url as string)
      if (!ways) return undefined
      const asked = wayOf(incoming)
      for (const way of ways) if (isSame(way, asked)) return way
      return undefined
    },
    remember(incoming, known) {
      const url = incoming.url as string
      if (!isRead(incoming) || url.length > MAX_CHARACTERS) return
      // The oldest goes, asked often or not: it is soon known again.
      if (reads.size >= MAX_READS) reads.delete(reads.keys().next().value as string)
      const ways = reads.get(url) ?? []
      if (ways.length >= MAX_WAYS) ways.shift()
      ways.push({ ...wayOf(incoming), ...known })
      reads.set(url, ways)
    },
    clear: () => reads.clear(),
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function wayOf({ method, headers }: IncomingMessage): Way {
  return {
    method,
    accept: headers.accept,
    prefer: headers.prefer as string | undefined,
    range: headers.range,
    profile: headers['accept-profile'] as string | undefined,
    type: headers['content-type'],
    keyInAddress: headers.apikey === undefined,
  }
}

function isSame(a: Way, b: Way): boolean {
  return (
    a.method === b.method &&
    a.accept === b.accept &&
    a.prefer === b.prefer &&
    a.range === b.range &&
    a.profile === b.profile &&
    a.type === b.type &&
    a.keyInAddress === b.keyInAddress
  )
}
