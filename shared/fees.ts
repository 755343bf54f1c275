// The fee policy reckoned in whole cents, for showing it beforehand; the database decides (private.fees and
// private.cancellation_fee), and tests/database/fees.test.ts holds the two equal.
import { fees as policy, tax } from '../marketplace.config.ts'
import { type Cents, cents, share, sum } from './money.ts'

export interface Fees {
  platformFee: Cents
  gst: Cents
  /** The giver's price: the amount and both fees. */
  total: Cents
  /** The tasker's payout: the amount less both fees. */
  payout: Cents
}

/** The fees on a task of that amount, each rounded to the cent. Throws RangeError below zero. */
export function fees(amount: Cents): Fees {
  if (amount < 0) throw new RangeError(`fees on a negative amount: ${amount}`)
  const platformFee = share(amount, policy.platformPercent)
  const gst = share(amount, tax.percent)
  return { platformFee, gst, total: sum(amount, platformFee, gst), payout: cents(amount - platformFee - gst) }
}

/** A task's amount with everything that follows from it: what each side is shown. */
export interface Price extends Fees {
  amount: Cents
  /** The part of the amount that has no fees: expenses and tips. None if left out. */
  feeFree?: Cents
}

/** The price of a task of that amount. Throws RangeError below zero. */
export function priceOf(amount: Cents): Price {
  return { amount, ...fees(amount) }
}

/**
 * The fee for a giver who cancels a paid booking of that amount at the moment `at`; never more than was paid.
 * `scheduled` is null when no time was set.
 */
export function cancellationFee(amount: Cents, scheduled: Date | null, at: Date): Cents {
  const { total } = fees(amount)
  const left = scheduled === null ? Number.POSITIVE_INFINITY : scheduled.getTime() - at.getTime()
  const step = policy.cancellation.find(({ underHours }) => left < underHours * 3_600_000)
  return cents(Math.min(total, step ? share(amount, step.percent) : policy.cancellationFlatCents))
}
