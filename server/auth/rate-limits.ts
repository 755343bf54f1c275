// Token buckets in memory, as GoTrue has them: so many acts in a window, refilled evenly. Each replica counts for
// itself; what must hold across replicas (one letter per max_frequency) stands in the database.

/** Says whether one more act by `key` is within the limit, and counts it. */
export type RateLimit = {
  take(key: string): boolean
  /** Whether an act would be within the limit, without counting it. */
  free(key: string): boolean
}

/** At most `amount` acts in `window` seconds; at once at most `burst`, which is `amount` unless it is more. */
export function rateLimit({ amount, window, burst = amount }: Limit, now = Date.now): RateLimit {
  const perMillisecond = amount / (window * 1000)
  const full = Math.max(amount === 0 ? 0 : burst, amount === 0 ? 0 : 1)
  const buckets = new Map<string, { tokens: number; at: number }>()

  function level(key: string): number {
    const bucket = buckets.get(key)
    return bucket ? Math.min(full, bucket.tokens + (now() - bucket.at) * perMillisecond) : full
  }

  /** Forgets buckets that are full again, so that addresses seen once do not stay in memory. */
  function forget(): void {
    for (const key of buckets.keys()) if (level(key) >= full) buckets.delete(key)
  }

  let sinceForgetting = 0
  return {
    take(key) {
      if (++sinceForgetting > 10_000) {
        sinceForgetting = 0
        forget()
      }
      const tokens = level(key)
      const enough = tokens >= whole
      buckets.set(key, { tokens: enough ? tokens - 1 : tokens, at: now() })
      return enough
    },
    free: (key) => level(key) >= whole,
  }
}

/** One token, give or take what sums of fractions lose. */
const whole = 1 - 1e-9

type Limit = { amount: number; window: number; burst?: number }

/** The limits of [auth.rate_limit]: per client address, but letters and text messages in all. */
export type RateLimits = ReturnType<typeof rateLimits>

const fiveMinutes = 300
const hour = 3600

/** Makes the service's limits from the settings, whose units are the CLI's: per hour or per five minutes. */
export function rateLimits(settings: {
  email_sent: number
  sms_sent: number
  anonymous_users: number
  token_refresh: number
  sign_in_sign_ups: number
  token_verifications: number
}) {
  const signIns = settings.sign_in_sign_ups
  const verifications = settings.token_verifications
  return {
    emailSent: rateLimit({ amount: settings.email_sent, window: hour }),
    smsSent: rateLimit({ amount: settings.sms_sent, window: hour }),
    anonymousUsers: rateLimit({ amount: settings.anonymous_users, window: hour }),
    tokenRefresh: rateLimit({ amount: settings.token_refresh, window: fiveMinutes }),
    signInSignUps: rateLimit({ amount: signIns, window: fiveMinutes }),
    tokenVerifications: rateLimit({ amount: verifications, window: fiveMinutes }),
    // Wrong passwords and codes, counted per account whatever their origin, against guessing from many addresses:
    // far more than a person mistypes, and a code of six digits stands ten tries far longer than it is good for.
    wrongPasswords: rateLimit({ amount: Math.min(signIns * 10, 100), window: fiveMinutes }),
    wrongCodes: rateLimit({ amount: Math.min(verifications * 10, 10), window: fiveMinutes }),
  }
}
