// The four figures at the head of the dashboard.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { cents } from '../../../shared/money.ts'
import { formatNumber } from '../../lib/format.ts'
import { type Role, useUserId } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Money } from '../../ui/Money.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { earningsQuery } from './api/queries.ts'

type Standing = { rating: number; total_reviews: number; completed_tasks: number }

export function Stats({
  profile,
  role,
  posted,
}: {
  profile: Standing | undefined
  role: Role | null
  /** How many tasks a giver has posted. */
  posted: number | undefined
}) {
  const { t } = useTranslation()
  const earnings = useQuery(earningsQuery(useUserId()))
  const tasks = role === 'task_giver' ? posted : profile?.completed_tasks
  return (
    <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <Stat label={t('dashboard.rating')} value={profile && Number(profile.rating).toFixed(1)} />
      <Stat label={t('dashboard.totalReviews')} value={profile && formatNumber(profile.total_reviews)} />
      <Stat
        label={t(role === 'task_giver' ? 'dashboard.postedTasks' : 'dashboard.completedTasks')}
        value={role && tasks !== undefined && formatNumber(tasks)}
      />
      <Stat
        label={t('dashboard.earnings')}
        value={!earnings.isPending && <Money amount={earnings.data ?? cents(0)} />}
        hint={t('dashboard.earningsHint')}
      />
    </dl>
  )
}

function Stat({ label, value, hint }: { label: string; value: ReactNode; hint?: string }) {
  return (
    <Card className="flex flex-col p-4 sm:p-5">
      <dt className="font-medium text-ink-soft">{label}</dt>
      <dd className="tabular mt-2 font-display text-3xl font-semibold">
        {value || <Skeleton className="h-9 w-16" />}
        {hint && <span className="mt-1 block font-sans text-sm font-normal text-ink-faint">{hint}</span>}
      </dd>
    </Card>
  )
}
