// One complaint that waits: which task, who, what both say, and how much money is frozen.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { adminComplaintPath } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import type { Complaint } from '../api/complaints.ts'
import { ComplaintQuotes } from './ComplaintQuotes.tsx'

type ComplaintRowProps = {
  complaint: Complaint
  /** The admin who looks is one of the two: somebody else decides. */
  own: boolean
  /** Decides at once, where the whole case is not needed. */
  onChoose: () => void
}

export function ComplaintRow({ complaint, own, onChoose }: ComplaintRowProps) {
  const { t } = useTranslation()
  const { payment, booking } = complaint
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')
  const atBank = payment.open_disputes > 0
  return (
    <li className="flex flex-wrap items-start gap-4 p-4 sm:p-5">
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="font-semibold wrap-anywhere">
          <bdi>{booking.task.title}</bdi>
        </p>
        <p className="text-sm text-ink-soft wrap-anywhere">
          {t('admin.complaintBetween', { giver, tasker, at: formatDateTime(complaint.created_at) })}
        </p>
        <p className="tabular text-sm text-ink-soft">
          {t('admin.complaintMoney', {
            total: formatMoney(payment.total, { exact: true }),
            amount: formatMoney(payment.amount, { exact: true }),
          })}
        </p>
        <ComplaintQuotes complaint={complaint} />
      </div>
      <div className="flex flex-wrap items-center gap-3 sm:max-w-80 sm:justify-end">
        <Button asChild variant="secondary" size="sm">
          <Link to={adminComplaintPath(complaint.id)}>
            <span>{t('backOffice.complaints.open')}</span>
            <span className="sr-only">{booking.task.title}</span>
          </Link>
        </Button>
        {own || atBank ? (
          <p className="text-sm text-ink-faint sm:max-w-56 sm:text-end">
            {t(own ? 'admin.ownComplaint' : 'admin.bankFirst')}
          </p>
        ) : (
          <Button variant="secondary" size="sm" onClick={onChoose}>
            <span>{t('admin.decide')}</span>
            <span className="sr-only">{booking.task.title}</span>
          </Button>
        )}
      </div>
    </li>
  )
}
