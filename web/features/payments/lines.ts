// The money of a booking as named lines, for each side and state.
import type { TFunction } from 'i18next'
import { fees, type Price, priceOf } from '../../../shared/fees.ts'
import { type Cents, cents } from '../../../shared/money.ts'
import { withExtras } from '../../lib/queries/changes.ts'
import { keptOf, type Payment, priceOfPayment } from '../../lib/queries/payment.ts'
import type { AmountLine } from '../../ui/AmountLines.tsx'
import type { PayableBooking } from './api/queries.ts'

/** The booking's price with its extra payments: the payment's own once there is one, else the fee policy's for the agreed amount. */
export function priceOfBooking({
  payment,
  agreed_amount,
  changes,
}: Pick<PayableBooking, 'agreed_amount' | 'changes'> & {
  payment: Parameters<typeof priceOfPayment>[0] | null
}): Price {
  return payment ? withExtras(priceOfPayment(payment), changes) : priceOf(agreed_amount)
}

/** All that is held of a booking: its payment, whatever of it goes back later, and its extra payments. */
export function heldOf({ payment, changes }: Pick<PayableBooking, 'payment' | 'changes'>): Cents {
  const held = [payment, ...changes.map((change) => change.payment)]
  return cents(held.reduce((sum, one) => sum + (one?.escrow_status === 'held' ? one.total : 0), 0))
}

/** The amounts of a cancelled payment, as its giver sees them. */
export function refundLines(payment: Payment, t: TFunction): AmountLine[] {
  return [
    { label: t('ui.price.youPaid'), amount: payment.total },
    ...wentBack(payment, t),
    { label: t('payments.cancellationFee'), amount: keptOf(payment), less: true },
    { label: t('payments.refundToYou'), amount: payment.refund_amount, total: true },
  ]
}

/** The amounts of a payment after an administrator's decision, as its giver sees them. */
export function decidedGiverLines(payment: Payment, t: TFunction): AmountLine[] {
  const kept = keptOf(payment)
  const lines: AmountLine[] = [
    { label: t('ui.price.youPaid'), amount: payment.total },
    ...wentBack(payment, t),
    { label: t('payments.staysPaid'), amount: kept, less: true },
    { label: t('payments.refundToYou'), amount: payment.refund_amount, total: true },
  ]
  return lines.filter(({ less, amount }) => !less || amount > 0)
}

/** Amounts that the card holder's bank or the provider returned without us. */
function wentBack({ lost_amount, total }: Payment, t: TFunction): AmountLine[] {
  const amount = cents(Math.min(lost_amount, total))
  return amount > 0 ? [{ label: t('payments.wentBack'), amount, less: true }] : []
}

/** The rest of the task's amount after a split, and the tasker's part of it. */
export function decidedTaskerLines(
  { complaint }: Pick<PayableBooking, 'complaint'>,
  payment: Payment,
  t: TFunction,
): AmountLine[] {
  const returned = complaint?.returned_amount ?? cents(0)
  const amount = cents(payment.amount - payment.reduction)
  const { platformFee, gst } = fees(cents(amount - returned))
  return [
    { label: t('ui.price.taskAmount'), amount },
    { label: t('payments.returned'), amount: returned, less: true },
    { label: t('ui.price.platformFee'), amount: platformFee, less: true },
    { label: t('ui.price.gst'), amount: gst, less: true },
    { label: t('ui.price.youGet'), amount: payment.payout_amount, total: true },
  ]
}

/** Whether all of it went back past us: through the card holder's bank, or sent back at the provider. */
export function isFullyReturned({
  escrow_status,
  lost_amount,
  refund_amount,
  payout_amount,
  total,
}: Payment): boolean {
  return escrow_status === 'refunded' && lost_amount >= total && refund_amount + payout_amount === 0
}
