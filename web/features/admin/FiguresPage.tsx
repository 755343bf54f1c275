// /admin/figures: tasks, bookings, money, people and the time a verification takes, week by week or month by month.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { cents } from '../../../shared/money.ts'
import { formatMoney, formatNumber, formatPeriod } from '../../lib/format.ts'
import { BarChart } from '../../ui/BarChart.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { figuresQuery, PERIODS } from './api/figures.ts'

const COUNTS = ['tasks', 'bookings', 'sign_ups'] as const
const SUMS = ['held', 'released', 'fees'] as const

export default function FiguresPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const period = PERIODS.find((known) => known === address.get('by')) ?? 'week'
  const figures = useQuery(figuresQuery(period))
  const running = (value: string) => t(`backOffice.figures.running.${period}`, { value })
  const rows = figures.data
  return (
    <>
      <PageHeader
        title={t('backOffice.figures.title')}
        subtitle={t(`backOffice.figures.subtitle.${period}`)}
        actions={
          <Select
            aria-label={t('backOffice.figures.by')}
            value={period}
            onChange={(event) => setAddress({ by: event.target.value }, { replace: true })}
            className="min-w-40"
          >
            {PERIODS.map((one) => (
              <option key={one} value={one}>
                {t(`backOffice.figures.period.${one}`)}
              </option>
            ))}
          </Select>
        }
      />
      {figures.isPending && <Skeleton className="h-96 w-full rounded-lg" />}
      {figures.isError && !rows && <ErrorState error={figures.error} onRetry={() => figures.refetch()} />}
      {rows && (
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {COUNTS.map((name) => (
            <BarChart
              key={name}
              title={t(`backOffice.figures.${name}`)}
              bars={rows.map((row) => ({ label: formatPeriod(row.starts_on, row.period), value: row[name] }))}
              format={formatNumber}
              running={running}
            />
          ))}
          {SUMS.map((name) => (
            <BarChart
              key={name}
              title={t(`backOffice.figures.${name}`)}
              bars={rows.map((row) => ({ label: formatPeriod(row.starts_on, row.period), value: row[name] }))}
              format={(value) => formatMoney(cents(value))}
              running={running}
            />
          ))}
          <BarChart
            title={t('backOffice.figures.verification_hours')}
            bars={rows.map((row) => ({
              label: formatPeriod(row.starts_on, row.period),
              value: row.verification_hours,
            }))}
            format={(value) => formatNumber(value, { style: 'unit', unit: 'hour', unitDisplay: 'short' })}
            running={running}
          />
        </div>
      )}
    </>
  )
}
