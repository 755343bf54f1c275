// Each side's amounts after a decision about frozen money, as the database computes them (private.settle_payment).
import { fees } from '../../../shared/fees.ts'
import { type Cents, cents } from '../../../shared/money.ts'
import type { Complaint } from './api/complaints.ts'

export type Shares = {
  /** The refund, in addition to earlier ones. */
  refund: Cents
  payout: Cents
  /** The platform's share, including the tax; negative if the platform pays. */
  kept: Cents
  /** The frozen amount: the total less earlier refunds. */
  frozen: Cents
}

/** The shares when that much of the task's amount goes back. */
export function sharesOf(
  {
    amount,
    purpose,
    total,
    lost_amount,
  }: Pick<Complaint['payment'], 'amount' | 'purpose' | 'total' | 'lost_amount'>,
  returned: Cents,
): Shares {
  const kept = cents(amount - returned)
  const done = ['expense', 'tip'].includes(purpose) ? { total: kept, payout: kept } : fees(kept)
  const lost = Math.min(lost_amount, total)
  const refund = cents(Math.max(total - done.total - lost, 0))
  const frozen = cents(total - lost)
  return { refund, payout: done.payout, kept: cents(frozen - refund - done.payout), frozen }
}
