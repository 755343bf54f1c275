// Money that moves for nobody: while the card holder's bank looks into it, or until an administrator has decided on a
// complaint or on what is left after a chargeback. Each side reads why, what happens next and until when; the tasker answers here.
import { Landmark, PauseCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { answerDeadline, type Complaint } from '../../../lib/queries/complaint.ts'
import type { PayableBooking } from '../api/queries.ts'
import { priceOfBooking } from '../lines.ts'
import { AnswerForm } from './AnswerForm.tsx'
import { Panel } from './Panel.tsx'

type FrozenProps = { booking: PayableBooking; side: 'giver' | 'tasker' }

export function Frozen({ booking, side }: FrozenProps) {
  const { t } = useTranslation()
  const price = priceOfBooking(booking)
  const amount = formatMoney(side === 'giver' ? price.total : price.payout, { exact: true })
  const open = booking.complaint?.decision === null ? booking.complaint : null
  if (booking.payment && booking.payment.open_disputes > 0) {
    return (
      <Panel icon={Landmark} title={t('payments.frozen')}>
        <p className="text-ink-soft">
          {t(side === 'giver' ? 'payments.bankLooksGiver' : 'payments.bankLooksTasker', { amount })}
        </p>
        {open && <p className="text-ink-soft">{t('payments.thenComplaint')}</p>}
        {booking.status === 'in_progress' && <p className="text-ink-soft">{t('payments.bankWork')}</p>}
        {open && side === 'tasker' && !open.answer && (
          <AnswerForm complaintId={open.id} bookingId={booking.id} />
        )}
      </Panel>
    )
  }
  if (booking.payment && booking.payment.unsettled_loss > 0) {
    return (
      <Panel icon={Landmark} title={t('payments.frozen')}>
        <p className="text-ink-soft">
          {t(side === 'giver' ? 'payments.partBackGiver' : 'payments.partBackTasker', {
            lost: formatMoney(booking.payment.lost_amount, { exact: true }),
            total: formatMoney(booking.payment.total, { exact: true }),
            amount,
          })}
        </p>
        {open && side === 'tasker' && !open.answer && (
          <AnswerForm complaintId={open.id} bookingId={booking.id} />
        )}
      </Panel>
    )
  }
  return (
    <Panel icon={PauseCircle} title={t('payments.frozen')}>
      <p className="text-ink-soft">
        {t(side === 'giver' ? 'payments.frozenBody' : 'payments.frozenTasker', { amount })}
      </p>
      {open && side === 'giver' && <NextForGiver complaint={open} booking={booking} />}
      {open && side === 'tasker' && <NextForTasker complaint={open} booking={booking} />}
    </Panel>
  )
}

function NextForGiver({ complaint, booking }: { complaint: Complaint; booking: PayableBooking }) {
  const { t } = useTranslation()
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  const { until, open } = answerDeadline(complaint)
  if (complaint.answer) return <p className="text-ink-soft">{t('payments.answeredGiver', { name })}</p>
  return (
    <p className="text-ink-soft">
      {t(open ? 'payments.answerAwaited' : 'payments.answerOverdue', { name, at: formatDateTime(until) })}
    </p>
  )
}

function NextForTasker({ complaint, booking }: { complaint: Complaint; booking: PayableBooking }) {
  const { t } = useTranslation()
  const name = booking.task.giver?.full_name ?? t('payments.theGiver')
  const { until, open } = answerDeadline(complaint)
  if (complaint.answer) return <p className="text-ink-soft">{t('payments.answeredTasker', { name })}</p>
  return (
    <>
      <p className="text-ink-soft">
        {t(open ? 'payments.answerUntil' : 'payments.answerStill', { at: formatDateTime(until) })}
      </p>
      <AnswerForm complaintId={complaint.id} bookingId={booking.id} />
    </>
  )
}
