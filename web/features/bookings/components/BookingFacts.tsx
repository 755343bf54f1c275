// The facts of a booking's task: kind, time, duration, place, and the number of a visit.
import { CalendarDays, Clock, House, type LucideIcon, MapPin, Repeat } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatDateTime, formatDuration } from '../../../lib/format.ts'
import { visitText } from '../../../lib/repeats.ts'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { OpenInMaps } from '../../../ui/OpenInMaps.tsx'
import type { Booking } from '../api/queries.ts'

export function BookingFacts({ booking }: { booking: Booking }) {
  const { t } = useTranslation()
  const { task } = booking
  const visit = visitText(booking, t)
  return (
    <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1.5 max-sm:gap-x-4 max-sm:gap-y-1 max-sm:text-sm">
      <li className="flex items-center gap-2">
        <CategoryIcon category={task.category} className="size-4 text-ink-faint" />
        <span>{categoryText(t, task.category)}</span>
      </li>
      <Fact icon={CalendarDays}>
        {task.scheduled_date ? formatDateTime(task.scheduled_date, clockOf(task)) : t('tasks.anyTime')}
      </Fact>
      {visit && <Fact icon={Repeat}>{visit}</Fact>}
      {/* On a phone the place and the duration share a line, where date and duration would take two. */}
      {task.duration_minutes !== null && (
        <Fact icon={Clock} className="max-sm:order-1">
          {t('tasks.about', { duration: formatDuration(task.duration_minutes) })}
        </Fact>
      )}
      <Fact icon={MapPin}>
        <bdi>{task.location}</bdi>
      </Fact>
      {task.address && (
        <Fact icon={House} className="max-sm:order-2">
          {task.address.address}
        </Fact>
      )}
      {(task.point || task.address) && (
        <li className="-my-1.5 max-sm:order-3">
          <OpenInMaps stops={[task.point ?? `${task.address?.address}, ${task.location}`]} of={task.title} />
        </li>
      )}
    </ul>
  )
}

function Fact({
  icon: Icon,
  className,
  children,
}: {
  icon: LucideIcon
  className?: string
  children: ReactNode
}) {
  return (
    <li className={classes('flex min-w-0 items-start gap-2', className)}>
      <Icon aria-hidden className="mt-1 size-4 shrink-0 text-ink-faint" />
      <span className="min-w-0">{children}</span>
    </li>
  )
}
