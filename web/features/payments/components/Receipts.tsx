// A giver's receipts, newest first.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDate, formatMoney } from '../../../lib/format.ts'
import { receiptPath } from '../../../lib/paths.ts'
import { receiptCountQuery, receiptNumber } from '../../../lib/queries/receipt.ts'
import { useUserId } from '../../../lib/session.tsx'
import { MorePages } from '../../../ui/MorePages.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { receiptsQuery } from '../api/receipts.ts'

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
                <span translate="no" className="block font-semibold">
                  {formatMoney(row.total, { exact: true })}
                </span>
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
