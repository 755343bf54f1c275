// Tells a tasker before applying that one of their bookings leaves no time for the task.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatMoment, formatTime, withClock } from '../../../lib/format.ts'
import type { Task } from '../api/openTasks.ts'
import { ownClashQuery } from '../api/ownClash.ts'

/** Nothing where no booking of the tasker clashes. */
export function ClashNote({ task }: { task: Pick<Task, 'id' | 'scheduled_date' | 'duration_minutes'> }) {
  const { t } = useTranslation()
  const { data: clash } = useQuery(ownClashQuery(task))
  if (!clash) return null
  return (
    <p className="mb-4 rounded-md bg-wheat-soft p-3 wrap-anywhere">
      {t('hours.clash', {
        task: clash.title,
        from: formatMoment(clash.starts_at),
        until: withClock(formatTime(clash.ends_at), clash.ends_at),
      })}
    </p>
  )
}
