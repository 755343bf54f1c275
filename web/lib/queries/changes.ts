// Changes of a booking's price after the agreement, as screens read them, with amounts in cents.
import type { QueryData } from '@supabase/supabase-js'
import { type Price, priceOf } from '../../../shared/fees.ts'
import { type Cents, cents } from '../../../shared/money.ts'
import type { Enums } from '../database.types.ts'
import { supabase } from '../supabase.ts'
import { inCents } from './money.ts'
import { movedSum, type Payment } from './payment.ts'

export const CHANGE_COLUMNS =
  'id,kind,proposed_by,amount,reason,photos,state,answer_by,created_at,payment:payments(total,payout_amount,refund_amount,lost_amount,escrow_status,receipts(id,kind,number))'

const selectChanges = () => supabase.from('booking_changes').select(CHANGE_COLUMNS)

export type ChangeKind = Enums<'change_kind'>
export type Change = ReturnType<typeof toChange>

export function toChange({ payment, ...row }: QueryData<ReturnType<typeof selectChanges>>[number]) {
  return {
    ...inCents(row, 'amount'),
    payment: payment && inCents(payment, 'total', 'payout_amount', 'refund_amount', 'lost_amount'),
  }
}

/** The price of a change for both sides: expenses and tips are without fees. */
export function priceOfChange({ kind, amount }: Pick<Change, 'kind' | 'amount'>): Price {
  if (kind === 'increase' || kind === 'decrease') return priceOf(amount)
  return { amount, platformFee: cents(0), gst: cents(0), total: amount, payout: amount, feeFree: amount }
}

/** Whether the change is in effect: what was paid for it has not gone back. */
const isInEffect = ({ state, payment }: Change) => state === 'done' && payment?.escrow_status !== 'refunded'

/** The sum of the changes of one kind that are in effect. */
export const sumOfKind = (changes: Change[], kind: ChangeKind): Cents =>
  cents(
    changes.reduce(
      (sum, change) => sum + (change.kind === kind && isInEffect(change) ? change.amount : 0),
      0,
    ),
  )

/** The price with the extra payments of a booking in effect, without tips. */
export function withExtras(price: Price, changes: Change[]): Price {
  const extras = changes.filter(
    (change) => (change.kind === 'increase' || change.kind === 'expense') && isInEffect(change),
  )
  return extras.map(priceOfChange).reduce(
    (sum, one) => ({
      amount: cents(sum.amount + one.amount),
      platformFee: cents(sum.platformFee + one.platformFee),
      gst: cents(sum.gst + one.gst),
      total: cents(sum.total + one.total),
      payout: cents(sum.payout + one.payout),
      feeFree: cents((sum.feeFree ?? 0) + (one.feeFree ?? 0)),
    }),
    price,
  )
}

/** The sum that this side has paid for a booking with its changes and tips, less refunds, or finally gets; null before. */
export function movedTotal(
  payment: Parameters<typeof movedSum>[0],
  changes: Pick<Change, 'payment'>[],
  side: 'giver' | 'tasker',
): Cents | null {
  const main = movedSum(payment, side)
  if (main === null) return null
  return cents(changes.reduce<number>((sum, change) => sum + (movedSum(change.payment, side) ?? 0), main))
}

/** A payment with the changes of its booking's price. */
export type PaymentWithChanges = Payment & { changes: Change[] }
