// Tells a tasker before applying that one of their bookings leaves no time for the task, or that their own calendar has something then.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatMoment, formatTime, withClock } from '../../../lib/format.ts'
import type { Task } from '../api/openTasks.ts'
import { ownClashQuery } from '../api/ownClash.ts'

/** Nothing where neither a booking nor a calendar of the tasker clashes. */
export function ClashNote({ task }: { task: Pick<Task, 'id' | 'scheduled_date' | 'duration_minutes'> }) {
  const { t } = useTranslation()
  const { data: clash } = useQuery(ownClashQuery(task))
  if (!clash) return null
  const times = {
    from: formatMoment(clash.starts_at),
    until: withClock(formatTime(clash.ends_at), clash.ends_at),
  }
  return (
    <p className="mb-4 rounded-md bg-wheat-soft p-3 wrap-anywhere">
      {clash.title === null
        ? t('hours.clashCalendar', times)
        : t('hours.clash', { task: clash.title, ...times })}
    </p>
  )
}
