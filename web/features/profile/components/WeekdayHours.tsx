// The hours of a weekday: rows of from and until, and copying them to other days.
import { Copy, Plus, Trash2 } from 'lucide-react'
import { useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../../../i18n/index.ts'
import { formatWeekdayName } from '../../../lib/clocks.ts'
import { Button } from '../../../ui/Button.tsx'
import { DropdownMenu, MenuItem } from '../../../ui/DropdownMenu.tsx'
import { FieldError } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { type Span, WEEKDAYS } from '../hours.ts'

type WeekdayHoursProps = {
  /** Monday is 1. */
  weekday: number
  /** `at` is the place in the list of all days. */
  spans: (Span & { at: number; problem: TextKey | null })[]
  onChange: (at: number, times: Partial<Span>) => void
  onAdd: () => void
  onRemove: (at: number) => void
  onCopy: (weekdays: readonly number[]) => void
}

/** As public.save_hours allows. */
const MOST_A_DAY = 6

/** Without the browser's clock sign, which leaves no space for the time on a phone. */
const TIME_CLASSES = 'max-sm:px-2.5 [&::-webkit-calendar-picker-indicator]:hidden'

export function WeekdayHours({ weekday, spans, onChange, onAdd, onRemove, onCopy }: WeekdayHoursProps) {
  const { t } = useTranslation()
  const add = useRef<HTMLButtonElement>(null)
  const id = useId()
  const day = formatWeekdayName(weekday)
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 py-2.5 sm:grid-cols-[8rem_minmax(0,1fr)_auto]">
      <legend className="sr-only">{day}</legend>
      <p aria-hidden className="flex min-h-11 items-center font-semibold">
        {day}
      </p>
      <div className="flex flex-col gap-2 max-sm:order-3 max-sm:col-span-2 empty:hidden">
        {spans.length === 0 && (
          <p className="flex min-h-11 items-center text-ink-faint max-sm:min-h-0">{t('hours.closed')}</p>
        )}
        {spans.map(({ at, starts, ends, problem }, nth) => (
          <div key={at} className="flex flex-col gap-1">
            <div className="grid grid-cols-[minmax(0,8rem)_auto_minmax(0,8rem)_auto] items-center justify-start gap-2 max-sm:justify-stretch">
              <Input
                type="time"
                className={TIME_CLASSES}
                aria-label={t('hours.from', { day })}
                aria-invalid={problem !== null || undefined}
                aria-describedby={problem ? `${id}-${nth}` : undefined}
                value={starts}
                onChange={(event) => onChange(at, { starts: event.target.value })}
              />
              <span aria-hidden>–</span>
              <Input
                type="time"
                className={TIME_CLASSES}
                aria-label={t('hours.until', { day })}
                aria-invalid={problem !== null || undefined}
                aria-describedby={problem ? `${id}-${nth}` : undefined}
                value={ends}
                onChange={(event) => onChange(at, { ends: event.target.value })}
              />
              <Button
                variant="ghost"
                size="icon"
                aria-label={t('hours.remove', { day })}
                onClick={() => {
                  onRemove(at)
                  add.current?.focus()
                }}
              >
                <Trash2 aria-hidden />
              </Button>
            </div>
            {problem && <FieldError id={`${id}-${nth}`}>{t(problem)}</FieldError>}
          </div>
        ))}
      </div>
      <div className="flex">
        {spans.length > 0 && (
          <DropdownMenu
            trigger={
              <Button variant="ghost" size="icon" aria-label={t('hours.copy', { day })}>
                <Copy aria-hidden />
              </Button>
            }
          >
            <MenuItem onSelect={() => onCopy(WEEKDAYS.slice(0, 5))}>{t('hours.toWeekdays')}</MenuItem>
            <MenuItem onSelect={() => onCopy(WEEKDAYS)}>{t('hours.toAll')}</MenuItem>
          </DropdownMenu>
        )}
        <Button
          ref={add}
          variant="ghost"
          size="icon"
          aria-label={t('hours.add', { day })}
          disabled={spans.length >= MOST_A_DAY}
          onClick={onAdd}
        >
          <Plus aria-hidden />
        </Button>
      </div>
    </fieldset>
  )
}
