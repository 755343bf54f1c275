// A giver's receipts, newest first.
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cents } from '../../../../shared/money.ts'
import { formatDate, formatMoney } from '../../../lib/format.ts'
import { receiptPath } from '../../../lib/paths.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { receiptCountQuery, receiptNumber } from '../../../lib/queries/receipt.ts'
import { useUserId } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import { MorePages } from '../../../ui/MorePages.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'

const PAGE = 10

const receiptsQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ['payments', 'receipts', userId],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await supabase
        .from('receipts')
        .select(
          'id, kind, number, issued_at, task_title, total, payment:payments!inner(refund_amount, refund_status, lost_amount)',
        )
        .eq('person_id', userId)
        .eq('kind', 'receipt')
        .order('issued_at', { ascending: false })
        .order('id')
        .range(pageParam, pageParam + PAGE - 1)
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => {
        const priced = inCents({ ...row, ...row.payment }, 'total', 'refund_amount', 'lost_amount')
        const isSent = priced.refund_status === 'sent'
        const returned = Math.min(priced.lost_amount + (isSent ? priced.refund_amount : 0), priced.total)
        return { ...priced, returned: cents(returned), returning: isSent ? cents(0) : priced.refund_amount }
      })
    },
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
  })

export function Receipts() {
  const { t } = useTranslation()
  const userId = useUserId()
  const receipts = useInfiniteQuery(receiptsQuery(userId))
  const list = useRef<HTMLUListElement>(null)
  const total = useQuery({ ...receiptCountQuery(userId, 'receipt'), enabled: receipts.hasNextPage }).data
  const rows = receipts.data?.pages.flat()
  return (
    <section aria-labelledby="receipts" className="flex flex-col gap-4 border-t border-line pt-6">
      <h2 id="receipts" className="text-2xl">
        {t('receipts.title')}
      </h2>
      {receipts.isLoadingError ? (
        <ErrorState error={receipts.error} onRetry={() => receipts.refetch()} />
      ) : !rows ? (
        <Skeleton className="h-24 w-full" />
      ) : rows.length === 0 ? (
        <p className="text-ink-soft">{t('receipts.none')}</p>
      ) : (
        <ul ref={list} className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <li key={row.id} className="flex items-start justify-between gap-4 py-3">
              <div className="min-w-0">
                <Link
                  to={receiptPath(row.id)}
                  className="font-semibold wrap-anywhere text-sky hover:underline"
                >
                  <bdi>{row.task_title}</bdi>
                </Link>
                <p className="tabular text-sm text-ink-soft">
                  {`${receiptNumber(row)} · ${formatDate(row.issued_at)}`}
                </p>
              </div>
              <p className="tabular shrink-0 text-end">
                <span className="block font-semibold">{formatMoney(row.total, { exact: true })}</span>
                {row.returned > 0 && (
                  <span className="block text-sm text-ink-soft">
                    {t('receipts.returned', { amount: formatMoney(row.returned, { exact: true }) })}
                  </span>
                )}
                {row.returning > 0 && (
                  <span className="block text-sm text-ink-soft">
                    {t('receipts.returning', { amount: formatMoney(row.returning, { exact: true }) })}
                  </span>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      <MorePages
        pages={receipts}
        list={list}
        shown={rows?.length ?? 0}
        total={total}
        label={t('receipts.more')}
      />
    </section>
  )
}
