// One month of days to pick from, in the reader's language: arrow keys move, Enter picks.
import { format, parseISO } from 'date-fns'
import { DayPicker, type DropdownProps, type Matcher, useDayPicker } from 'react-day-picker'
import { useTranslation } from 'react-i18next'
import { dateIn } from '../../shared/locale.ts'
import { currentLanguage } from '../i18n/index.ts'
import { direction } from '../i18n/languages.ts'
import { locale } from '../lib/format.ts'
import { CONTROL_CLASSES } from './Input.tsx'

const NAV_CLASSES =
  'grid size-10 place-items-center rounded-md hover:bg-sunken aria-disabled:opacity-40 [&_svg]:size-5 [&_svg]:fill-current rtl:[&_svg]:-scale-x-100'
const OLDEST_YEARS = 110
const FURTHEST_YEARS = 20

/** Days are 'yyyy-mm-dd', '' for none; `byYear` offers months and years to jump to. */
export function Calendar({
  value,
  min,
  max,
  byYear,
  onPick,
}: {
  value: string
  min?: string | undefined
  max?: string | undefined
  byYear: boolean
  onPick: (day: string) => void
}) {
  const { t } = useTranslation()
  const language = currentLanguage()
  const today = new Date()
  const selected = value ? parseISO(value) : undefined
  const first = min ? parseISO(min) : new Date(today.getFullYear() - OLDEST_YEARS, 0)
  const last = max ? parseISO(max) : new Date(today.getFullYear() + FURTHEST_YEARS, 11)
  const outside: Matcher[] = [{ before: first }, { after: last }]
  const named = (day: Date, parts: Intl.DateTimeFormatOptions) => dateIn(language, day, parts)
  return (
    <DayPicker
      mode="single"
      autoFocus
      required
      dir={direction(language)}
      lang={language}
      captionLayout={byYear ? 'dropdown' : 'label'}
      selected={selected}
      onSelect={(day) => day && onPick(format(day, 'yyyy-MM-dd'))}
      defaultMonth={selected ?? (today > last ? last : today)}
      startMonth={first}
      endMonth={last}
      disabled={outside}
      weekStartsOn={firstWeekday()}
      formatters={{
        formatCaption: (month) => named(month, { month: 'long', year: 'numeric' }),
        formatMonthDropdown: (month) => named(month, { month: 'long' }),
        // Arabic has no short names of days: seven whole ones do not fit side by side.
        formatWeekdayName: (day) => named(day, { weekday: language === 'ar' ? 'narrow' : 'short' }),
      }}
      components={{ Dropdown }}
      labels={{
        labelPrevious: () => t('ui.previousMonth'),
        labelNext: () => t('ui.nextMonth'),
        labelMonthDropdown: () => t('ui.month'),
        labelYearDropdown: () => t('ui.year'),
        labelWeekday: (day) => named(day, { weekday: 'long' }),
        labelDayButton: (day) => named(day, { dateStyle: 'full' }),
        labelGrid: (month) => named(month, { month: 'long', year: 'numeric' }),
      }}
      classNames={{
        months: 'relative',
        nav: 'absolute inset-x-0 top-0 flex justify-between',
        button_previous: NAV_CLASSES,
        button_next: NAV_CLASSES,
        month_caption: 'flex h-10 items-center justify-center font-semibold capitalize',
        dropdowns: 'relative z-10 flex gap-2',
        dropdown_root: 'relative',
        dropdown: `${CONTROL_CLASSES} h-9 px-1.5 text-sm`,
        chevron: 'fill-current',
        month_grid: 'mt-2 border-collapse',
        weekday: 'size-10 text-center text-sm font-medium text-ink-faint',
        day: 'tabular size-10 p-0 text-center',
        day_button:
          'size-10 rounded-full hover:bg-sunken focus-visible:rounded-full disabled:cursor-not-allowed',
        today: 'font-bold text-wheat-ink',
        selected: '[&>button]:bg-wheat [&>button]:font-semibold [&>button]:text-on-wheat',
        disabled: 'text-ink-faint opacity-45',
        outside: 'invisible',
      }}
    />
  )
}

/** A month or a year to jump to. The library's own shows the choice a second time, as a text next to an arrow. */
function Dropdown({ options, ...select }: DropdownProps) {
  const { classNames } = useDayPicker()
  return (
    <span className={classNames.dropdown_root}>
      <select {...select} className={classNames.dropdown}>
        {options?.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
    </span>
  )
}

type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** Sunday is 0. */
function firstWeekday(): Weekday {
  const region = new Intl.Locale(locale()).maximize() as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number }
    weekInfo?: { firstDay: number }
  }
  const { firstDay } = region.getWeekInfo?.() ?? region.weekInfo ?? { firstDay: 7 }
  return (firstDay % 7) as Weekday
}
