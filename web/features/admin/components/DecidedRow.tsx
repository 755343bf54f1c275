// One complaint that is decided: what became of the money, when and by whom, why, and what both had written.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Cents } from '../../../../shared/money.ts'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { adminComplaintPath } from '../../../lib/paths.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { holdsFocus } from '../../../ui/focusKeeper.ts'
import { Quote } from '../../../ui/Quote.tsx'
import type { Complaint } from '../api/complaints.ts'
import { ComplaintQuotes } from './ComplaintQuotes.tsx'
import { tones } from './PaymentList.tsx'
import { RefundRetry } from './RefundRetry.tsx'

type DecidedRowProps = {
  complaint: Complaint
  /** It is on the page of its case, which has the title and both statements. */
  inCase?: boolean
}

export function DecidedRow({ complaint, inCase = false }: DecidedRowProps) {
  const { t } = useTranslation()
  const { payment, booking, decision } = complaint
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')
  const money = (amount: Cents) => formatMoney(amount, { exact: true })
  // The bank returned this amount, so it is not one of our refunds.
  const byBank =
    payment.refund_amount === 0 && payment.payout_amount === 0 && payment.lost_amount >= payment.total
  return (
    <li {...holdsFocus(payment.id)} className="p-4 sm:p-5">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <p className="min-w-0 flex-[1_1_14rem] font-semibold wrap-anywhere">
          {inCase ? (
            t('admin.decision')
          ) : (
            <Link to={adminComplaintPath(complaint.id)} className="hover:underline">
              <bdi>{booking.task.title}</bdi>
            </Link>
          )}
        </p>
        {decision && <Badge>{t(byBank ? 'admin.takenBack' : `admin.decided.${decision}`)}</Badge>}
      </div>
      <p className="tabular mt-1 wrap-anywhere">
        {byBank
          ? t('admin.bankOutcome', { giver, tasker, total: money(payment.total) })
          : t('admin.outcome', {
              giver,
              tasker,
              total: money(payment.total),
              refund: money(payment.refund_amount),
              payout: money(payment.payout_amount),
            })}
      </p>
      {payment.refund_status !== 'none' && (
        <p className="tabular mt-1 flex flex-wrap items-center gap-x-2">
          <span>{t('backOffice.money.refund', { amount: money(payment.refund_amount) })}</span>
          <Badge tone={tones[payment.refund_status]}>
            {t(`backOffice.money.states.${payment.refund_status}`)}
          </Badge>
        </p>
      )}
      {payment.refund_status === 'failed' && (
        <RefundRetry paymentId={payment.id} amount={payment.refund_amount} giver={giver} />
      )}
      {complaint.decided_at && (
        <p className="text-sm text-ink-soft wrap-anywhere">
          {complaint.decider?.full_name
            ? t('admin.decidedBy', {
                name: complaint.decider.full_name,
                at: formatDateTime(complaint.decided_at),
              })
            : t('admin.decidedAt', { at: formatDateTime(complaint.decided_at) })}
        </p>
      )}
      {!inCase && <ComplaintQuotes complaint={complaint} />}
      {complaint.decision_note && (
        <Quote by={t('admin.decisionNote')} className="mt-3">
          {complaint.decision_note}
        </Quote>
      )}
    </li>
  )
}
