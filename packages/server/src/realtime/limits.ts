// How much one client may ask for: rates that allow short bursts, named as a hosted project's Realtime settings
// (https://supabase.com/docs/guides/realtime/settings, https://supabase.com/docs/guides/realtime/quotas).
import type { Config } from '../config/config.ts'
import { TokenBucket } from '../http/token-bucket.ts'

export type Limits = Config['realtime']

/** Seconds of a rate that may be used up at once. */
const EVENT_BURST_SECONDS = 10

/** A number of bytes of which only so many may be in use at once. */
export class Quota {
  private used = 0
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  fits(bytes: number): boolean {
    return bytes <= 0 || this.used + bytes <= this.max
  }

  /** Reserves `bytes` in place of `previous`; false, and nothing changed, when that exceeds the quota. */
  reserve(bytes: number, previous = 0): boolean {
    if (!this.fits(bytes - previous)) return false
    this.used += bytes - previous
    return true
  }

  release(bytes: number): void {
    this.used -= bytes
  }
}

/** Joins of one socket. */
export const joinLimiter = (limits: Limits) => new TokenBucket(limits.max_joins_per_second)

/** Messages of one socket, or of one caller by HTTP. */
export const eventLimiter = (limits: Limits) =>
  new TokenBucket(limits.max_events_per_second, limits.max_events_per_second * EVENT_BURST_SECONDS)

/** Calls of track and untrack on one channel. */
export const clientPresenceLimiter = (limits: Limits) =>
  new TokenBucket(
    limits.max_client_presence_events_per_window / (limits.client_presence_window_ms / 1000),
    limits.max_client_presence_events_per_window,
  )

/** Calls of track and untrack on one server. */
export const presenceLimiter = ({ max_presence_events_per_second: rate }: Limits) =>
  new TokenBucket(rate, rate * EVENT_BURST_SECONDS)

/** Bytes that the payload of one message may have. */
export const maxPayloadBytes = (limits: Limits) => limits.max_payload_size_in_kb * 1000
