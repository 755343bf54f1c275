// The history of payouts: jobs with their statements, payouts to the bank, reasons of failures, and remedies.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Cents } from '../../../../shared/money.ts'
import { formatCalendarDay, formatDate, formatMoney } from '../../../lib/format.ts'
import { receiptPath } from '../../../lib/paths.ts'
import { receiptCountQuery, receiptNumber } from '../../../lib/queries/receipt.ts'
import { payoutRefusal } from '../../../lib/refusals.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { MorePages } from '../../../ui/MorePages.tsx'
import { NotYetKnown, Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { depositsQuery, type Statement, statementsQuery } from '../api/history.ts'
import { depositTones, reasonOf, stateOf, stateTones } from '../states.ts'

export function PayoutHistory() {
  const { t } = useTranslation()
  const userId = useUserId()
  const statements = useInfiniteQuery(statementsQuery(userId))
  const list = useRef<HTMLUListElement>(null)
  const total = useQuery({ ...receiptCountQuery(userId, 'statement'), enabled: statements.hasNextPage }).data
  const rows = statements.data?.pages.flat()
  return (
    <section aria-labelledby="payout-history" className="flex flex-col gap-4 border-t border-line pt-6">
      <h2 id="payout-history" className="text-2xl">
        {t('payouts.history')}
      </h2>
      {statements.isLoadingError ? (
        <ErrorState error={statements.error} onRetry={() => statements.refetch()} />
      ) : !rows ? (
        <Skeleton className="h-24 w-full" />
      ) : rows.length === 0 ? (
        <EmptyState icon={Wallet} title={t('payouts.noPayouts')} body={t('payouts.noPayoutsBody')} />
      ) : (
        <ul ref={list} className="divide-y divide-line border-y border-line">
          {rows.map((row) => (
            <StatementRow key={row.id} statement={row} />
          ))}
        </ul>
      )}
      <MorePages
        pages={statements}
        list={list}
        shown={rows?.length ?? 0}
        total={total}
        label={t('payouts.more')}
      />
      <Deposits />
    </section>
  )
}

function StatementRow({ statement }: { statement: Statement }) {
  const { t } = useTranslation()
  const state = stateOf(statement)
  const next =
    state === 'sent' || state === 'queued'
      ? undefined
      : state === 'failed'
        ? t(`payouts.refused.${payoutRefusal(statement.payment.failures)}`)
        : t(`payouts.next.${state}`)
  return (
    <Row
      title={
        <Link to={receiptPath(statement.id)} className="font-semibold wrap-anywhere text-sky hover:underline">
          <bdi>{statement.task_title}</bdi>
        </Link>
      }
      about={`${receiptNumber(statement)} · ${formatDate(statement.issued_at)}`}
      note={next}
      badge={<Badge tone={stateTones[state]}>{t(`payouts.states.${state}`)}</Badge>}
      amount={statement.payment.payout_amount}
    />
  )
}

function Deposits() {
  const { t } = useTranslation()
  const deposits = useQuery(depositsQuery(useUserId()))
  if (deposits.isLoadingError) return <ErrorState error={deposits.error} onRetry={() => deposits.refetch()} />
  if (deposits.isPending) return <NotYetKnown />
  if (!deposits.data?.length) return null
  return (
    <div className="mt-2 flex flex-col gap-3">
      <h3 className="text-xl">{t('payouts.deposits')}</h3>
      <p className="max-w-prose text-ink-soft">{t('payouts.depositsBody')}</p>
      <ul className="divide-y divide-line border-y border-line">
        {deposits.data.map(({ id, bank_last4, created_at, arrival_date, status, failure_code, amount }) => (
          <Row
            key={id}
            title={bank_last4 ? t('payouts.toBank', { last4: bank_last4 }) : t('payouts.toAnyBank')}
            about={
              arrival_date && (status === 'pending' || status === 'in_transit')
                ? t('payouts.arrives', { date: formatCalendarDay(arrival_date) })
                : formatDate(created_at)
            }
            note={
              status === 'failed' ? `${t(reasonOf(failure_code))} ${t('payouts.next.returned')}` : undefined
            }
            badge={<Badge tone={depositTones[status]}>{t(`payouts.deposit.${status}`)}</Badge>}
            amount={amount}
          />
        ))}
      </ul>
    </div>
  )
}

/** `note`: the reason and the next step, where there is one. */
function Row({
  title,
  about,
  note,
  badge,
  amount,
}: {
  title: ReactNode
  about: string
  note: string | undefined
  badge: ReactNode
  amount: Cents
}) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <p className="wrap-anywhere">{title}</p>
        <p className="tabular text-sm text-ink-soft">{about}</p>
        {note && <p className="mt-1 max-w-prose text-sm">{note}</p>}
      </div>
      <div className="ms-auto flex items-center gap-3">
        {badge}
        <span translate="no" className="tabular min-w-18 text-end font-semibold">
          {formatMoney(amount, { exact: true })}
        </span>
      </div>
    </li>
  )
}
