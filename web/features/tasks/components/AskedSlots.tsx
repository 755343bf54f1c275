// Free times of the tasker who is asked first, by days. Choosing one sets the date of the task, and its length if none is set.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { clockOfLocation } from '../../../../shared/placeClocks.ts'
import {
  clockWords,
  formatTime,
  formatWeekday,
  instantFromLocal,
  localFromInstant,
} from '../../../lib/format.ts'
import {
  clocksDiffer,
  type FreeSlot,
  freeSlotsQuery,
  isFree,
  startsIn,
} from '../../../lib/queries/freeSlots.ts'
import { Button } from '../../../ui/Button.tsx'
import type { AskedTasker } from '../api/posting.ts'
import type { TaskForm } from '../schema.ts'

const USUAL_MINUTES = 60
const DAYS_AT_FIRST = 3
const DAYS_AHEAD = 31

/** Nothing for a tasker who shows no free times. */
export function AskedSlots({ tasker }: { tasker: AskedTasker }) {
  const { t } = useTranslation()
  const { setValue } = useFormContext<TaskForm>()
  const [date, duration, location] = useWatch<TaskForm, ['scheduled_date', 'duration_minutes', 'location']>({
    name: ['scheduled_date', 'duration_minutes', 'location'],
  })
  const timeZone = clockOfLocation(location)
  const minutes = Number(duration) || USUAL_MINUTES
  const { data: slots } = useQuery(freeSlotsQuery(tasker.id, minutes, DAYS_AHEAD))
  const [shown, setShown] = useState(DAYS_AT_FIRST)
  if (!slots || slots.length === 0) return null
  const name = tasker.full_name
  const days = daysOf(slots, minutes, timeZone)
  const choose = (start: Date) => {
    const options = { shouldDirty: true, shouldValidate: true } as const
    setValue('scheduled_date', localFromInstant(start, timeZone), options)
    if (!duration) setValue('duration_minutes', String(USUAL_MINUTES), options)
  }
  const chosen = instantFromLocal(date, timeZone)
  return (
    <section aria-label={t('hours.free', { name })} className="flex flex-col gap-3 rounded-lg bg-sunken p-4">
      <div>
        <h3 className="font-semibold wrap-anywhere">{t('hours.free', { name })}</h3>
        <p className="text-sm text-ink-soft">
          <span>{t('hours.freeHint')}</span>{' '}
          {clocksDiffer(slots, timeZone) && <span>{t('ui.clocks.by', clockWords(timeZone))}</span>}
        </p>
      </div>
      {days.slice(0, shown).map(([day, starts]) => (
        <div key={day} className="flex flex-col gap-1.5">
          <p className="text-sm font-semibold text-ink-soft">{formatWeekday(starts[0] as Date, timeZone)}</p>
          <ul className="flex flex-wrap gap-2">
            {starts.map((start) => (
              <li key={start.getTime()}>
                <Button
                  variant="secondary"
                  size="sm"
                  aria-pressed={chosen !== null && Date.parse(chosen) === start.getTime()}
                  className="tabular min-h-11 aria-pressed:border-wheat-ink aria-pressed:bg-wheat-soft aria-pressed:text-wheat-ink"
                  onClick={() => choose(start)}
                >
                  <time dateTime={start.toISOString()}>{formatTime(start, timeZone)}</time>
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {days.length > shown && (
        <Button variant="link" className="self-start" onClick={() => setShown(shown + DAYS_AT_FIRST)}>
          {t('hours.moreDays')}
        </Button>
      )}
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {chosen && !isFree(slots, chosen, minutes) && t('hours.outside', { name })}
      </p>
    </section>
  )
}

/** The moments at which the work can begin, by the day of a clock. */
function daysOf(slots: FreeSlot[], minutes: number, timeZone: string): [day: string, starts: Date[]][] {
  const days = new Map<string, Date[]>()
  for (const start of startsIn(slots, minutes)) {
    const day = localFromInstant(start, timeZone).slice(0, 10)
    days.set(day, [...(days.get(day) ?? []), start])
  }
  return [...days]
}
