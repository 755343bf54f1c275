// Addresses that sent clearly malicious input, or many requests that failed. While the server is busy it takes no
// connections and no requests from them, which costs less than checking each again. While it is not busy nobody is
// held up, neighbours behind the same address least of all.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { type ClientAddresses, canonicalAddress, limitKey } from './client-address.ts'

export interface Bans {
  /** Bans the client that sent a request. A proxy of TRUSTED_PROXIES is never banned itself. */
  add(incoming: IncomingMessage): void
  /**
   * Counts an answer: a client is banned whose failed requests cost too much within half a minute (see costOf). Not one of
   * this machine or a private network, which may be a proxy that nobody named, with everybody behind it.
   */
  count(incoming: IncomingMessage, status: number): void
  /** Counts a connection whose client did not read what it had asked for. */
  countUnread(address: string | undefined): void
  /** Whether nothing is to be taken now from the client that sent a request. */
  has(incoming: IncomingMessage): boolean
  /** The same for a new connection, before a request says whether others are behind it. */
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
/** Further addresses are not banned, so that the lists stay small. */
const MAX_BANS = 10_000
/** The cost of failed requests that one address may cause within BAN_MS: forty small ones, or three of a megabyte. */
const MAX_COST = 40
/** Bytes that are read at the cost of one request. */
const BYTES_PER_REQUEST = 64 * 1024
/** An answer that is not read is held in memory until its time is over. */
const UNREAD_COST = 10
/**
 * Answers to what should not have been sent, or not so often. Not among them: 401, 403 and 404, which apps meet in
 * everyday use, and 503, which is not the client's fault.
 */
const FAILURES = new Set([400, 408, 413, 429, 431, 504])

export function createBans({ addresses, isBusy, now = () => performance.now() }: BansOptions): Bans {
  /** By address, until when; the first to end comes first. */
  const bans = new Map<string, number>()
  /** The cost of each address's failed requests, and when counting began; the first to expire comes first. */
  const costs = new Map<string, { cost: number; since: number }>()

  function forgetPast(): void {
    const present = now()
    for (const [key, until] of bans) {
      if (until > present) break
      bans.delete(key)
    }
    for (const [key, { since }] of costs) {
      if (since + BAN_MS > present) break
      costs.delete(key)
    }
  }

  function ban(key: string): void {
    bans.delete(key)
    if (bans.size < MAX_BANS) bans.set(key, now() + BAN_MS)
  }

  function add(address: string | null, cost: number): void {
    if (address === null || addresses.isProxy(address)) return
    forgetPast()
    const key = limitKey(address)
    const before = costs.get(key)
    const sum = (before?.cost ?? 0) + cost
    if (sum >= MAX_COST) ban(key)
    else if (before) before.cost = sum
    else if (costs.size < MAX_BANS) costs.set(key, { cost, since: now() })
  }

  function has(address: string | null): boolean {
    if (bans.size === 0 || address === null) return false
    forgetPast()
    return bans.has(limitKey(address)) && isBusy()
  }

  return {
    add: (incoming) => add(addresses.of(incoming), MAX_COST),
    count(incoming, status) {
      if (!FAILURES.has(status)) return
      const address = addresses.of(incoming)
      if (address !== null && !isNearby(address)) add(address, costOf(incoming))
    },
    countUnread: (address) => add(canonicalAddress(address ?? ''), UNREAD_COST),
    has: (incoming) => bans.size > 0 && has(addresses.of(incoming)),
    hasPeer: (address) => bans.size > 0 && has(canonicalAddress(address ?? '')),
  }
}

/** This machine and private networks, where proxies are. */
const NEARBY = new BlockList()
NEARBY.addAddress('127.0.0.1')
NEARBY.addAddress('::1', 'ipv6')
for (const [address, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  NEARBY.addSubnet(address, prefix)
NEARBY.addSubnet('fc00::', 7, 'ipv6')

const isNearby = (address: string) => NEARBY.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** The cost of a failed request: one, and one more for each 64 KiB of its announced body. */
function costOf({ headers }: IncomingMessage): number {
  return 1 + Number(headers['content-length'] ?? 0) / BYTES_PER_REQUEST
}

/** From which part of the time in use the event loop counts as busy. */
const BUSY_UTILIZATION = 0.6
/** Milliseconds that are looked at. */
const SAMPLE_MS = 100
/** Milliseconds that it counts as busy from then on: bans that end as soon as they help would not help for long. */
const BUSY_MS = 5000

/** Tells whether the event loop is busy, from what it did between two questions; nothing runs while nobody asks. */
export function watchEventLoop(): () => boolean {
  let since: EventLoopUtilization = performance.eventLoopUtilization()
  let at = performance.now()
  let busyUntil = 0
  return () => {
    const now = performance.now()
    if (now - at < SAMPLE_MS) return now < busyUntil
    if (performance.eventLoopUtilization(since).utilization > BUSY_UTILIZATION) busyUntil = now + BUSY_MS
    since = performance.eventLoopUtilization()
    at = now
    return now < busyUntil
  }
}
