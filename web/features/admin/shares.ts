// What a decision makes of frozen money, as the database reckons it (private.settle_payment). Amounts in dollars.
import { amountsOf } from '../../lib/amounts.ts'
import type { Money } from './api/complaints.ts'

export type Shares = {
  /** What is sent back, beside what went back already. */
  refund: number
  payout: number
  /** What stays with the platform, GST included; below zero what it pays itself. */
  kept: number
  /** What is frozen now: the total less what went back already. */
  frozen: number
}

const whole = (dollars: number) => Math.round(dollars * 100) / 100

/** The shares when so many dollars of the task's amount go back. */
export function sharesOf(payment: Pick<Money, 'amount' | 'total' | 'lost_amount'>, returned: number): Shares {
  const done = amountsOf(whole(payment.amount - returned))
  const lost = Math.min(payment.lost_amount, payment.total)
  const refund = Math.max(whole(payment.total - done.total - lost), 0)
  const frozen = whole(payment.total - lost)
  return { refund, payout: done.payout, kept: whole(frozen - refund - done.payout), frozen }
}
