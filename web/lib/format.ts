// Money and time as people here read them: the marketplace's currency and clock.
import i18next from 'i18next'
import { clock } from '../../marketplace.config.ts'
import { isolated } from '../../shared/bidi.ts'
import { dateFormat, numberFormat } from '../../shared/formats.ts'
import { dateIn, localeOf, momentIn, moneyIn } from '../../shared/locale.ts'
import type { Cents } from '../../shared/money.ts'
import { currentLanguage } from '../i18n/index.ts'
import { direction } from '../i18n/languages.ts'

/** The tag for Intl. */
export function locale(): string {
  return localeOf(currentLanguage())
}

/** Cents → '$80' or '$80.50'; with `exact` always two decimals. */
export function formatMoney(amount: Cents, options?: { exact?: boolean }): string {
  return moneyIn(currentLanguage(), amount, options)
}

/** A count or figure with the language's separators. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(locale(), options).format(value)
}

/** 'snow removal, drywall and dog walking'. */
export function formatList(entries: string[]): string {
  return new Intl.ListFormat(locale()).format(entries)
}

/** '25 km'. */
export function formatKilometres(km: number): string {
  return formatNumber(km, { style: 'unit', unit: 'kilometer', maximumFractionDigits: 0 })
}

/** '350 m', '3.2 km', '120 km'. */
export function formatDistance(km: number): string {
  if (km < 0.995)
    return formatNumber(Math.round(km * 100) * 10, { style: 'unit', unit: 'meter', maximumFractionDigits: 0 })
  return formatNumber(km, { style: 'unit', unit: 'kilometer', maximumFractionDigits: km < 9.95 ? 1 : 0 })
}

/** Stars of 5 with one decimal: '4.8', '4,8'. */
export function formatRating(rating: number): string {
  return formatNumber(rating, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
}

/** '840 kB', '3.2 MB'. */
export function formatBytes(bytes: number): string {
  const [unit, value] = bytes < 1e6 ? ['kilobyte', bytes / 1e3] : ['megabyte', bytes / 1e6]
  return formatNumber(value, { style: 'unit', unit, maximumFractionDigits: value < 10 ? 1 : 0 })
}

/** 'Nov 21, 2026'. */
export function formatDate(at: string | Date): string {
  return inItsOrder(
    dateIn(currentLanguage(), new Date(at), { dateStyle: 'medium', timeZone: clock.timeZone }),
  )
}

/** A calendar day such as '2026-11-21', whatever the clock: 'Nov 21, 2026'. */
export function formatCalendarDay(day: string): string {
  return inItsOrder(dateIn(currentLanguage(), new Date(day), { dateStyle: 'medium', timeZone: 'UTC' }))
}

/** Next to a number or a name, an Arabic date would be read in pieces: it is isolated from them. */
function inItsOrder(date: string): string {
  return isolated(date, direction(currentLanguage()))
}

/** A calendar day such as '2026-11-21' as the start of a week or month: 'Nov 21', or 'Nov 2026'. */
export function formatPeriod(day: string, period: 'week' | 'month'): string {
  const parts =
    period === 'week'
      ? ({ month: 'short', day: 'numeric' } as const)
      : ({ month: 'short', year: 'numeric' } as const)
  return inItsOrder(dateIn(currentLanguage(), new Date(`${day}T00:00:00Z`), { ...parts, timeZone: 'UTC' }))
}

/** The day for a file that programs read, whatever the language: '2026-11-21'. */
export function formatDay(at: string | Date): string {
  return dateFormat('sv', { dateStyle: 'short', timeZone: clock.timeZone }).format(new Date(at))
}

/** The month of a calendar day such as '2026-11-01': 'N', 'Nov' or 'November 2026'. */
export function formatMonth(day: string, form: 'narrow' | 'short' | 'long'): string {
  const parts = form === 'long' ? ({ month: 'long', year: 'numeric' } as const) : ({ month: form } as const)
  return dateFormat(locale(), { ...parts, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))
}

/** 'Sat, Nov 21, 2:30 p.m.', with the year when it is not this one. */
export function formatDateTime(at: string | Date, now: Date = new Date()): string {
  const date = new Date(at)
  const year = (day: Date) => dateFormat('en', { year: 'numeric', timeZone: clock.timeZone }).format(day)
  return inItsOrder(momentIn(currentLanguage(), date, { year: year(date) !== year(now) }))
}

/** 'tomorrow, 9:00 a.m.', 'today, 4:00 p.m.'; a moment of another day as formatDateTime gives it. */
export function formatNearDateTime(at: string | Date, now: Date = new Date()): string {
  const days = daysBetween(now, new Date(at))
  if (days < 0 || days > 1) return formatDateTime(at, now)
  return inItsOrder(i18next.t('ui.dayAndTime', { day: dayWord(days), time: formatTime(at) }))
}

/** 'today', 'yesterday', 'Saturday, November 21', with the year when it is not this one. */
export function formatDayName(at: string | Date, now: Date = new Date()): string {
  const days = daysBetween(now, new Date(at))
  if (days === 0 || days === -1) return dayWord(days)
  const isThisYear = localFromInstant(at).slice(0, 4) === localFromInstant(now).slice(0, 4)
  const year = isThisYear ? undefined : 'numeric'
  const parts = { weekday: 'long', month: 'long', day: 'numeric', year } as const
  return inItsOrder(dateIn(currentLanguage(), new Date(at), { ...parts, timeZone: clock.timeZone }))
}

/** 'Monday, Dec 1', without the word that a near day has. */
export function formatWeekday(at: string | Date): string {
  const parts = { weekday: 'long', month: 'short', day: 'numeric', timeZone: clock.timeZone } as const
  return inItsOrder(dateIn(currentLanguage(), new Date(at), parts))
}

/** Calendar days of the marketplace's clock. */
function daysBetween(from: Date, to: Date): number {
  const day = (moment: Date) => Date.parse(localFromInstant(moment).slice(0, 10))
  return (day(to) - day(from)) / 86_400_000
}

/** 'yesterday', 'today', 'tomorrow'. */
const dayWord = (days: number) =>
  new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day')

/** '2:30 p.m.', its hour as formatDateTime has it: '9 h 00' in French, where the short style were '09 h 00'. */
export function formatTime(at: string | Date, timeZone = clock.timeZone): string {
  const parts = { hour: 'numeric', minute: '2-digit', timeZone } as const
  return dateIn(currentLanguage(), new Date(at), parts)
}

/** Minutes → '1 hr 30 min'. */
export function formatDuration(minutes: number): string {
  // Nobody reads the short Indonesian '5 j' as five hours, and hardly anybody the Hindi '5 घं॰'.
  const unitDisplay = ['hi', 'id'].includes(currentLanguage()) ? 'long' : 'short'
  const part = (value: number, unit: 'hour' | 'minute') =>
    formatNumber(value, { style: 'unit', unit, unitDisplay })
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  const parts = [hours && part(hours, 'hour'), (rest || !hours) && part(rest, 'minute')].filter(Boolean)
  return parts.join(currentLanguage() === 'zh' ? '' : ' ')
}

/** Spec 000 §9: under a minute 'Just now', under an hour 'Nm ago', under a day 'Nh ago', then the date. */
export function relativeTime(at: string | Date, now: Date = new Date()): string {
  const minutes = Math.floor((now.getTime() - new Date(at).getTime()) / 60_000)
  if (minutes < 1) return i18next.t('ui.justNow')
  if (minutes < 60) return i18next.t('ui.minutesAgo', { count: minutes })
  if (minutes < 24 * 60) return i18next.t('ui.hoursAgo', { count: Math.floor(minutes / 60) })
  return formatDate(at)
}

/**
 * The value of a datetime-local input, read on the marketplace's clock → ISO 8601; '' → null. A time that the end of daylight
 * saving repeats is the first of the two; one that its begin leaves out is an hour later, as Temporal's 'compatible' has it.
 */
export function instantFromLocal(value: string, timeZone = clock.timeZone): string | null {
  return value ? instantAt(value.slice(0, 16), timeZone).toISOString() : null
}

function instantAt(local: string, timeZone: string): Date {
  const time = Date.parse(`${local}Z`)
  const offsetAt = (at: number) => Date.parse(`${localFromInstant(new Date(at), timeZone)}Z`) - at
  const [before, after] = [offsetAt(time - 86_400_000), offsetAt(time + 86_400_000)]
  const offset = [before, after].find((each) => offsetAt(time - each) === each) ?? before
  return new Date(time - offset)
}

/** Whether the clock shows this time on that day: not in the hour that the begin of daylight saving leaves out. */
export function isOnClock(value: string, timeZone = clock.timeZone): boolean {
  return localFromInstant(instantFromLocal(value, timeZone), timeZone) === value.slice(0, 16)
}

/** An instant → the value of a datetime-local input on the marketplace's clock; null → ''. */
export function localFromInstant(at: string | Date | null, timeZone = clock.timeZone): string {
  if (at === null) return ''
  return dateFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone })
    .format(new Date(at))
    .replace(' ', 'T')
}
