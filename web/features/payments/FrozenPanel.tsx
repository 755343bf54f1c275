// Money that moves for nobody: while the card holder's bank looks into it, or until an administrator has decided on a
// complaint. Each side reads why, what happens next and until when; the tasker answers here.
import { addHours, isBefore } from 'date-fns'
import { Landmark, PauseCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../shared/limits.ts'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import type { Complaint } from '../../lib/queries/complaint.ts'
import { AnswerForm } from './AnswerForm.tsx'
import type { PayableBooking } from './api.ts'
import { figuresOf } from './lines.ts'
import { Panel } from './Panel.tsx'

type FrozenProps = { booking: PayableBooking; side: 'giver' | 'tasker' }

export function Frozen({ booking, side }: FrozenProps) {
  const { t } = useTranslation()
  const figures = figuresOf(booking)
  const amount = formatMoney(side === 'giver' ? figures.total : figures.payout_amount, { exact: true })
  const open = booking.complaint?.decision === null ? booking.complaint : null
  if (booking.payment?.dispute_status === 'open') {
    return (
      <Panel icon={Landmark} title={t('payments.frozen')}>
        <p className="text-ink-soft">
          {t(side === 'giver' ? 'payments.bankLooksGiver' : 'payments.bankLooksTasker', { amount })}
        </p>
        {open && <p className="text-ink-soft">{t('payments.thenComplaint')}</p>}
        {open && side === 'tasker' && !open.answer && <AnswerForm complaintId={open.id} />}
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

/** Until when the tasker is waited for, and whether that is still to come. */
function hearing(complaint: Complaint): { at: string; waits: boolean } {
  const until = addHours(complaint.created_at, limits.complaint.answerHours)
  return { at: formatDateTime(until), waits: isBefore(new Date(), until) }
}

function NextForGiver({ complaint, booking }: { complaint: Complaint; booking: PayableBooking }) {
  const { t } = useTranslation()
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  const { at, waits } = hearing(complaint)
  if (complaint.answer) return <p className="text-ink-soft">{t('payments.answeredGiver', { name })}</p>
  return (
    <p className="text-ink-soft">
      {t(waits ? 'payments.answerAwaited' : 'payments.answerOverdue', { name, at })}
    </p>
  )
}

function NextForTasker({ complaint, booking }: { complaint: Complaint; booking: PayableBooking }) {
  const { t } = useTranslation()
  const name = booking.task.giver?.full_name ?? t('payments.theGiver')
  const { at, waits } = hearing(complaint)
  if (complaint.answer) return <p className="text-ink-soft">{t('payments.answeredTasker', { name })}</p>
  return (
    <>
      <p className="text-ink-soft">{t(waits ? 'payments.answerUntil' : 'payments.answerStill', { at })}</p>
      <AnswerForm complaintId={complaint.id} />
    </>
  )
}
