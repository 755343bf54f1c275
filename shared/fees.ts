// The fee policy, in whole cents (design §4). The database's twin is private.fees and
// private.cancellation_fee; tests/database/fees.test.ts holds the two equal.

/** Shares of the task's amount, in percent. */
export const PLATFORM_FEE_PERCENT = 15
export const GST_PERCENT = 5

export interface Fees {
  /** 15 % of the amount. */
  platformFee: number
  /** 5 % of the amount. */
  gst: number
  /** What the giver pays: the amount and both fees on top. */
  total: number
  /** What the tasker receives: the amount less both fees. */
  payout: number
}

/** The fees on a task of `amount` cents, each rounded to the cent. Throws RangeError unless `amount` is whole and not negative. */
export function fees(amount: number): Fees {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an amount in cents: ${amount}`)
  const platformFee = percent(amount, PLATFORM_FEE_PERCENT)
  const gst = percent(amount, GST_PERCENT)
  return { platformFee, gst, total: amount + platformFee + gst, payout: amount - platformFee - gst }
}

/** What a giver who cancels a paid booking leaves behind, by the time to the schedule. */
export const CANCELLATION = [
  { underHours: 1, percent: 50 },
  { underHours: 24, percent: 25 },
] as const
/** Cents; otherwise, also when no time was set. */
export const CANCELLATION_FLAT = 500

/**
 * The fee in cents for a giver who cancels a paid booking of `amount` cents at the moment `at`; never more than
 * was paid. `scheduled` is null when no time was set. The database decides; this is for showing it beforehand.
 */
export function cancellationFee(amount: number, scheduled: Date | null, at: Date): number {
  const { total } = fees(amount)
  const left = scheduled === null ? Number.POSITIVE_INFINITY : scheduled.getTime() - at.getTime()
  const step = CANCELLATION.find(({ underHours }) => left < underHours * 3_600_000)
  return Math.min(total, step ? percent(amount, step.percent) : CANCELLATION_FLAT)
}

/** Halves round up, as PostgreSQL's round() does. Whole-number arithmetic, so no cent is lost to fractions. */
function percent(amount: number, share: number): number {
  return Math.floor((amount * share + 50) / 100)
}
