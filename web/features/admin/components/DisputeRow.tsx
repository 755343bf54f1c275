// One dispute of a card holder: of which task, how much and why, its state, and until when it can be answered.
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Cents } from '../../../../shared/money.ts'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { taskPath } from '../../../lib/paths.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import type { Dispute } from '../api/disputes.ts'
import { Parties } from './Parties.tsx'
import { Reference } from './Reference.tsx'

const STANDINGS = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] as const
const REASONS = [
  'credit_not_processed',
  'duplicate',
  'fraudulent',
  'general',
  'product_not_received',
  'product_unacceptable',
  'unrecognized',
] as const
const tones: Partial<Record<string, Tone>> = {
  needs_response: 'danger',
  warning_needs_response: 'waiting',
  under_review: 'waiting',
  won: 'success',
}

export function DisputeRow({ dispute }: { dispute: Dispute }) {
  const { t } = useTranslation()
  const { payment, due_at, status, open } = dispute
  const money = (amount: Cents) => formatMoney(amount, { exact: true })
  const answerable = status.endsWith('needs_response')
  return (
    <li className="p-4 sm:p-5">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <p className="min-w-0 flex-[1_1_14rem] font-semibold wrap-anywhere">
          <Link
            to={taskPath(payment.task.id)}
            className="inline-block py-1 text-sky underline-offset-4 hover:underline"
          >
            <bdi>{payment.task.title}</bdi>
          </Link>
        </p>
        <Badge tone={tones[status] ?? 'neutral'}>{standing(status, open, t)}</Badge>
      </div>
      <Parties
        giver={{ id: payment.payer_id, name: payment.payer?.full_name }}
        tasker={{ id: payment.payee_id, name: payment.payee?.full_name }}
      />
      <p className="tabular mt-1">
        {t('admin.disputeMoney', { amount: money(dispute.amount), total: money(payment.total) })}
      </p>
      <p className="flex flex-wrap items-center gap-x-4 text-sm text-ink-soft wrap-anywhere">
        {dispute.reason && <span>{t('admin.disputeReason', { reason: reasonOf(dispute.reason, t) })}</span>}
        <span>{t('admin.disputeReported', { at: formatDateTime(dispute.created_at) })}</span>
        {due_at && answerable && <span>{t('admin.chargebackDue', { at: formatDateTime(due_at) })}</span>}
        <span>
          <span>{t('ui.labelled', { label: t('admin.chargebackId'), value: '' })}</span>
          <Reference id={dispute.id} label={t('admin.chargebackId')} />
        </span>
      </p>
    </li>
  )
}

/** Why the card holder disputes it; a reason that we do not know, in the provider's own word. */
function reasonOf(reason: string, t: TFunction): string {
  const known = REASONS.find((one) => one === reason)
  return known ? t(`admin.disputeReasons.${known}`) : reason.replaceAll('_', ' ')
}

/** The provider's word in ours; one that we do not know, in its own. */
function standing(status: string, open: boolean, t: TFunction): string {
  if (status === 'won' && open) return t('admin.disputeStatus.wonNotBack')
  const known = STANDINGS.find((one) => one === status)
  return known ? t(`admin.disputeStatus.${known}`) : status.replaceAll('_', ' ')
}
