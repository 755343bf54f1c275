// Where and when a task is: the two facts people look for first.
import { CalendarDays, Clock, type LucideIcon, MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration } from '../../../lib/format.ts'

type Facts = { location: string; scheduled_date: string | null; duration_minutes: number | null }

/** Place, time and length of a task, each with its sign. */
export function TaskFacts({ task }: { task: Facts }) {
  const { t } = useTranslation()
  return (
    <ul className="flex flex-col gap-1.5 @max-lg:flex-row @max-lg:flex-wrap @max-lg:gap-x-2 @max-lg:gap-y-0 @max-lg:text-[0.8125rem] @max-lg:leading-snug">
      <Fact icon={MapPin}>{task.location}</Fact>
      <Fact icon={CalendarDays}>
        {task.scheduled_date ? (
          <time dateTime={task.scheduled_date}>{formatDateTime(task.scheduled_date)}</time>
        ) : (
          t('tasks.anyTime')
        )}
      </Fact>
      {task.duration_minutes !== null && (
        <Fact icon={Clock}>{t('tasks.about', { duration: formatDuration(task.duration_minutes) })}</Fact>
      )}
    </ul>
  )
}

function Fact({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-start gap-2 @max-lg:gap-1">
      <Icon aria-hidden className="mt-[0.3em] size-[1em] shrink-0 text-ink-faint" />
      <span dir="auto" className="cut-words line-clamp-2 min-w-0 @max-lg:line-clamp-1">
        {children}
      </span>
    </li>
  )
}
