// One list of money: each row with the task, both people, the sums, its state and the reason if it is stuck.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Banknote, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { taskPath } from '../../../lib/paths.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { holdsFocus } from '../../../ui/focusKeeper.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { type FoundPayment, type Kind, paymentCountQuery, paymentsQuery, type State } from '../api/money.ts'
import { AdminSection } from './AdminSection.tsx'
import { ListPages } from './ListPages.tsx'
import { Parties } from './Parties.tsx'
import { RefundRetry } from './RefundRetry.tsx'

type PaymentListProps = {
  kind: Kind
  state: State
  search: string
  /** Its heading; without one the list stands alone. */
  title?: string
  /** Text of an empty list; without it, an empty list is hidden. */
  none?: string
}

export function PaymentList({ kind, state, search, title, none }: PaymentListProps) {
  const payments = useInfiniteQuery(paymentsQuery(kind, state, search))
  const found = payments.data
  if (payments.isPending) return none ? <Skeleton className="h-64 w-full rounded-lg" /> : null
  if (!found) return <ErrorState error={payments.error} onRetry={() => payments.refetch()} />
  if (found.length === 0) return none ? <EmptyState icon={Banknote} title={none} /> : null
  const list = (
    <ListPages pages={payments} count={paymentCountQuery(kind, state, search)}>
      {found.map((payment) => (
        <Row key={payment.id} kind={kind} payment={payment} />
      ))}
    </ListPages>
  )
  return title ? <AdminSection title={title}>{list}</AdminSection> : list
}

export const tones: Partial<Record<State, Tone>> = {
  held: 'info',
  frozen: 'waiting',
  released: 'success',
  waiting: 'waiting',
  queued: 'info',
  sent: 'success',
  failed: 'danger',
  reversed: 'danger',
}

function Row({ kind, payment }: { kind: Kind; payment: FoundPayment }) {
  const { t } = useTranslation()
  const money = (amount: FoundPayment['total']) => formatMoney(amount, { exact: true })
  const state =
    kind === 'payments'
      ? // A split, or a cancellation with a fee: both sums are in the line below.
        payment.escrow_status === 'refunded' && payment.payout_amount > 0
        ? 'refundedInPart'
        : payment.escrow_status
      : kind === 'payouts'
        ? payment.payout_status
        : payment.refund_status
  const sum =
    kind === 'payments' ? payment.total : kind === 'payouts' ? payment.payout_amount : payment.refund_amount
  const refundRests =
    kind !== 'payouts' &&
    (payment.refund_status === 'failed' || (payment.refund_status === 'queued' && payment.stuck))
  return (
    <li {...holdsFocus(payment.id)} className="px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-[1_1_16rem]">
          <Link
            to={taskPath(payment.task_id)}
            className="inline-block py-1 font-semibold wrap-anywhere text-sky underline-offset-4 hover:underline"
          >
            <bdi>{payment.task_title}</bdi>
          </Link>
          <Parties
            giver={{ id: payment.payer_id, name: payment.payer_name }}
            tasker={{ id: payment.payee_id, name: payment.payee_name }}
          />
        </div>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {state !== 'none' && (
            <Badge tone={(state === 'refundedInPart' ? undefined : tones[state]) ?? 'neutral'}>
              {t(`backOffice.money.states.${state}`)}
            </Badge>
          )}
          {/* At the end of every row, so that the sums form a column. */}
          <span className="tabular min-w-24 text-lg font-semibold sm:text-end">{money(sum)}</span>
        </p>
      </div>
      <p className="tabular flex flex-wrap items-baseline gap-x-4 text-sm text-ink-soft">
        <span>
          {t(payment.escrow_status === 'pending' ? 'backOffice.money.ofUnpaid' : 'backOffice.money.of', {
            amount: money(payment.amount),
            total: money(payment.total),
          })}
        </span>
        {payment.payout_amount > 0 && kind !== 'payouts' && (
          <span>{t('backOffice.money.payout', { amount: money(payment.payout_amount) })}</span>
        )}
        {payment.refund_amount > 0 && kind !== 'refunds' && (
          <span>{t('backOffice.money.refund', { amount: money(payment.refund_amount) })}</span>
        )}
        {payment.lost_amount > 0 && (
          <span>{t('backOffice.money.lost', { amount: money(payment.lost_amount) })}</span>
        )}
        <span>{formatDateTime(payment.created_at)}</span>
      </p>
      {(payment.failure || payment.stuck) && (
        <p className="mt-2 flex items-start gap-2 text-sm font-medium text-danger">
          <TriangleAlert aria-hidden className="mt-[0.2em] size-[1em] shrink-0" />
          <span className="wrap-anywhere">
            {payment.failure ?? t('backOffice.money.stuckSince', { at: formatDateTime(payment.updated_at) })}
          </span>
        </p>
      )}
      {refundRests && (
        <RefundRetry
          paymentId={payment.id}
          amount={payment.refund_amount}
          giver={payment.payer_name || t('admin.unnamed')}
        />
      )}
    </li>
  )
}
