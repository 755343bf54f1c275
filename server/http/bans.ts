// Addresses that sent what no client sends by mistake: while the server is busy it takes no connections and no requests of
// theirs, which costs less than finding out again. While it is not busy nobody is held up, neighbours behind the same
// address least of all.
import type { IncomingMessage } from 'node:http'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { type ClientAddresses, canonicalAddress, limitKey } from './client-address.ts'

export interface Bans {
  /** Bans the client that sent a request. A proxy of TRUSTED_PROXIES is never banned itself. */
  add(incoming: IncomingMessage): void
  /** Whether nothing is to be taken now from the client that sent a request. */
  has(incoming: IncomingMessage): boolean
  /** The same for who connects, before a request says whether others are behind it. */
  hasPeer(address: string | undefined): boolean
}

export interface BansOptions {
  addresses: ClientAddresses
  /** Asked only about clients that are banned. */
  isBusy: () => boolean
  /** Milliseconds. */
  now?: () => number
}

const BAN_MS = 30_000
/** Further addresses are not banned, so that the list stays small. */
const MAX_BANS = 10_000

export function createBans({ addresses, isBusy, now = () => performance.now() }: BansOptions): Bans {
  /** By address, until when; the first to end comes first. */
  const bans = new Map<string, number>()

  function forgetPast(): void {
    const present = now()
    for (const [key, until] of bans) {
      if (until > present) return
      bans.delete(key)
    }
  }

  function has(address: string | null): boolean {
    if (bans.size === 0 || address === null) return false
    forgetPast()
    return bans.has(limitKey(address)) && isBusy()
  }

  return {
    add(incoming) {
      const address = addresses.of(incoming)
      if (address === null || addresses.isProxy(address)) return
      forgetPast()
      const key = limitKey(address)
      bans.delete(key)
      if (bans.size < MAX_BANS) bans.set(key, now() + BAN_MS)
    },
    has: (incoming) => bans.size > 0 && has(addresses.of(incoming)),
    hasPeer: (address) => bans.size > 0 && has(canonicalAddress(address ?? '')),
  }
}

/** From which part of the time in use the event loop counts as busy. */
const BUSY_UTILIZATION = 0.6
/** Milliseconds that are looked at. */
const SAMPLE_MS = 100

/** Tells whether the event loop is busy, from what it did between two questions; nothing runs while nobody asks. */
export function watchEventLoop(): () => boolean {
  let since: EventLoopUtilization = performance.eventLoopUtilization()
  let at = performance.now()
  let busy = false
  return () => {
    if (performance.now() - at < SAMPLE_MS) return busy
    busy = performance.eventLoopUtilization(since).utilization > BUSY_UTILIZATION
    since = performance.eventLoopUtilization()
    at = performance.now()
    return busy
  }
}
