// A task as a card: what, where and when, and the pay large in its aside.
import { Sparkles, Users } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { taskPath } from '../../../lib/paths.ts'
import { publicPhoto } from '../../../lib/photoAddress.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { Link } from '../../../ui/Link.tsx'
import { PriceFigure, type PriceReader } from '../../../ui/PriceSplit.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { SplitCard } from '../../../ui/SplitCard.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import type { Task } from '../api/openTasks.ts'
import { TaskFacts } from './TaskFacts.tsx'

const ASIDE_CLASSES =
  'flex flex-wrap items-center justify-between gap-x-4 gap-y-3 @lg:w-48 @lg:flex-col @lg:items-stretch'

/** The small photo of a task beside its title. */
export const CARD_PHOTO_CLASSES = 'mt-2.5 size-20 shrink-0 rounded-md border border-line object-cover'

/** One open task in the list. `reader`: whose figure it shows; `applied`: they did; `suits`: it fits them. */
export const TaskCard = memo(function TaskCard({
  task,
  reader,
  applied,
  suits,
}: {
  task: Task
  reader: PriceReader
  applied: boolean
  suits: boolean
}) {
  const { t } = useTranslation()
  const path = taskPath(task.id)
  const canAccept = reader === 'tasker' && !applied
  return (
    <SplitCard
      className="h-full"
      asideClassName={ASIDE_CLASSES}
      aside={
        <>
          <PriceFigure price={priceOf(task.pay_amount)} reader={reader} size="large" />
          <div
            className={classes(
              'relative z-10 flex flex-wrap items-center gap-2 @lg:flex-col @lg:items-stretch',
              canAccept && '@max-lg:w-full',
            )}
          >
            {reader === 'giver' && <Badge className="self-start">{t('tasks.ownTask')}</Badge>}
            {applied && (
              <Badge tone="info" className="self-start">
                {t('tasks.appliedBadge')}
              </Badge>
            )}
            {canAccept && (
              <>
                <Button asChild size="sm" className="@max-lg:flex-1">
                  <Link to={path} aria-label={t('tasks.acceptTaskNamed', { title: task.title })}>
                    {t('tasks.acceptTask')}
                  </Link>
                </Button>
                <p className="text-sm text-ink-soft @max-lg:order-last @max-lg:basis-full @lg:text-center">
                  {t('tasks.acceptHint')}
                </p>
              </>
            )}
            <Button asChild size="sm" variant={canAccept ? 'ghost' : 'secondary'}>
              <Link to={path} aria-label={t('tasks.viewDetailsOf', { title: task.title })}>
                {t('tasks.viewDetails')}
              </Link>
            </Button>
          </div>
        </>
      }
    >
      <div className="flex h-full flex-col">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
          <span className="flex items-center gap-1.5 font-semibold">
            <CategoryIcon category={task.category} className="size-4" />
            <span>{categoryText(t, task.category)}</span>
          </span>
          {suits && (
            <span className="flex items-center gap-1 font-semibold text-wheat-ink">
              <Sparkles aria-hidden className="size-4" />
              <span>{t('tasks.matches')}</span>
            </span>
          )}
          <RelativeTime at={task.created_at} className="ms-auto text-ink-faint" />
        </p>
        <div className="flex items-start gap-4">
          <div className="min-w-0 flex-1">
            <h2 dir="auto" className="cut-words mt-2 line-clamp-2 text-xl leading-snug wrap-anywhere">
              <Link to={path} className="card-link outline-none after:absolute after:inset-0">
                {task.title}
              </Link>
            </h2>
            <p dir="auto" className="cut-words mt-1.5 line-clamp-2 text-ink-soft">
              {task.description}
            </p>
          </div>
          {/* The title beside it says what it shows. */}
          {task.photos[0] && !task.hidden_for && (
            <img
              src={publicPhoto(task.photos[0], { small: true })}
              alt=""
              loading="lazy"
              className={CARD_PHOTO_CLASSES}
            />
          )}
        </div>
        <div className="mt-3.5 mb-4">
          <TaskFacts task={task} />
        </div>
        <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-ink-soft">
          {task.giver && (
            <p className="flex min-w-0 items-center gap-2">
              <Avatar name={task.giver.full_name} src={task.giver.avatar_url} size="xs" />
              <span dir="auto" className="truncate">
                {task.giver.full_name ?? t('ui.deletedUser')}
              </span>
              {(task.giver.total_reviews ?? 0) > 0 && (
                <Stars rating={task.giver.rating ?? 0} className="shrink-0" />
              )}
            </p>
          )}
          <ApplicationsCount count={task.applications_count} />
        </div>
      </div>
    </SplitCard>
  )
})

/** How many have applied and wait for an answer; nothing where nobody has counted, as in what an earlier version kept. */
export function ApplicationsCount({ count }: { count: number | null | undefined }) {
  const { t } = useTranslation()
  if (typeof count !== 'number') return null
  return (
    <span className={classes('flex items-center gap-1.5', count === 0 && 'text-ink-faint')}>
      <Users aria-hidden className="size-4 shrink-0" />
      <span>{t('tasks.applications', { count })}</span>
    </span>
  )
}

/** A card that is about to be filled. */
export function TaskCardSkeleton() {
  return (
    <SplitCard
      className="h-full"
      asideClassName={ASIDE_CLASSES}
      aside={
        <>
          <Skeleton className="h-9 w-24" />
          <Skeleton className="h-9 w-28 @lg:w-full" />
        </>
      }
    >
      <Skeleton className="w-28" />
      <Skeleton className="mt-3 h-6 w-3/4" />
      <Skeleton className="mt-3 w-full" />
      <Skeleton className="mt-2 w-2/3" />
      <Skeleton className="mt-5 w-40" />
      <Skeleton className="mt-2 w-48" />
      <Skeleton className="mt-5 h-7 w-36" />
    </SplitCard>
  )
}
