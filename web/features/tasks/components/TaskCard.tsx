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
import { Stars } from '../../../ui/Stars.tsx'
import { TicketCard } from '../../../ui/TicketCard.tsx'
import type { Reasons, Task } from '../api/openTasks.ts'
import { TaskFacts } from './TaskFacts.tsx'
import { WhyThisTask } from './WhyThisTask.tsx'

const ACTIONS_CLASSES =
  'flex flex-wrap items-center gap-x-2 gap-y-1 @lg:flex-col @lg:items-stretch @lg:justify-end @lg:gap-3'

/** On a narrow card lower than a thumb needs: what is around it answers, too. */
const ACTION_CLASSES =
  '@max-lg:px-2.5 @max-lg:after:absolute @max-lg:after:inset-x-0 @max-lg:after:-inset-y-1'

/** The small photo of a task next to its title. */
export const CARD_PHOTO_CLASSES =
  'mt-2.5 size-20 shrink-0 rounded-md border border-line object-cover max-sm:mt-1 max-sm:size-12'

/**
 * One open task in the list. `reader`: whose figure it shows; `applied`: they did; `suits`: it fits them; `reasons`: why; `km`: how
 * far it is.
 */
export const TaskCard = memo(function TaskCard({
  task,
  reader,
  applied,
  suits,
  reasons,
  km,
}: {
  task: Task
  reader: PriceReader
  applied: boolean
  suits: boolean
  reasons?: Reasons | null | undefined
  km?: number | undefined
}) {
  const { t } = useTranslation()
  const path = taskPath(task.id)
  const canAccept = reader === 'tasker' && !applied
  return (
    <TicketCard
      head={<Head task={task} suits={suits} reasons={reasons} />}
      facts={<TaskFacts task={task} km={km} />}
      price={<PriceFigure price={priceOf(task.pay_amount)} reader={reader} size="corner" />}
      foot={
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-ink-soft max-sm:gap-y-0.5 max-sm:text-[0.8125rem]">
          {task.giver && (
            <p className="flex min-w-0 items-center gap-2 max-sm:gap-1.5">
              <Avatar
                name={task.giver.full_name}
                src={task.giver.avatar_url}
                size="xs"
                className="max-sm:size-5 max-sm:text-[0.5625rem]"
              />
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
      }
      actionsClassName={ACTIONS_CLASSES}
      actions={
        <>
          {canAccept && (
            <p className="text-sm text-ink-soft @max-lg:min-w-19 @max-lg:flex-1 @max-lg:text-[0.6875rem] @max-lg:leading-tight @lg:order-1 @lg:text-center">
              {t('tasks.acceptHint')}
            </p>
          )}
          <div className="relative z-10 flex flex-wrap items-center justify-end gap-1 @max-lg:grow @lg:flex-col @lg:items-stretch @lg:gap-2">
            {reader === 'giver' && <Badge className="@lg:self-start">{t('tasks.ownTask')}</Badge>}
            {applied && (
              <Badge tone="info" className="@lg:self-start">
                {t('tasks.appliedBadge')}
              </Badge>
            )}
            {canAccept && (
              <Button asChild size="sm" className={ACTION_CLASSES}>
                <Link to={path} aria-label={t('tasks.acceptTaskNamed', { title: task.title })}>
                  {t('tasks.acceptTask')}
                </Link>
              </Button>
            )}
            <Button asChild size="sm" variant={canAccept ? 'ghost' : 'secondary'} className={ACTION_CLASSES}>
              <Link to={path} aria-label={t('tasks.viewDetailsOf', { title: task.title })}>
                {t('tasks.viewDetails')}
              </Link>
            </Button>
          </div>
        </>
      }
    />
  )
})

type HeadProps = { task: Task; suits: boolean; reasons: Reasons | null | undefined }

function Head({ task, suits, reasons }: HeadProps) {
  const { t } = useTranslation()
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft max-sm:flex-nowrap max-sm:text-[0.8125rem] max-sm:leading-snug max-sm:whitespace-nowrap">
        <span className="flex min-w-0 items-center gap-1.5 font-semibold">
          <CategoryIcon category={task.category} className="size-4 shrink-0" />
          <span className="max-sm:truncate">{categoryText(t, task.category)}</span>
        </span>
        {suits && (
          <span className="flex items-center gap-1 font-semibold text-wheat-ink">
            <Sparkles aria-hidden className="size-4" />
            <span>{t('tasks.matches')}</span>
          </span>
        )}
        <RelativeTime at={task.created_at} className="ms-auto text-ink-faint" />
      </p>
      <div className="flex items-start gap-4 max-sm:gap-3">
        <div className="min-w-0 flex-1">
          <h2
            dir="auto"
            className="cut-words mt-2 line-clamp-2 text-xl leading-snug wrap-anywhere max-sm:mt-0.5 max-sm:text-[1.0625rem] max-sm:leading-[1.2]"
          >
            <Link to={taskPath(task.id)} className="card-link outline-none after:absolute after:inset-0">
              {task.title}
            </Link>
          </h2>
          {reasons && <WhyThisTask reasons={reasons} />}
          {/* On a phone the list is for choosing what to read: two cards fit, the description is a tap away. */}
          <p dir="auto" className="cut-words mt-1.5 line-clamp-2 text-ink-soft max-sm:hidden">
            {task.description}
          </p>
        </div>
        {/* The title next to it says what it shows. */}
        {task.photos[0] && !task.hidden_for && (
          <img
            src={publicPhoto(task.photos[0], { small: true })}
            alt=""
            loading="lazy"
            className={CARD_PHOTO_CLASSES}
          />
        )}
      </div>
    </>
  )
}

/** How many have applied and wait for an answer; nothing where nobody has counted, as in what an earlier version kept. */
export function ApplicationsCount({ count }: { count: number | null | undefined }) {
  const { t } = useTranslation()
  if (typeof count !== 'number') return null
  return (
    <span className={classes('flex shrink-0 items-center gap-1.5', count === 0 && 'text-ink-faint')}>
      <Users aria-hidden className="size-4 shrink-0" />
      <span>{t('tasks.applications', { count })}</span>
    </span>
  )
}

/** A card that is about to be filled. */
export function TaskCardSkeleton() {
  return (
    <TicketCard
      head={
        <>
          <Skeleton className="w-28" />
          <Skeleton className="mt-3 h-6 w-3/4 max-sm:mt-1.5" />
          <Skeleton className="mt-3 w-full max-sm:hidden" />
          <Skeleton className="mt-2 w-2/3 max-sm:hidden" />
        </>
      }
      facts={
        <>
          <Skeleton className="w-40 max-sm:h-5" />
          <Skeleton className="mt-2 w-32 max-sm:mt-1 max-sm:h-5" />
        </>
      }
      price={<Skeleton className="h-9 w-24" />}
      foot={<Skeleton className="h-7 w-36 max-sm:h-5" />}
      actionsClassName={ACTIONS_CLASSES}
      actions={<Skeleton className="ms-auto h-9 w-28 @lg:w-full" />}
    />
  )
}
