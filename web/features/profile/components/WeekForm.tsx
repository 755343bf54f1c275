// The form of a tasker's week: the hours of each weekday, the time between jobs, holidays, and whether others see free times.
import { useEffect, useRef } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../../../i18n/index.ts'
import { errorText } from '../../../lib/errorText.ts'
import { clockName, formatCalendarDay, formatDuration } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveHours } from '../api/hours.ts'
import {
  BUFFERS,
  copiedTo,
  type HoursForm,
  hoursDraft,
  hoursSchema,
  nextHoliday,
  nextSpan,
  problemOf,
  usualWeek,
  WEEKDAYS,
} from '../hours.ts'
import { SaveBar } from './SaveBar.tsx'
import { WeekdayHours } from './WeekdayHours.tsx'

type WeekFormProps = {
  userId: string
  /** Null for a person without hours. */
  saved: HoursForm | null
  /** `example` is a place where it counts. */
  clocks: { timeZone: string; example: string | null }[]
  /** The clock of the place that the profile names. */
  home: string
}

export function WeekForm({ userId, saved, clocks, home }: WeekFormProps) {
  const { t } = useTranslation()
  const form = useZodForm(hoursSchema, {
    defaultValues: saved ?? {
      hours: [],
      time_zone: home,
      buffer_minutes: '30',
      closed_on_holidays: true,
      shows_slots: true,
    },
    draft: hoursDraft(userId),
    draftIsDirty: true,
  })
  const saving = useAction(saveHours(userId), {
    onSuccess: () => {
      form.dropDraft()
      toast.success(t('hours.saved'))
    },
  })
  const holiday = nextHoliday()
  return (
    <Form form={form} submission={saving} onSubmit={saving.mutate} className="flex flex-col gap-6">
      <Week isNew={saved === null} />
      <div className="grid gap-5 sm:grid-cols-2">
        <form.Field name="buffer_minutes" label={t('hours.buffer')} hint={t('hours.bufferHint')}>
          <Select>
            {BUFFERS.map((minutes) => (
              <option key={minutes} value={minutes}>
                {minutes === 0 ? t('hours.noBuffer') : formatDuration(minutes)}
              </option>
            ))}
          </Select>
        </form.Field>
        <form.Field name="time_zone" label={t('hours.clock')}>
          <Select>
            {clocks.map(({ timeZone, example }) => (
              <option key={timeZone} value={timeZone}>
                {example ? `${clockName(timeZone)} (${example})` : clockName(timeZone)}
              </option>
            ))}
          </Select>
        </form.Field>
      </div>
      <div className="flex flex-col gap-2">
        <Checkbox
          label={t('hours.holidays')}
          hint={
            holiday &&
            t('hours.nextHoliday', {
              holiday: holiday.names[currentLanguage()],
              date: formatCalendarDay(holiday.day),
            })
          }
          {...form.register('closed_on_holidays')}
        />
        <Checkbox label={t('hours.shows')} hint={t('hours.showsHint')} {...form.register('shows_slots')} />
      </div>
      {saving.error && <Problem>{errorText(saving.error)}</Problem>}
      <SaveBar form={form} saving={saving.isPending} label={t('hours.save')} />
    </Form>
  )
}

/** The seven days, and for people who begin a usual week. */
function Week({ isNew }: { isNew: boolean }) {
  const { t } = useTranslation()
  const { control } = useFormContext<HoursForm>()
  const { field } = useController<HoursForm, 'hours'>({ control, name: 'hours' })
  const days = useRef<HTMLDivElement>(null)
  // The form goes to the first wrong hours when it cannot be saved.
  const { ref } = field
  useEffect(() => {
    ref({ focus: () => days.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus() })
  }, [ref])
  const hours = field.value
  const change = (next: HoursForm['hours']) => field.onChange(next)
  return (
    <div className="flex flex-col gap-3">
      {isNew && hours.length === 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sky-soft px-4 py-3">
          <p>{t('hours.notSet')}</p>
          <Button variant="secondary" onClick={() => change(usualWeek())}>
            {t('hours.usual')}
          </Button>
        </div>
      )}
      <div ref={days} className="divide-y divide-line border-y border-line">
        {WEEKDAYS.map((weekday) => (
          <WeekdayHours
            key={weekday}
            weekday={weekday}
            spans={hours.flatMap((span, at) =>
              span.weekday === weekday ? [{ ...span, at, problem: problemOf(hours, at) }] : [],
            )}
            onChange={(at, times) =>
              change(hours.map((span, nth) => (nth === at ? { ...span, ...times } : span)))
            }
            onAdd={() => change([...hours, nextSpan(hours, weekday)])}
            onRemove={(at) => change(hours.filter((_span, nth) => nth !== at))}
            onCopy={(weekdays) => change(copiedTo(hours, weekday, weekdays))}
          />
        ))}
      </div>
    </div>
  )
}
