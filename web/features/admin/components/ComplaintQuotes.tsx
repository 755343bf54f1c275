// What the giver and the tasker say about a complaint, each in their own words; or until when the tasker is waited for.
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { hearingOf } from '../../../lib/queries/complaint.ts'
import { Said } from '../../../ui/Quote.tsx'
import type { Complaint } from '../api/complaints.ts'

/** Until when only a release can be decided; null once the tasker has answered or that time is over. */
export function hearingEnds(complaint: Complaint): Date | null {
  const { until, open } = hearingOf(complaint)
  return complaint.answer === null && open ? until : null
}

export function ComplaintWords({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation()
  const giver = complaint.payment.payer?.full_name || t('admin.unnamed')
  const tasker = complaint.payment.payee?.full_name || t('admin.unnamed')
  const until = hearingEnds(complaint)
  return (
    <>
      <Said by={t('admin.saysGiver', { name: giver })} at={complaint.created_at} className="mt-3">
        {complaint.reason}
      </Said>
      {complaint.answer ? (
        <Said
          by={t('admin.saysTasker', { name: tasker })}
          at={complaint.answered_at ?? undefined}
          className="mt-3"
        >
          {complaint.answer}
        </Said>
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
