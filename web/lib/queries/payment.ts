// What screens read of a payment: the columns, and the row as they bring it.
import type { Tables } from '../database.types.ts'

export const paymentColumns =
  'amount,platform_fee,gst,total,payout_amount,cancellation_fee,refund_amount,refunded_amount,escrow_status,payout_status,refund_status,open_disputes,lost_amount,unsettled_loss,held_at,released_at' as const

export type Names<List extends string> = List extends `${infer First},${infer Rest}`
  ? First | Names<Rest>
  : List

/** Amounts are in dollars. */
export type Payment = Pick<Tables<'payments'>, Names<typeof paymentColumns>>
