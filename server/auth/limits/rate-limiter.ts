// Token buckets in memory, refilled evenly, as GoTrue has them. They bound what one server does for one address; each
// replica counts for itself. What protects a secret is counted in the database (store/rate-limits.ts).
import { performance } from 'node:perf_hooks'

export type RateLimiter = {
  /** Counts a request by `key` and says whether it is within the limit; one that would leave fewer than `reserve` is not. */
  take(key: string, reserve?: number): boolean
  /** Whether a request would be within the limit, without counting it. */
  hasRoom(key: string): boolean
}

/** At most `amount` requests in `window` seconds, all of them at once if need be. */
export type Quota = { amount: number; window: number }

const monotonicMs = () => performance.now()

/** Enough for every address that matters: a client with more addresses has as many limits anyway. */
const MAX_BUCKETS = 50_000

/** One token, less what sums of fractions lose. */
const ONE_TOKEN = 1 - 1e-9

/** Makes a limiter; `now` answers milliseconds. */
export function rateLimiter(
  { amount, window }: Quota,
  now = monotonicMs,
  maxBuckets = MAX_BUCKETS,
): RateLimiter {
  const tokensPerMs = amount / (window * 1000)
  // In the order of their last use.
  const buckets = new Map<string, { tokens: number; at: number }>()

  function level(key: string): number {
    const bucket = buckets.get(key)
    if (!bucket) return amount
    return Math.min(amount, bucket.tokens + Math.max(0, now() - bucket.at) * tokensPerMs)
  }

  /** Deletes buckets that are full again, then the least recently used ones, down to half of the maximum. */
  function evict(): void {
    for (const key of buckets.keys()) if (level(key) >= amount) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size <= maxBuckets / 2) break
      buckets.delete(key)
    }
  }

  return {
    take(key, reserve = 0) {
      const tokens = level(key)
      const enough = tokens >= ONE_TOKEN + reserve
      buckets.delete(key)
      buckets.set(key, { tokens: enough ? tokens - 1 : tokens, at: now() })
      if (buckets.size > maxBuckets) evict()
      return enough
    },
    hasRoom: (key) => level(key) >= ONE_TOKEN,
  }
}
