// How much one client may ask for: rates that allow short bursts, named as a hosted project's Realtime settings
// (https://supabase.com/docs/guides/realtime/settings, https://supabase.com/docs/guides/realtime/quotas).
import type { Config } from '../config.ts'

export type Limits = Config['realtime']

/** Seconds of a rate that may be used up at once. */
const EVENT_BURST = 10

/** Lets `rate` things a second pass on average, and `burst` at once. */
export class Budget {
  private level: number
  private at = 0
  private readonly rate: number
  /** More than this never pass at once. */
  readonly burst: number

  constructor(rate: number, burst = rate) {
    this.rate = rate
    this.burst = burst
    this.level = burst
  }

  /** Takes `amount`; false, and nothing taken, when less than that is left. `now` in milliseconds. */
  take(now: number, amount = 1): boolean {
    // A clock that was put back must not take away what is left.
    const seconds = this.at > 0 ? Math.max(0, now - this.at) / 1000 : 0
    this.level = Math.min(this.burst, this.level + seconds * this.rate)
    this.at = now
    if (this.level < amount) return false
    this.level -= amount
    return true
  }
}

/** How many bytes may be held at once. */
export class Allowance {
  private held = 0
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  fits(bytes: number): boolean {
    return bytes <= 0 || this.held + bytes <= this.most
  }

  /** Holds `now` bytes in the place of `before`; false, and nothing changed, when that would be more than is allowed. */
  hold(now: number, before = 0): boolean {
    if (!this.fits(now - before)) return false
    this.held += now - before
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }
}

export const joinBudget = (limits: Limits) => new Budget(limits.max_joins_per_second)

export const eventBudget = (limits: Limits) =>
  new Budget(limits.max_events_per_second, limits.max_events_per_second * EVENT_BURST)

/** Of one channel: so many calls of track and untrack in a window. */
export const presenceBudget = (limits: Limits) =>
  new Budget(
    limits.max_client_presence_events_per_window / (limits.client_presence_window_ms / 1000),
    limits.max_client_presence_events_per_window,
  )

/** Of a server: calls of track and untrack. */
export const presenceEventBudget = ({ max_presence_events_per_second: rate }: Limits) =>
  new Budget(rate, rate * EVENT_BURST)

/** Bytes that the payload of one message may have. */
export const maxPayload = (limits: Limits) => limits.max_payload_size_in_kb * 1000
