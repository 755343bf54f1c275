// The four figures of the dashboard.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatRating } from '../../../lib/format.ts'
import { type Role, useUserId } from '../../../lib/session.tsx'
import { useOnline } from '../../../lib/useOnline.ts'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Money } from '../../../ui/Money.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { earningsQuery, spendingQuery } from '../api/queries.ts'

type Standing = { rating: number; total_reviews: number; completed_tasks: number }

export function Stats({
  profile,
  role,
  posted,
  className,
}: {
  profile: Standing
  role: Role | null
  /** How many tasks a giver has posted. */
  posted: number | undefined
  className?: string
}) {
  const { t } = useTranslation()
  const userId = useUserId()
  const online = useOnline()
  const earnings = useQuery(earningsQuery(userId))
  const spending = useQuery(spendingQuery(userId, role))
  const gives = role === 'task_giver'
  // Givers care about what they have spent, not earned.
  const money = gives ? spending : earnings
  const tasks = gives ? posted : profile.completed_tasks
  return (
    <dl
      className={classes(
        'grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4',
        className,
      )}
    >
      <Stat
        label={t('dashboard.rating')}
        value={formatRating(Number(profile.rating))}
        hint={profile.total_reviews === 0 ? t('dashboard.ratingNone') : undefined}
      />
      <Stat label={t('dashboard.totalReviews')} value={formatNumber(profile.total_reviews)} />
      <Stat
        label={t(gives || !role ? 'dashboard.postedTasks' : 'dashboard.completedTasks')}
        hidden={!role}
        value={role && tasks !== undefined && formatNumber(tasks)}
      />
      <Stat
        label={t(gives ? 'dashboard.spent' : 'dashboard.earnings')}
        hidden={!role}
        value={
          money.isLoadingError && !online ? (
            // The bar of a lost connection says when it comes.
            '–'
          ) : money.isLoadingError ? (
            <Button variant="secondary" size="sm" onClick={() => money.refetch()}>
              {t('ui.tryAgain')}
            </Button>
          ) : (
            role && money.data !== undefined && <Money amount={money.data} />
          )
        }
        hint={
          !gives ? (
            t('dashboard.earningsHint')
          ) : earnings.data === undefined ? (
            earnings.isPending && <Skeleton fits className="h-5 w-24" />
          ) : (
            <>
              <span>{t('dashboard.earnings')}</span> <Money amount={earnings.data} />
            </>
          )
        }
      />
    </dl>
  )
}

function Stat({
  label,
  value,
  hint,
  hidden = false,
}: {
  label: string
  value: ReactNode
  hint?: ReactNode
  /** The label is not known yet. */
  hidden?: boolean
}) {
  return (
    <div className="flex flex-col bg-surface p-4 sm:px-6 sm:py-5">
      <dt className="text-sm font-medium text-ink-soft sm:text-base">
        {hidden ? <Skeleton fits className="h-6 w-24" /> : label}
      </dt>
      <dd className="tabular mt-1 font-display text-2xl font-semibold sm:text-3xl [&_bdi]:whitespace-normal">
        {value ? <span>{value}</span> : <Skeleton fits className="h-[1lh] w-16" />}
        {hint && (
          <span className="in-page-order mt-1 block font-sans text-sm font-normal text-ink-faint">
            {hint}
          </span>
        )}
      </dd>
    </div>
  )
}
