// A date, or a date with its time: typed into the browser's own field, or picked from our calendar next to it.
import { CalendarDays } from 'lucide-react'
import { type ComponentProps, lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { Input } from './Input.tsx'
import { Popover } from './Popover.tsx'
import { Spinner } from './Spinner.tsx'
import { setInputValue } from './setInputValue.ts'

const Calendar = lazy(async () => ({ default: (await import('./Calendar.tsx')).Calendar }))

/** The time of a day that was picked without one. */
const DEFAULT_TIME = '09:00'

/** `<DateInput withTime min="2026-07-01T08:00" />` inside a Field; values as the browser's own fields have them. */
export function DateInput({
  withTime = false,
  className,
  ...input
}: Omit<ComponentProps<'input'>, 'type' | 'min' | 'max'> & {
  withTime?: boolean
  min?: string | undefined
  max?: string | undefined
}) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const field = () => box.current?.querySelector('input') ?? null
  const pick = (day: string) => {
    const control = field()
    if (control) setInputValue(control, withTime ? `${day}T${control.value.slice(11) || DEFAULT_TIME}` : day)
    setOpen(false)
  }
  return (
    <div ref={box} className="relative">
      <Input
        type={withTime ? 'datetime-local' : 'date'}
        className={classes('pe-12 [&::-webkit-calendar-picker-indicator]:hidden', className)}
        {...input}
        // Without one, browsers take years of six figures.
        max={input.max ?? (withTime ? '9999-12-31T23:59' : '9999-12-31')}
      />
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={t('ui.calendar')}
        className="overflow-y-auto p-3"
        trigger={
          <Button
            variant="ghost"
            size="icon"
            aria-label={t('ui.openCalendar')}
            className="absolute end-0.5 top-0.5 size-10"
          >
            <CalendarDays aria-hidden />
          </Button>
        }
      >
        <Suspense fallback={<Spinner label={t('ui.loading')} />}>
          <Calendar
            value={field()?.value.slice(0, 10) ?? ''}
            min={input.min?.slice(0, 10)}
            max={input.max?.slice(0, 10)}
            byYear={!withTime}
            onPick={pick}
          />
        </Suspense>
      </Popover>
    </div>
  )
}
