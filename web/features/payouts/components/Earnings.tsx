// Earnings month by month: bars to look at, the same figures as a table, and a year's file for the books.
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cents, sum } from '../../../../shared/money.ts'
import { csv } from '../../../lib/csv.ts'
import { download } from '../../../lib/download.ts'
import { formatDay, formatMoney } from '../../../lib/format.ts'
import { receiptNumber } from '../../../lib/queries/receipt.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { earningsQuery, type Month, statementsOfYear } from '../api/history.ts'
import { stateOf } from '../states.ts'
import { MonthChart } from './MonthChart.tsx'

export function Earnings() {
  const { t } = useTranslation()
  const earnings = useQuery(earningsQuery(useUserId()))
  return (
    <section aria-labelledby="earnings" className="flex flex-col gap-4 border-t border-line pt-6">
      <h2 id="earnings" className="text-2xl">
        {t('payouts.earnings')}
      </h2>
      {earnings.isLoadingError ? (
        <ErrorState error={earnings.error} onRetry={() => earnings.refetch()} />
      ) : !earnings.data ? (
        <Skeleton className="h-64 w-full" />
      ) : earnings.data.length === 0 ? (
        <p className="text-ink-soft">{t('payouts.noEarnings')}</p>
      ) : (
        <Year months={earnings.data} />
      )}
    </section>
  )
}

function Year({ months }: { months: Month[] }) {
  const { t } = useTranslation()
  const userId = useUserId()
  // The years that have earnings, the newest first.
  const years = [...new Set(months.map(({ month }) => Number(month.slice(0, 4))))].reverse()
  const [chosen, setChosen] = useState<number>()
  const year = chosen ?? years[0] ?? new Date().getFullYear()
  const twelve = monthsOf(year, months)
  const total = sum(cents(0), ...twelve.map(({ amount }) => amount))
  const saving = useAction(
    {
      run: async () => {
        const rows = await statementsOfYear(userId, year)
        const columns = [
          'date',
          'statement',
          'task',
          'amount',
          'platformFee',
          'gst',
          'paid',
          'status',
        ] as const
        const file = csv([
          columns.map((column) => t(`payouts.columns.${column}`)),
          ...rows.map((row) => [
            formatDay(row.issued_at),
            receiptNumber(row),
            row.task_title,
            row.amount ?? '',
            row.platform_fee ?? '',
            row.gst ?? '',
            row.payment.payout_amount,
            t(`payouts.states.${stateOf(row)}`),
          ]),
        ])
        download(`meadowlark-earnings-${year}.csv`, new Blob([file], { type: 'text/csv;charset=utf-8' }))
      },
    },
    { onError: t('payouts.error') },
  )
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-4">
        <p>
          <span translate="no" className="tabular block font-display text-3xl leading-tight font-bold">
            {formatMoney(total, { exact: true })}
          </span>
          <span className="text-ink-soft">{t('payouts.earnedIn', { year: String(year) })}</span>
        </p>
        <div className="flex flex-wrap items-center gap-3">
          {years.length > 1 && (
            <Select
              aria-label={t('payouts.year')}
              className="w-28"
              value={year}
              onChange={(event) => setChosen(Number(event.target.value))}
            >
              {years.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </Select>
          )}
          <Button variant="secondary" loading={saving.isPending} onClick={() => saving.mutate()}>
            <Download aria-hidden />
            <span>{t('payouts.csv', { year: String(year) })}</span>
          </Button>
        </div>
      </div>
      <MonthChart months={twelve} />
    </>
  )
}

/** All twelve months of a year, those without earnings too. */
function monthsOf(year: number, months: Month[]): Month[] {
  return Array.from({ length: 12 }, (_, index) => {
    const month = `${year}-${String(index + 1).padStart(2, '0')}-01`
    return months.find((one) => one.month === month) ?? { month, amount: cents(0), payouts: 0 }
  })
}
