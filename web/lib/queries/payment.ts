// The fields of a payment that screens show, with amounts in cents.
import type { QueryData } from '@supabase/supabase-js'
import { supabase } from '../supabase.ts'
import { inCents } from './money.ts'

export const PAYMENT_COLUMNS =
  'amount,platform_fee,gst,total,payout_amount,cancellation_fee,refund_amount,refunded_amount,escrow_status,payout_status,refund_status,open_disputes,lost_amount,unsettled_loss,held_at,released_at,failures:payment_failures(step,code,given_up)'

export const selectPayments = () => supabase.from('payments').select(PAYMENT_COLUMNS)

type PaymentRow = QueryData<ReturnType<typeof selectPayments>>[number]
export type Payment = ReturnType<typeof toPayment>

export function toPayment(row: PaymentRow) {
  return inCents(
    row,
    'amount',
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
