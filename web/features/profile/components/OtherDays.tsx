// Days on which a tasker's hours differ: a list, and a small form that adds one.
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatClockTime } from '../../../lib/clocks.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatCalendarDay, localFromInstant } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { Field, Problem } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type OtherDay, otherDaysQuery, removeOtherDay, saveOtherDay } from '../api/hours.ts'
import { endOf } from '../hours.ts'

const NONE: OtherDay[] = []

type OtherDaysProps = {
  userId: string
  /** The clock of the hours. */
  timeZone: string
}

export function OtherDays({ userId, timeZone }: OtherDaysProps) {
  const { t } = useTranslation()
  const id = useId()
  const { data: days = NONE, error: unread } = useQuery(otherDaysQuery(userId, timeZone))
  const removing = useAction(removeOtherDay(userId))
  const failure = unread ?? removing.error
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <div>
        <h3 id={id} className="text-lg">
          {t('hours.days.title')}
        </h3>
        <p className="mt-1 text-ink-soft">{t('hours.days.lead')}</p>
      </div>
      {days.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {days.map(({ day, starts, ends }) => (
            <li key={day} className="flex min-h-13 items-center gap-x-4">
              <span className="min-w-28 font-semibold">{formatCalendarDay(day)}</span>
              <span className="flex-1 text-ink-soft">
                {starts && ends
                  ? `${formatClockTime(starts)} – ${formatClockTime(ends)}`
                  : t('hours.days.off')}
              </span>
              <Button
                variant="ghost"
                size="icon"
                aria-label={t('hours.days.remove', { day: formatCalendarDay(day) })}
                disabled={removing.isPending}
                onClick={() => removing.mutate(day)}
              >
                <Trash2 aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {failure && <Problem>{errorText(failure)}</Problem>}
      <NewDay userId={userId} timeZone={timeZone} />
    </section>
  )
}

function NewDay({ userId, timeZone }: OtherDaysProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState({ day: '', kind: 'off', starts: '09:00', ends: '12:00' })
  const [missing, setMissing] = useState<'day' | 'hours' | null>(null)
  const saving = useAction(saveOtherDay(userId), {
    onSuccess: () => setTyped({ ...typed, day: '' }),
  })
  const change = (next: Partial<typeof typed>) => {
    setMissing(null)
    setTyped({ ...typed, ...next })
  }
  const { day, kind, starts, ends } = typed
  const isOff = kind === 'off'
  const save = () => {
    if (!day) return setMissing('day')
    if (!isOff && !(starts && ends && starts < endOf(ends))) return setMissing('hours')
    saving.mutate({ day, starts: isOff ? null : starts, ends: isOff ? null : endOf(ends) })
  }
  return (
    <div className="flex flex-col gap-4 rounded-md bg-sunken p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('hours.days.day')} {...(missing === 'day' && { error: t('hours.days.choose') })}>
          <DateInput
            value={day}
            min={localFromInstant(new Date(), timeZone).slice(0, 10)}
            onChange={(event) => change({ day: event.target.value })}
          />
        </Field>
        <Field label={t('hours.days.kind')}>
          <Select value={kind} onChange={(event) => change({ kind: event.target.value })}>
            <option value="off">{t('hours.days.off')}</option>
            <option value="other">{t('hours.days.other')}</option>
          </Select>
        </Field>
      </div>
      {!isOff && (
        <div className="grid grid-cols-2 gap-4">
          <Field label={t('hours.days.from')}>
            <Input type="time" value={starts} onChange={(event) => change({ starts: event.target.value })} />
          </Field>
          <Field
            label={t('hours.days.until')}
            {...(missing === 'hours' && {
              error: t(starts && ends ? 'hours.endBeforeStart' : 'hours.missing'),
            })}
          >
            <Input type="time" value={ends} onChange={(event) => change({ ends: event.target.value })} />
          </Field>
        </div>
      )}
      {saving.error && <Problem>{errorText(saving.error)}</Problem>}
      <Button variant="secondary" loading={saving.isPending} onClick={save} className="self-start">
        {t('hours.days.add')}
      </Button>
    </div>
  )
}
