// When the work should begin, and how long it takes: only taskers who are free then are listed.
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDuration, localFromInstant } from '../../../lib/format.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { DateInput } from '../../../ui/DateInput.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { isComing, LENGTHS, type TaskerFilters } from '../filters.ts'

const TYPING_DELAY_MS = 600

type FreeFilterProps = Pick<TaskerFilters, 'free' | 'minutes'> & {
  onChange: (change: Partial<TaskerFilters>) => void
}

export function FreeFilter({ free, minutes, onChange }: FreeFilterProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(free)
  const [before, setBefore] = useState(free)
  // The address changed by itself (back, forward, a cleared filter): the field follows it.
  if (free !== before) {
    setBefore(free)
    setTyped(free)
  }
  const settled = useDebounced(typed, TYPING_DELAY_MS)
  useEffect(() => {
    if (settled !== typed || settled === free) return
    if (settled === '') onChange({ free: '', minutes: '' })
    else if (isComing(settled)) onChange({ free: settled, minutes: minutes || LENGTHS[0] })
  }, [settled, typed, free, minutes, onChange])
  const wrong = settled === typed && typed !== '' && !isComing(typed)
  return (
    <>
      <Field
        label={t('hours.freeOn')}
        {...(wrong && { error: t('hours.freeWrong') })}
        className="max-sm:relative max-sm:shrink-0"
      >
        {/* On a phone, where labels are hidden, an empty date does not say what it narrows. */}
        <div className="max-sm:flex max-sm:items-center max-sm:gap-2">
          <span aria-hidden className="text-ink-soft sm:hidden">
            {t('hours.freeOn')}
          </span>
          <DateInput
            withTime
            min={localFromInstant(new Date())}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      </Field>
      {free && (
        <Field label={t('hours.freeFor')} className="max-sm:relative max-sm:w-auto max-sm:shrink-0">
          <Select value={minutes} onChange={(event) => onChange({ minutes: event.target.value })}>
            {LENGTHS.map((length) => (
              <option key={length} value={length}>
                {formatDuration(Number(length))}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </>
  )
}
