// Money that went back, all or in part: because somebody cancelled, because an administrator decided so, or because the
// card holder's bank took it. Each way has its own words and its own sum.
import { Landmark, Scale, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { contactEmail } from '../../../../marketplace.config.ts'
import type { Cents } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { Payment } from '../../../lib/queries/payment.ts'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import type { PayableBooking } from '../api/queries.ts'
import { decidedGiverLines, decidedTaskerLines, isFullyReturned, refundLines } from '../lines.ts'
import { Panel } from './Panel.tsx'
import { PayoutNote } from './PanelActions.tsx'

type RefundedProps = { booking: PayableBooking; side: 'giver' | 'tasker' }

export function Refunded({ booking, side }: RefundedProps) {
  const { payment, complaint } = booking
  if (!payment) return null
  if (isFullyReturned(payment)) return <TakenBack payment={payment} side={side} />
  if (complaint?.decision || booking.status === 'completed')
    return <Decided booking={booking} payment={payment} side={side} />
  return <Cancelled booking={booking} payment={payment} side={side} />
}

function Cancelled({ booking, payment, side }: { payment: Payment } & RefundedProps) {
  const { t } = useTranslation()
  if (side === 'tasker' && payment.cancellation_fee === 0) {
    const name = booking.task.giver?.full_name ?? t('payments.theGiver')
    return (
      <Panel icon={Undo2} title={t('payments.cancelledTasker')}>
        <p className="text-ink-soft">{t('payments.refundedTasker', { name })}</p>
      </Panel>
    )
  }
  if (side === 'tasker') {
    return (
      <Panel icon={Undo2} title={t('payments.cancelledTasker')}>
        <AmountLines
          lines={[
            { label: t('payments.cancellationFee'), amount: payment.cancellation_fee },
            { label: t('payments.yourShare'), amount: payment.payout_amount, total: true },
          ]}
        />
        {payment.payout_amount > 0 && <PayoutNote payment={payment} />}
      </Panel>
    )
  }
  return (
    <Panel
      icon={Undo2}
      title={t(payment.refund_status === 'failed' ? 'payments.cancelledTasker' : 'payments.refunded')}
    >
      <AmountLines lines={refundLines(payment, t)} />
      <RefundNote payment={payment} />
    </Panel>
  )
}

function Decided({ booking, payment, side }: { payment: Payment } & RefundedProps) {
  const { t } = useTranslation()
  const split = booking.complaint?.decision
    ? booking.complaint.decision === 'split'
    : payment.payout_amount > 0
  const giver = booking.task.giver?.full_name ?? t('payments.theGiver')
  const tasker = booking.doer?.full_name ?? t('payments.theTasker')
  const money = (amount: Cents) => formatMoney(amount, { exact: true })
  if (side === 'tasker') {
    return (
      <Panel icon={Scale} title={t(split ? 'payments.decidedSplit' : 'payments.decidedRefund')}>
        {!split && <p className="text-ink-soft">{t('payments.refundedTasker', { name: giver })}</p>}
        {split && booking.complaint && <AmountLines lines={decidedTaskerLines(booking, payment, t)} />}
        {split && !booking.complaint && (
          <AmountLines
            lines={[{ label: t('ui.price.youGet'), amount: payment.payout_amount, total: true }]}
          />
        )}
        {payment.payout_amount > 0 && <PayoutNote payment={payment} />}
      </Panel>
    )
  }
  return (
    <Panel icon={Scale} title={t(split ? 'payments.decidedSplit' : 'payments.decidedRefund')}>
      <AmountLines lines={decidedGiverLines(payment, t)} />
      {split && (
        <p className="text-sm text-ink-soft">
          {t('payments.taskerGetsOfRest', { name: tasker, payout: money(payment.payout_amount) })}
        </p>
      )}
      <RefundNote payment={payment} />
    </Panel>
  )
}

function TakenBack({ payment, side }: { payment: Payment; side: 'giver' | 'tasker' }) {
  const { t } = useTranslation()
  return (
    <Panel icon={Landmark} title={t('payments.takenBack')}>
      <p className="text-ink-soft">
        {t(side === 'giver' ? 'payments.takenBackGiver' : 'payments.takenBackTasker', {
          total: formatMoney(payment.total, { exact: true }),
        })}
      </p>
    </Panel>
  )
}

function RefundNote({ payment }: { payment: Payment }) {
  const { t } = useTranslation()
  if (payment.refund_amount === 0) return null
  if (payment.refund_status !== 'sent' && payment.open_disputes > 0) {
    return <p className="text-sm text-ink-soft">{t('payments.refundWaits')}</p>
  }
  const status = payment.refund_status
  if (status !== 'failed') {
    const text = status === 'sent' ? 'payments.refundSent' : 'payments.refundUnderWay'
    return <p className="text-sm text-ink-soft">{t(text)}</p>
  }
  return (
    <div className="flex flex-col gap-1 text-sm text-ink-soft">
      <p>{t('payments.refundFailed')}</p>
      <a href={`mailto:${contactEmail}`} className="self-start py-1 font-medium text-sky hover:underline">
        {t('layout.footer.contact')}
      </a>
    </div>
  )
}
