// How often a task is done: once, or as visits with an end. The visits are shown as they would be, and days can be left out.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useController, useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { clockOfLocation } from '../../../../shared/placeClocks.ts'
import { errorText } from '../../../lib/errorText.ts'
import { instantFromLocal, localFromInstant } from '../../../lib/format.ts'
import {
  dayIn,
  FREQUENCIES,
  type Frequency,
  NEW_REPEAT,
  repeatsFromTyped,
  spanOf,
  type TypedRepeat,
  typedRepeat,
} from '../../../lib/repeats.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { Button } from '../../../ui/Button.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { RepeatSummary } from '../../../ui/RepeatSummary.tsx'
import { Select } from '../../../ui/Select.tsx'
import { repeatPreviewQuery } from '../api/repeats.ts'
import type { TaskField } from '../fields.ts'
import { payFrom, type TaskForm } from '../schema.ts'

export function RepeatInput({ field }: { field: TaskField }) {
  const { t } = useTranslation()
  const { setValue, formState } = useFormContext<TaskForm>()
  const errorOf = useErrorText()
  const { field: control, fieldState } = useController<TaskForm, 'repeats'>({ name: 'repeats' })
  const typed = control.value
  const repeat = typedRepeat(typed ?? '')
  const error = errorOf(fieldState.error)
  const parts = useRef<HTMLDivElement>(null)
  // A form that is refused for its repeat goes to its first empty control, otherwise to how often it is done.
  const { ref } = control
  useEffect(() => {
    ref({
      focus: () => {
        const controls = [...(parts.current?.querySelectorAll<HTMLInputElement>('select, input') ?? [])]
        const empty = controls.find(({ value }) => value === '')
        ;(empty ?? controls[0])?.focus()
      },
    })
  }, [ref])
  const write = (next: TypedRepeat | null) =>
    setValue('repeats', next ? JSON.stringify(next) : '', {
      shouldDirty: true,
      shouldValidate: formState.isSubmitted,
    })
  const change = (part: Partial<TypedRepeat>) => write({ ...(repeat ?? NEW_REPEAT), ...part })
  return (
    <div ref={parts} className="flex flex-col gap-4">
      <Field label={t(field.label)} {...(repeat && { hint: t(hintOf(repeat)) })} optional>
        <Select
          value={repeat?.every ?? ''}
          onChange={({ target }) =>
            target.value === '' ? write(null) : change({ every: target.value as Frequency })
          }
        >
          <option value="">{t('repeats.once')}</option>
          {FREQUENCIES.map((every) => (
            <option key={every} value={every}>
              {t(`repeats.every.${every}`)}
            </option>
          ))}
        </Select>
      </Field>
      {repeat && (
        <div className="flex flex-col gap-4 rounded-lg bg-sunken p-4 max-sm:p-3">
          {repeat.every === 'snowfall' ? (
            <SnowFields repeat={repeat} onChange={change} />
          ) : (
            <EndFields repeat={repeat} onChange={change} />
          )}
          {error && <FieldError>{error}</FieldError>}
          <Visits typed={typed ?? ''} repeat={repeat} onChange={change} />
        </div>
      )}
    </div>
  )
}

const hintOf = ({ every }: TypedRepeat) => (every === 'snowfall' ? 'repeats.hintSnow' : 'repeats.hint')

type PartProps = { repeat: TypedRepeat; onChange: (part: Partial<TypedRepeat>) => void }

function EndFields({ repeat, onChange }: PartProps) {
  const { t } = useTranslation()
  return (
    <>
      <RadioCards
        legend={t('repeats.ends')}
        name="repeat-ends"
        value={repeat.ends}
        onChange={({ target }) => onChange({ ends: target.value as TypedRepeat['ends'] })}
        options={[
          { value: 'count', title: t('repeats.endsAfter') },
          { value: 'until', title: t('repeats.endsOn') },
        ]}
      />
      {repeat.ends === 'count' ? (
        <Count repeat={repeat} onChange={onChange} />
      ) : (
        <Until repeat={repeat} onChange={onChange} />
      )}
    </>
  )
}

function SnowFields({ repeat, onChange }: PartProps) {
  const { t } = useTranslation()
  return (
    <>
      <p className="text-ink-soft">{t('repeats.snowHint')}</p>
      <Field label={t('repeats.cm')} required className="sm:max-w-xs">
        <Input
          inputMode="numeric"
          value={repeat.cm}
          onChange={({ target }) => onChange({ cm: target.value })}
        />
      </Field>
      <Until repeat={repeat} onChange={onChange} />
      <Count repeat={repeat} onChange={onChange} />
    </>
  )
}

function Count({ repeat, onChange }: PartProps) {
  const { t } = useTranslation()
  return (
    <Field
      label={t(repeat.every === 'snowfall' ? 'repeats.most' : 'repeats.count')}
      required
      className="sm:max-w-xs"
    >
      <Input
        inputMode="numeric"
        value={repeat.count}
        onChange={({ target }) => onChange({ count: target.value })}
      />
    </Field>
  )
}

function Until({ repeat, onChange }: PartProps) {
  const { t } = useTranslation()
  return (
    <Field
      label={t(repeat.every === 'snowfall' ? 'repeats.season' : 'repeats.until')}
      required
      className="sm:max-w-xs"
    >
      <DateInput
        min={localFromInstant(new Date()).slice(0, 10)}
        value={repeat.until}
        onChange={({ target }) => onChange({ until: target.value })}
      />
    </Field>
  )
}

/** The visits as they would be, each a button that leaves its day out, and their sum in words. */
function Visits({ typed, repeat, onChange }: PartProps & { typed: string }) {
  const { t } = useTranslation()
  const [date, duration, location, pay] = useWatch<
    TaskForm,
    ['scheduled_date', 'duration_minutes', 'location', 'pay_amount']
  >({ name: ['scheduled_date', 'duration_minutes', 'location', 'pay_amount'] })
  const place = useDebounced(location, 400)
  const written = repeatsFromTyped(useDebounced(typed, 300))
  const all = written && { ...written }
  if (all) delete all.except
  const snow = repeat.every === 'snowfall'
  const ready = all !== null && duration !== '' && (snow ? date === '' : date !== '')
  const { data, error } = useQuery({
    ...repeatPreviewQuery({
      repeats: all,
      at: instantFromLocal(date, clockOfLocation(place)),
      minutes: Number(duration) || null,
      location: place,
    }),
    enabled: ready,
  })
  if (error) return <FieldError>{errorText(error)}</FieldError>
  if (!ready || !data || !written)
    return <p className="text-sm text-ink-soft">{t(snow ? 'repeats.needsDuration' : 'repeats.needsTime')}</p>
  const dayOf = (at: string) => localFromInstant(at, data.time_zone).slice(0, 10)
  const kept = data.times.filter((at) => !repeat.except.includes(dayOf(at)))
  const toggle = (day: string) =>
    onChange({
      except: repeat.except.includes(day)
        ? repeat.except.filter((other) => other !== day)
        : [...repeat.except.filter((other) => data.times.some((at) => dayOf(at) === other)), day].sort(),
    })
  return (
    <div className="flex flex-col gap-3">
      {data.times.length > 1 && (
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm font-semibold text-ink-soft">{t('repeats.leaveOut')}</legend>
          <ul className="flex flex-wrap gap-2">
            {data.times.map((at, nth) => (
              <li key={at}>
                <Button
                  variant="secondary"
                  size="sm"
                  disabled={nth === 0}
                  aria-pressed={!repeat.except.includes(dayOf(at))}
                  className="tabular min-h-11 not-aria-pressed:text-ink-faint not-aria-pressed:line-through aria-pressed:border-wheat-ink aria-pressed:bg-wheat-soft aria-pressed:text-wheat-ink"
                  onClick={() => toggle(dayOf(at))}
                >
                  {dayIn(at, data.time_zone)}
                </Button>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
      <div role="status">
        <RepeatSummary
          repeats={written}
          span={spanOf(written, kept, data.time_zone)}
          timeZone={data.time_zone}
          amount={payFrom(pay)}
        />
      </div>
    </div>
  )
}
