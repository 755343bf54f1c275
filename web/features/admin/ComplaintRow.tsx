// One complaint in the admin's list: which task, who, what is wrong, and how much money is frozen.
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import { Button } from '../../ui/Button.tsx'
import type { Complaint } from './complaints.ts'

export function ComplaintRow({ complaint, onChoose }: { complaint: Complaint; onChoose: () => void }) {
  const { t } = useTranslation()
  const { payment, booking } = complaint
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')
  return (
    <li className="flex flex-wrap items-start gap-4 p-4 sm:p-5">
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="font-semibold wrap-anywhere">{booking.task.title}</p>
        <p className="text-sm text-ink-soft wrap-anywhere">
          {t('admin.complaintBetween', { giver, tasker, at: formatDateTime(complaint.created_at) })}
        </p>
        <p className="tabular text-sm text-ink-soft">
          {t('admin.complaintMoney', {
            total: formatMoney(payment.total, { exact: true }),
            amount: formatMoney(payment.amount, { exact: true }),
          })}
        </p>
        <p className="mt-2 whitespace-pre-line wrap-anywhere">{complaint.reason}</p>
        {complaint.answer && (
          <p className="mt-2 whitespace-pre-line wrap-anywhere">
            <span className="font-semibold">{t('admin.complaintAnswer', { tasker })} </span>
            {complaint.answer}
          </p>
        )}
      </div>
      <Button variant="secondary" size="sm" onClick={onChoose}>
        {t('admin.decide')}
      </Button>
    </li>
  )
}
