// A rate limiter: `rate` tokens a second on average, at most `capacity` at once (the token bucket algorithm).

/** One token, less what sums of fractions lose. */
const LOST_BY_ROUNDING = 1e-9

export class TokenBucket {
  private level: number
  private at: number | null = null
  private readonly rate: number
  /** More than this never pass at once. */
  readonly capacity: number

  constructor(rate: number, capacity = rate) {
    this.rate = rate
    this.capacity = capacity
    this.level = capacity
  }

  /** Whether `amount` tokens are left at `now` (milliseconds), without taking them. */
  has(now: number, amount = 1): boolean {
    // A clock that was put back must not take tokens away.
    const seconds = this.at === null ? 0 : Math.max(0, now - this.at) / 1000
    this.level = Math.min(this.capacity, this.level + seconds * this.rate)
    this.at = now
    return this.level >= amount - LOST_BY_ROUNDING
  }

  /** Takes `amount`; false, and nothing taken, when fewer tokens are left or `reserve` would not be. */
  take(now: number, amount = 1, reserve = 0): boolean {
    if (!this.has(now, amount + reserve)) return false
    this.level -= amount
    return true
  }
}
