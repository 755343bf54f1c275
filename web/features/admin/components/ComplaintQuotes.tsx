// The giver's and the tasker's statements about a complaint, or the deadline of the tasker's answer.
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { answerDeadline } from '../../../lib/queries/complaint.ts'
import { Quote } from '../../../ui/Quote.tsx'
import type { Complaint } from '../api/complaints.ts'

/** Until when only a release can be decided; null once the tasker has answered or that time is over. */
export function onlyReleaseUntil(complaint: Complaint): Date | null {
  const { until, open } = answerDeadline(complaint)
  return complaint.answer === null && open ? until : null
}

export function ComplaintQuotes({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation()
  const giver = complaint.payment.payer?.full_name || t('admin.unnamed')
  const tasker = complaint.payment.payee?.full_name || t('admin.unnamed')
  const until = onlyReleaseUntil(complaint)
  return (
    <>
      <Quote by={t('admin.saysGiver', { name: giver })} at={complaint.created_at} className="mt-3">
        {complaint.reason}
      </Quote>
      {complaint.answer ? (
        <Quote
          by={t('admin.saysTasker', { name: tasker })}
          at={complaint.answered_at ?? undefined}
          className="mt-3"
        >
          {complaint.answer}
        </Quote>
      ) : (
        complaint.decision === null && (
          <p className="mt-3 text-sm text-ink-faint">
            {until
              ? t('admin.answerUntil', { name: tasker, at: formatDateTime(until) })
              : t('admin.noAnswer', { name: tasker })}
          </p>
        )
      )}
    </>
  )
}
