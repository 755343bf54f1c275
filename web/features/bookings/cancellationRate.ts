// Which step of the cancellation fees holds now, and when the fee rises next (specification 001 §9).
import { fees as policy } from '../../../marketplace.config.ts'
import { type Cents, cents, share } from '../../../shared/money.ts'
import type { TextKey } from '../../i18n/index.ts'

const HOUR_MS = 3_600_000
const [LATEST, LATE] = policy.cancellation
type Rate = 'latest' | 'late' | 'flat'

/** Which rule of the fee policy holds at a moment. */
function rateAt(scheduled: string | null, at: Date): Rate {
  const left = scheduled === null ? Number.POSITIVE_INFINITY : new Date(scheduled).getTime() - at.getTime()
  if (left < LATEST.underHours * HOUR_MS) return 'latest'
  return left < LATE.underHours * HOUR_MS ? 'late' : 'flat'
}

/** The text of that rule. */
export function feeRule(scheduled: string | null, at: Date): TextKey {
  const rate = rateAt(scheduled, at)
  return `bookings.feeRule.${rate === 'latest' && LATEST.underHours !== 1 ? 'latestHours' : rate}`
}

/** The fee of a cancelling giver for an increase: the same share as of the task, and no flat fee. */
export function increaseFee(amount: Cents, scheduled: string | null, at: Date): Cents {
  const rate = rateAt(scheduled, at)
  return rate === 'flat' ? cents(0) : share(amount, (rate === 'latest' ? LATEST : LATE).percent)
}

/** When the fee rises next, and to which rule; null when it cannot rise any more. */
export function nextStep(scheduled: string, now: Date): { at: Date; rate: 'latest' | 'late' } | null {
  const start = new Date(scheduled).getTime()
  const rate = rateAt(scheduled, now)
  if (rate === 'latest') return null
  return rate === 'late'
    ? { at: new Date(start - LATEST.underHours * HOUR_MS), rate: 'latest' }
    : { at: new Date(start - LATE.underHours * HOUR_MS), rate: 'late' }
}
