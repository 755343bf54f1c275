// Taskers as cards: the face, the trust, the work done.
import { BadgeCheck, CircleCheckBig, MapPin } from 'lucide-react'
import { type ComponentProps, type ComponentType, memo } from 'react'
import { useTranslation } from 'react-i18next'
import { postTaskPath, publicProfilePath } from '../../../lib/paths.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { BadgeSigns } from '../../../ui/EarnedBadges.tsx'
import { Link } from '../../../ui/Link.tsx'
import { Money } from '../../../ui/Money.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import { VirtualGrid } from '../../../ui/VirtualGrid.tsx'
import type { Tasker } from '../api/search.ts'
import type { HeartProps } from './Heart.tsx'

const SHOWN_SKILLS = 3

type TaskerGridProps = Pick<
  ComponentProps<typeof VirtualGrid<Tasker>>,
  'ref' | 'total' | 'className' | 'gradual' | 'onClickCapture'
> & {
  taskers: Tasker[]
  /** The heart in the corner of each. */
  heart: ComponentType<HeartProps>
  /**
   * `asks` is false for taskers, who cannot request a task. Nobody can request one from themselves. A request begins with the time that
   * was searched for: `free`, for `minutes`.
   */
  reader: { id: string | undefined; asks: boolean; free?: string; minutes?: string }
}

/** Taskers side by side, as many as there is room for. */
export function TaskerGrid({ taskers, heart, reader, ...rest }: TaskerGridProps) {
  return (
    <VirtualGrid
      items={taskers}
      columns={{ sm: 2, lg: 3 }}
      gap={10}
      estimate={(columns) => (columns === 1 ? 184 : 320)}
      {...rest}
    >
      {(tasker) => (
        <TaskerCard
          tasker={tasker}
          Heart={heart}
          asks={reader.asks && tasker.id !== reader.id}
          free={reader.free}
          minutes={reader.minutes}
        />
      )}
    </VirtualGrid>
  )
}

type TaskerCardProps = {
  tasker: Tasker
  Heart: ComponentType<HeartProps>
  asks: boolean
  free: string | undefined
  minutes: string | undefined
}

const TaskerCard = memo(function TaskerCard({ tasker, Heart, asks, free, minutes = '' }: TaskerCardProps) {
  const { t } = useTranslation()
  const skills = tasker.skills ?? []
  const profile = publicProfilePath(tasker.id ?? '')
  return (
    <Card asChild interactive className="relative flex h-full flex-col max-sm:px-3 max-sm:pt-2 max-sm:pb-1.5">
      <article>
        <Head tasker={tasker} Heart={Heart} />
        {tasker.bio && (
          <p
            dir="auto"
            className="cut-words mt-3 line-clamp-2 text-ink-soft max-sm:mt-1 max-sm:text-[0.8125rem] max-sm:leading-snug"
          >
            {tasker.bio}
          </p>
        )}
        {skills.length > 0 && <Skills skills={skills} />}
        <div className="mt-auto flex items-end justify-between gap-4 pt-5 max-sm:flex-wrap max-sm:items-center max-sm:gap-1 max-sm:pt-1">
          {tasker.hourly_rate !== null && (
            <p className="in-page-order leading-none whitespace-nowrap">
              <Money amount={tasker.hourly_rate} className="font-display text-2xl font-bold max-sm:text-xl" />
              <span className="text-ink-faint max-sm:text-sm">{t('taskers.perHour')}</span>
            </p>
          )}
          <div className="ms-auto flex flex-wrap justify-end gap-x-1">
            {asks && (
              <Button
                asChild
                variant="secondary"
                size="sm"
                className="relative z-10 whitespace-nowrap max-sm:px-2"
              >
                <Link
                  to={postTaskPath({ ask: tasker.id ?? '', ...(free && { at: free, minutes }) })}
                  aria-label={t('taskers.askNamed', { name: tasker.full_name })}
                >
                  {t('taskers.ask')}
                </Link>
              </Button>
            )}
            {/* The link spans the card: a click anywhere opens the profile, one stop for the keyboard. */}
            <Button
              asChild
              variant="ghost"
              size="sm"
              className="static -me-3 whitespace-nowrap max-sm:-me-2 max-sm:px-2 after:absolute after:inset-0 after:rounded-lg"
            >
              <Link to={profile} aria-label={t('taskers.viewProfileOf', { name: tasker.full_name })}>
                {t('taskers.viewProfile')}
              </Link>
            </Button>
          </div>
        </div>
      </article>
    </Card>
  )
})

function Head({ tasker, Heart }: Pick<TaskerCardProps, 'tasker' | 'Heart'>) {
  const { t } = useTranslation()
  const rating = tasker.rating ?? 0
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 max-sm:items-start max-sm:gap-x-2.5">
      <Avatar
        name={tasker.full_name}
        src={tasker.avatar_url}
        className="size-16 text-xl max-sm:row-span-2 max-sm:size-12 max-sm:text-base"
      />
      <div className="min-w-0">
        <h2 className="flex items-center gap-1.5 text-xl max-sm:text-lg max-sm:leading-tight">
          <span dir="auto" className="truncate">
            {tasker.full_name}
          </span>
          {tasker.is_verified && (
            <BadgeCheck role="img" aria-label={t('ui.verified')} className="size-5 shrink-0 text-success" />
          )}
        </h2>
        <div className="flex flex-wrap items-center gap-x-2 max-sm:gap-x-1.5">
          {rating > 0 && (
            <Stars
              rating={rating}
              count={tasker.total_reviews ?? 0}
              className="text-sm max-sm:leading-snug"
            />
          )}
          <BadgeSigns
            earned={tasker.earned_badges ?? []}
            person={tasker.full_name ?? ''}
            className="relative z-10 -my-1.5 max-sm:-my-2"
          />
        </div>
      </div>
      <Heart
        taskerId={tasker.id ?? ''}
        name={tasker.full_name ?? ''}
        className="relative z-10 -me-2 -mt-2 self-start max-sm:-mb-2"
      />
      <div className="col-span-3 mt-4 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft max-sm:col-span-2 max-sm:mt-0.5 max-sm:gap-x-3 max-sm:gap-y-0 max-sm:text-[0.8125rem] max-sm:leading-snug">
        <span className="tabular flex items-center gap-1.5 max-sm:gap-1">
          <CircleCheckBig aria-hidden className="size-4 text-success" />
          <span>{t('taskers.completed', { count: tasker.completed_tasks ?? 0 })}</span>
        </span>
        {tasker.city && (
          <span className="flex items-center gap-1.5 max-sm:gap-1">
            <MapPin aria-hidden className="size-4" />
            <span>{tasker.city}</span>
          </span>
        )}
      </div>
    </div>
  )
}

function Skills({ skills }: { skills: string[] }) {
  const { t } = useTranslation()
  return (
    <ul className="mt-4 flex flex-wrap gap-1.5 text-sm max-sm:mt-1 max-sm:gap-1 max-sm:text-xs">
      {skills.slice(0, SHOWN_SKILLS).map((skill) => (
        <li
          key={skill}
          dir="auto"
          className="max-w-full truncate rounded-full bg-sunken px-2.5 py-0.5 max-sm:px-1.5"
        >
          {skill}
        </li>
      ))}
      {skills.length > SHOWN_SKILLS && (
        <li className="shrink-0 px-1 py-0.5 text-ink-faint max-sm:px-0.5">
          {t('taskers.moreSkills', { count: skills.length - SHOWN_SKILLS })}
        </li>
      )}
    </ul>
  )
}
