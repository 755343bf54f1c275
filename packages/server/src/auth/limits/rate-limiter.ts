// Token buckets in memory by key, refilled evenly, as GoTrue has them. They bound what one server does for one
// address; each replica counts for itself. Limits that protect a secret, and those marked `shared` in the table of
// routes, are also counted in the database (store/rate-limits.ts).
import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import { TokenBucket } from '../../http/token-bucket.ts'

export type RateLimiter = {
  quota: Quota
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

/** Makes a limiter; `now` answers milliseconds. */
export function rateLimiter(
  { amount, window }: Quota,
  now = monotonicMs,
  maxBuckets = MAX_BUCKETS,
): RateLimiter {
  // By size and not by `max`, for which the cache would take its memory at once.
  const buckets = new LRUCache<string, TokenBucket>({ maxSize: maxBuckets, sizeCalculation: () => 1 })
  return {
    quota: { amount, window },
    take(key, reserve) {
      const bucket = buckets.get(key) ?? new TokenBucket(amount / window, amount)
      buckets.set(key, bucket)
      return bucket.take(now(), 1, reserve)
    },
    hasRoom: (key) => (buckets.peek(key) ?? new TokenBucket(amount / window, amount)).has(now()),
  }
}
