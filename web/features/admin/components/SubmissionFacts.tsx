// The tasker's statements in the verification's four steps, line by line (specification 000 §3).
import { useTranslation } from 'react-i18next'
import { formatCalendarDay, formatDateTime, formatList } from '../../../lib/format.ts'
import { Quote } from '../../../ui/Quote.tsx'
import { submittedAt } from '../api/people.ts'
import type { Submission } from '../api/verifications.ts'

const titles = {
  pending: 'admin.waiting',
  verified: 'admin.approved',
  rejected: 'admin.refused',
} as const

export function SubmissionFacts({ submission }: { submission: Submission }) {
  const { t } = useTranslation()
  const { verification_status: status, decided_at } = submission
  const yesNo = (value: boolean) => t(value ? 'verification.yes' : 'verification.no')
  const facts: [string, string | null][] = [
    [t('verification.legalName'), submission.legal_name],
    [t('verification.dateOfBirth'), dayText(submission.date_of_birth)],
    [t('verification.idType'), t(`verification.${submission.id_type as 'passport'}`)],
    [t('verification.backgroundSummary'), yesNo(submission.background_check_consent)],
    [t('verification.insuranceSummary'), yesNo(submission.has_insurance)],
    [t('verification.insuranceProvider'), submission.insurance_provider],
    [t('verification.insurancePolicy'), submission.insurance_policy_number],
    [
      t('verification.insuranceExpiry'),
      submission.insurance_expiry_date && dayText(submission.insurance_expiry_date),
    ],
    [t('verification.skills'), formatList(submission.skills)],
    [t('verification.certifications'), formatList(submission.certifications)],
    [t('verification.sinSummary'), yesNo(submission.sin_provided)],
  ]
  return (
    <>
      <h3 className="font-sans text-base font-semibold tracking-normal">{t(titles[status])}</h3>
      <p className="text-sm text-ink-faint">
        {/* A decision is the last that happened to a record. */}
        {status === 'pending'
          ? t('admin.handedIn', { at: formatDateTime(submittedAt(submission)) })
          : decided_at && t('admin.decidedAt', { at: formatDateTime(decided_at) })}
      </p>
      {status === 'rejected' && (
        <Quote by={t('admin.refusalReason')}>{submission.refusal_reason ?? ''}</Quote>
      )}
      <dl className="mt-2 mb-4 divide-y divide-line">
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label} className="flex justify-between gap-6 py-2">
              <dt className="min-w-0 text-ink-soft">{label}</dt>
              <dd className="max-w-3/5 shrink-0 text-end font-semibold wrap-anywhere">{value}</dd>
            </div>
          ))}
      </dl>
    </>
  )
}

/** A day of the calendar, '1996-11-21', which is the same day wherever it is read. */
function dayText(day: string): string {
  return formatCalendarDay(day)
}
