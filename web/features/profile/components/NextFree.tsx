// The next three times in which a tasker is free, on their profile.
import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { clocksDiffer } from '../../../lib/clocks.ts'
import { formatTime, formatWeekday } from '../../../lib/format.ts'
import { freeSlotsQuery } from '../../../lib/queries/freeSlots.ts'

const SHOWN = 3
const MINUTES = 60
const DAYS = 14

/** Nothing for a person who shows no free times. */
export function NextFree({ personId }: { personId: string }) {
  const { t } = useTranslation()
  const { data: slots = [], isPending } = useQuery(freeSlotsQuery(personId, MINUTES, DAYS))
  if (isPending) return <div data-waiting />
  if (slots.length === 0) return null
  return (
    <section>
      <h2 className="text-2xl">{t('hours.next')}</h2>
      <ul className="mt-3 flex flex-wrap gap-2">
        {slots.slice(0, SHOWN).map(({ starts_at }) => (
          <li
            key={starts_at}
            className="flex items-center gap-2 rounded-full bg-sunken px-3 py-1 font-medium"
          >
            <CalendarClock aria-hidden className="size-4 text-ink-faint" />
            <time dateTime={starts_at}>{`${formatWeekday(starts_at)}, ${formatTime(starts_at)}`}</time>
          </li>
        ))}
      </ul>
      {slots.slice(0, SHOWN).some(({ starts_at, time_zone }) => clocksDiffer(starts_at, [time_zone])) && (
        <p className="mt-2 text-sm text-ink-faint">{t('hours.byClock')}</p>
      )}
    </section>
  )
}
