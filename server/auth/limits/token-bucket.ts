// Token buckets in memory, as GoTrue has them: so many acts in a window, refilled evenly. They bound what one process
// does for one address; each replica counts for itself. What protects a secret stands in shared-limits.ts.
import { performance } from 'node:perf_hooks'

/** Says whether one more act by `key` is within the limit, and counts it. */
export type RateLimit = {
  /** With `leave`, an act is refused that would leave fewer than so many to others. */
  take(key: string, leave?: number): boolean
  /** Whether an act would be within the limit, without counting it. */
  free(key: string): boolean
}

/** Milliseconds of a clock that is never set. */
const monotonic = () => performance.now()

/** Keys remembered at most: who comes from more addresses than this has the limits of all of them anyway. */
const MOST_BUCKETS = 50_000

/** At most `amount` acts in `window` seconds, all of them at once if need be. */
export function rateLimit({ amount, window }: Limit, now = monotonic, most = MOST_BUCKETS): RateLimit {
  const perMillisecond = amount / (window * 1000)
  // The one that was used longest ago comes first.
  const buckets = new Map<string, { tokens: number; at: number }>()

  function level(key: string): number {
    const bucket = buckets.get(key)
    if (!bucket) return amount
    return Math.min(amount, bucket.tokens + Math.max(0, now() - bucket.at) * perMillisecond)
  }

  /** Forgets buckets that are full again, then those used longest ago, until there is room. */
  function forget(): void {
    for (const key of buckets.keys()) if (level(key) >= amount) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size <= most / 2) break
      buckets.delete(key)
    }
  }

  return {
    take(key, leave = 0) {
      const tokens = level(key)
      const enough = tokens >= whole + leave
      buckets.delete(key)
      buckets.set(key, { tokens: enough ? tokens - 1 : tokens, at: now() })
      if (buckets.size > most) forget()
      return enough
    },
    free: (key) => level(key) >= whole,
  }
}

/** One token, give or take what sums of fractions lose. */
const whole = 1 - 1e-9

type Limit = { amount: number; window: number }

/** The limits of [auth.rate_limit]: per client address, but emails and text messages in all. */
export type RateLimits = ReturnType<typeof rateLimits>

const fiveMinutes = 300
const hour = 3600

/** What one address may have of a budget that all share: a tenth, or ten where that is less. */
const share = (budget: number): number => Math.max(Math.ceil(budget / 10), Math.min(budget, 10))

/** What is left of a budget for accounts that exist when the rest is spent on addresses that nobody has confirmed. */
export const reserve = (budget: number): number => Math.floor(budget / 5)

/** Makes the service's limits from the settings, whose units are the CLI's: per hour or per five minutes. */
export function rateLimits(settings: {
  email_sent: number
  sms_sent: number
  anonymous_users: number
  token_refresh: number
  sign_in_sign_ups: number
  token_verifications: number
}) {
  return {
    emailSent: rateLimit({ amount: settings.email_sent, window: hour }),
    smsSent: rateLimit({ amount: settings.sms_sent, window: hour }),
    emailRequests: rateLimit({ amount: share(settings.email_sent), window: hour }),
    smsRequests: rateLimit({ amount: share(settings.sms_sent), window: hour }),
    anonymousUsers: rateLimit({ amount: settings.anonymous_users, window: hour }),
    tokenRefresh: rateLimit({ amount: settings.token_refresh, window: fiveMinutes }),
    signInSignUps: rateLimit({ amount: settings.sign_in_sign_ups, window: fiveMinutes }),
    tokenVerifications: rateLimit({ amount: settings.token_verifications, window: fiveMinutes }),
  }
}
