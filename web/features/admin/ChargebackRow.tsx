// A payment that a card holder's bank looks into: what was taken, of which task, and until when it can be answered.
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import type { Chargeback } from './complaints.ts'

export function ChargebackRow({ chargeback }: { chargeback: Chargeback }) {
  const { t } = useTranslation()
  const { booking, dispute_due_at, dispute_id } = chargeback
  return (
    <li className="p-4 sm:p-5">
      <p className="font-semibold wrap-anywhere">
        <bdi>{booking.task.title}</bdi>
      </p>
      <p className="text-sm text-ink-soft wrap-anywhere">
        {t('admin.chargebackBetween', {
          giver: chargeback.payer?.full_name || t('admin.unnamed'),
          tasker: chargeback.payee?.full_name || t('admin.unnamed'),
        })}
      </p>
      <p className="tabular mt-1">
        {t('admin.chargebackMoney', {
          taken: formatMoney(chargeback.disputed_amount ?? 0, { exact: true }),
          total: formatMoney(chargeback.total, { exact: true }),
        })}
      </p>
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft wrap-anywhere">
        {dispute_due_at && <span>{t('admin.chargebackDue', { at: formatDateTime(dispute_due_at) })}</span>}
        {dispute_id && <span>{t('admin.chargebackId', { id: dispute_id })}</span>}
      </p>
    </li>
  )
}
