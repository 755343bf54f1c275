// The fee policy, in whole cents (design §4). The database's twin is private.fees and
// private.cancellation_fee; tests/database/fees.test.ts holds the two equal.
import { type Cents, cents, share, sum } from './money.ts'

/** Shares of the task's amount, in percent. */
export const PLATFORM_FEE_PERCENT = 15
export const GST_PERCENT = 5

export interface Fees {
  /** 15 % of the amount. */
  platformFee: Cents
  /** 5 % of the amount. */
  gst: Cents
  /** What the giver pays: the amount and both fees on top. */
  total: Cents
  /** What the tasker receives: the amount less both fees. */
  payout: Cents
}

/** The fees on a task of that amount, each rounded to the cent. Throws RangeError below zero. */
export function fees(amount: Cents): Fees {
  if (amount < 0) throw new RangeError(`fees on a negative amount: ${amount}`)
  const platformFee = share(amount, PLATFORM_FEE_PERCENT)
  const gst = share(amount, GST_PERCENT)
  return { platformFee, gst, total: sum(amount, platformFee, gst), payout: cents(amount - platformFee - gst) }
}

/** What a giver who cancels a paid booking leaves behind, by the time to the schedule. */
export const CANCELLATION = [
  { underHours: 1, percent: 50 },
  { underHours: 24, percent: 25 },
] as const
/** Otherwise, also when no time was set. */
export const CANCELLATION_FLAT = cents(500)

/**
 * The fee for a giver who cancels a paid booking of that amount at the moment `at`; never more than was paid.
 * `scheduled` is null when no time was set. The database decides; this is for showing it beforehand.
 */
export function cancellationFee(amount: Cents, scheduled: Date | null, at: Date): Cents {
  const { total } = fees(amount)
  const left = scheduled === null ? Number.POSITIVE_INFINITY : scheduled.getTime() - at.getTime()
  const step = CANCELLATION.find(({ underHours }) => left < underHours * 3_600_000)
  return cents(Math.min(total, step ? share(amount, step.percent) : CANCELLATION_FLAT))
}
