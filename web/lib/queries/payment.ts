// The fields of a payment that screens show, with amounts in cents.
import type { QueryData } from '@supabase/supabase-js'
import { type Price, priceOf } from '../../../shared/fees.ts'
import { type Cents, cents } from '../../../shared/money.ts'
import { supabase } from '../supabase.ts'
import { inCents } from './money.ts'

export const PAYMENT_COLUMNS =
  'amount,reduction,platform_fee,gst,total,payout_amount,cancellation_fee,refund_amount,refunded_amount,escrow_status,payout_status,refund_status,open_disputes,lost_amount,unsettled_loss,held_at,released_at,failures:payment_failures(step,code,given_up)'

export const selectPayments = () => supabase.from('payments').select(PAYMENT_COLUMNS)

type PaymentRow = QueryData<ReturnType<typeof selectPayments>>[number]
export type Payment = ReturnType<typeof toPayment>

export function toPayment(row: PaymentRow) {
  return inCents(
    row,
    'amount',
    'reduction',
    'platform_fee',
    'gst',
    'total',
    'payout_amount',
    'cancellation_fee',
    'refund_amount',
    'refunded_amount',
    'lost_amount',
    'unsettled_loss',
  )
}

type Amounts = Pick<Payment, 'amount' | 'reduction' | 'platform_fee' | 'gst' | 'total' | 'payout_amount'>
type Outcome = Pick<Payment, 'total' | 'payout_amount' | 'refund_amount' | 'lost_amount' | 'escrow_status'>

/** The price as the payment stores it, or as the fee policy has it after a decrease. `payout` is less after a decision or a cancellation. */
export function priceOfPayment({
  amount,
  reduction,
  platform_fee,
  gst,
  total,
  payout_amount,
}: Amounts): Price {
  if (reduction > 0) return { ...priceOf(cents(amount - reduction)), payout: payout_amount }
  return { amount, platformFee: platform_fee, gst, total, payout: payout_amount }
}

/** The part of a payment that was neither refunded nor lost to the card holder's bank. */
export function keptOf({
  total,
  refund_amount,
  lost_amount,
}: Omit<Outcome, 'payout_amount' | 'escrow_status'>): Cents {
  return cents(Math.max(total - refund_amount - lost_amount, 0))
}

/** The sum that this side has paid, less refunds, or finally gets; null before it is paid or decided. */
export function movedSum(payment: Outcome | null, side: 'giver' | 'tasker'): Cents | null {
  if (!payment || payment.escrow_status === 'pending') return null
  if (side === 'giver') return keptOf(payment)
  return ['released', 'refunded'].includes(payment.escrow_status) ? payment.payout_amount : null
}
