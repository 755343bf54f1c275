// The pay or escrow panel of an accepted booking, for each side and state (specification 001 §4).

import { addDays } from 'date-fns'
import { CircleCheck, FileText, Hourglass, ShieldCheck, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { limits } from '../../../shared/limits.ts'
import type { Cents } from '../../../shared/money.ts'
import { clockOf } from '../../../shared/placeClocks.ts'
import { confirmationFrom, startIfEarly } from '../../lib/confirmationFrom.ts'
import { formatDate, formatDateTime, formatMoney } from '../../lib/format.ts'
import { receiptPath } from '../../lib/paths.ts'
import { paymentDeadline } from '../../lib/payBy.ts'
import { receiptNumber } from '../../lib/queries/receipt.ts'
import { AmountLines } from '../../ui/AmountLines.tsx'
import { ExpenseTerms } from '../../ui/ExpenseTerms.tsx'
import { PriceSplit } from '../../ui/PriceSplit.tsx'
import type { PayableBooking } from './api/queries.ts'
import { ComplaintButton } from './components/ComplaintButton.tsx'
import { Frozen } from './components/FrozenPanel.tsx'
import { Panel } from './components/Panel.tsx'
import { PayButton, PayoutNote, ReleaseButton } from './components/PanelActions.tsx'
import { Refunded } from './components/RefundedPanel.tsx'
import { heldOf, priceOfBooking } from './lines.ts'

type PanelProps = {
  booking: PayableBooking
  side: 'giver' | 'tasker'
  /** The giver wants to pay. */
  onPay: () => void
  /** The giver has released the money. */
  onReleased: () => void
  /** The tasker's part while the money is held and the work is under way. */
  children?: ReactNode
}

/** Nothing until a booking is accepted; afterwards the state of its money and what this side can do. */
export function PaymentPanel(props: PanelProps) {
  return (
    <>
      <StateOfMoney {...props} />
      <ReceiptLink {...props} />
    </>
  )
}

function StateOfMoney(props: PanelProps) {
  const { status, payment } = props.booking
  const escrow = payment?.escrow_status ?? 'pending'
  if (escrow === 'frozen') return <Frozen {...props} />
  if (escrow === 'refunded') return <Refunded {...props} />
  if (escrow === 'released') return <Released {...props} />
  if (status === 'accepted') return <Unpaid {...props} />
  if (status === 'in_progress') return <UnderWay {...props} />
  if (status === 'completed') return <Confirming {...props} />
  return null
}

/** The giver's receipt, from paying on, or the tasker's statement, from settling on. */
function ReceiptLink({ booking, side }: PanelProps) {
  const { t } = useTranslation()
  const kind = side === 'giver' ? 'receipt' : 'statement'
  const receipt = booking.payment?.receipts.find((one) => one.kind === kind)
  if (!receipt) return null
  return (
    <Link
      to={receiptPath(receipt.id)}
      className="inline-flex items-center gap-2 self-start py-1 font-medium text-sky hover:underline"
    >
      <FileText aria-hidden className="size-4 shrink-0" />
      <span>{`${t(`receipts.${kind}`)} ${receiptNumber(receipt)}`}</span>
    </Link>
  )
}

function Unpaid({ booking, side, onPay }: PanelProps) {
  const { t } = useTranslation()
  const price = priceOfBooking(booking)
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  const due = paymentDeadline(booking, booking.task.scheduled_date)
  const paysItself = booking.series?.auto_pay_since && (booking.visit_number ?? 0) > 1
  const at = due && formatDateTime(due, clockOf(booking.task))
  if (side === 'tasker') {
    return (
      <Panel icon={Hourglass} title={t('payments.waitingForPayment')} reached={1}>
        <p className="text-ink-soft">{t('payments.waitingForPaymentBody')}</p>
        <PriceSplit price={price} side="tasker" other={booking.task.giver?.full_name} />
        <ExpenseTerms limit={booking.expense_limit} side="tasker" />
        {at && <p className="text-sm text-ink-faint">{t('payments.payBy', { at })}</p>}
      </Panel>
    )
  }
  return (
    <Panel icon={Wallet} title={t('payments.payPrompt')} reached={1}>
      <p className="text-ink-soft">{t('payments.payPromptBody', { name })}</p>
      <PriceSplit price={price} side="giver" other={booking.doer?.full_name} />
      <ExpenseTerms limit={booking.expense_limit} side="giver" />
      <PayButton booking={booking} onPay={onPay} />
      {paysItself && <p className="text-sm text-ink-soft">{t('payments.paysItself')}</p>}
      {at && <p className="text-sm text-ink-faint">{t('payments.payBy', { at })}</p>}
    </Panel>
  )
}

function UnderWay({ booking, side, children }: PanelProps) {
  const { t } = useTranslation()
  const price = priceOfBooking(booking)
  const money = (amount: Cents) => formatMoney(amount, { exact: true })
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  return (
    <Panel icon={ShieldCheck} title={t('payments.secured')} reached={2}>
      <p className="text-ink-soft">
        {side === 'giver'
          ? t('payments.securedGiver', { total: money(heldOf(booking)), name })
          : t('payments.securedTasker', { payout: money(price.payout) })}
      </p>
      {side === 'tasker' && children}
    </Panel>
  )
}

function Confirming({ booking, side, onReleased }: PanelProps) {
  const { t } = useTranslation()
  const early = startIfEarly(booking)
  const price = priceOfBooking(booking)
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  if (side === 'tasker') {
    return (
      <Panel icon={Hourglass} title={t('payments.waitingForConfirmation')} reached={3}>
        <p className="text-ink-soft">{t('payments.waitingForConfirmationBody')}</p>
        <PriceSplit price={price} side="tasker" other={booking.task.giver?.full_name} paid />
        <ReleaseNote booking={booking} />
      </Panel>
    )
  }
  return (
    <Panel icon={CircleCheck} title={t('payments.markedComplete', { name })} reached={3}>
      <p className="text-ink-soft">
        {t('payments.checkWork', { total: formatMoney(price.total, { exact: true }), name })}
      </p>
      {early && (
        <p className="font-medium">
          {t('payments.markedEarly', { at: formatDateTime(early, clockOf(booking.task)) })}
        </p>
      )}
      <ReleaseButton booking={booking} onReleased={onReleased} />
      <ComplaintButton booking={booking} />
      <ReleaseNote booking={booking} />
    </Panel>
  )
}

/** When the money is released although the giver does not confirm. */
function ReleaseNote({ booking }: { booking: PayableBooking }) {
  const { t } = useTranslation()
  const from = confirmationFrom(booking)
  if (!from) return null
  const date = formatDate(addDays(from, limits.releaseAfterDays))
  return <p className="text-sm text-ink-faint">{t('payments.releasedAutomatically', { date })}</p>
}

function Released({ booking, side }: PanelProps) {
  const { t } = useTranslation()
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  return (
    <Panel icon={CircleCheck} title={t('payments.released')} reached={4}>
      {booking.complaint?.decision && (
        <p className="text-ink-soft">
          {t(side === 'tasker' ? 'payments.decidedForYou' : 'payments.decidedForTasker', { name })}
        </p>
      )}
      <ReleasedPrice booking={booking} side={side} />
      {side === 'tasker' && booking.payment && <PayoutNote payment={booking.payment} />}
    </Panel>
  )
}

/**
 * The split of the released money; after a chargeback, when the tasker's share is another, only the two sums that
 * moved.
 */
function ReleasedPrice({ booking, side }: Pick<PanelProps, 'booking' | 'side'>) {
  const { t } = useTranslation()
  const price = priceOfBooking(booking)
  const other = side === 'giver' ? booking.doer?.full_name : booking.task.giver?.full_name
  if (price.payout === price.amount - price.platformFee - price.gst) {
    return <PriceSplit price={price} side={side} other={other} paid />
  }
  const paid = { label: t('ui.price.youPaid'), amount: price.total }
  const got = { label: t('ui.price.youGet'), amount: price.payout, total: true }
  return <AmountLines lines={[side === 'giver' ? paid : got]} />
}
