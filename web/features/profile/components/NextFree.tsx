// The next three times in which a tasker is free, on their profile.
import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatTime, formatWeekday, localFromInstant } from '../../../lib/format.ts'
import { postTaskPath } from '../../../lib/paths.ts'
import { clocksDiffer, freeSlotsQuery } from '../../../lib/queries/freeSlots.ts'
import { Button } from '../../../ui/Button.tsx'

const SHOWN = 3
const MINUTES = 60
const DAYS = 14

/** Nothing for a person who shows no free times. `asks`: the reader can ask them for one of these times. */
export function NextFree({ personId, asks }: { personId: string; asks: boolean }) {
  const { t } = useTranslation()
  const id = useId()
  const { data, isPending } = useQuery(freeSlotsQuery(personId, MINUTES, DAYS))
  if (isPending) return <div data-waiting />
  const slots = (data ?? []).slice(0, SHOWN)
  if (slots.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-2xl">
        {t('hours.next')}
      </h2>
      <ul className="mt-3 flex flex-wrap gap-2">
        {slots.map(({ starts_at }) => (
          <li key={starts_at}>
            {asks ? (
              <Button asChild variant="secondary" size="sm" className="min-h-11">
                <Link to={postTaskPath({ ask: personId, at: localFromInstant(starts_at) })}>
                  <FreeTime at={starts_at} />
                </Link>
              </Button>
            ) : (
              <span className="flex items-center gap-2 rounded-full bg-sunken px-3 py-1 font-medium">
                <FreeTime at={starts_at} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {clocksDiffer(slots) && <p className="mt-2 text-sm text-ink-faint">{t('hours.byClock')}</p>}
    </section>
  )
}

function FreeTime({ at }: { at: string }) {
  return (
    <>
      <CalendarClock aria-hidden className="size-4 text-ink-faint" />
      <time dateTime={at}>{`${formatWeekday(at)}, ${formatTime(at)}`}</time>
    </>
  )
}
