// Names of weekdays, and times of a day.
import { dateFormat } from '../../shared/formats.ts'
import { dateIn } from '../../shared/locale.ts'
import { currentLanguage } from '../i18n/index.ts'
import { capitalized, locale } from './format.ts'

/** A time of day such as '14:30', whatever the clock: '2:30 p.m.'. */
export function formatClockTime(time: string): string {
  const parts = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const
  return dateIn(currentLanguage(), new Date(`2000-01-01T${time.slice(0, 5)}Z`), parts)
}

/** The name of a weekday, Monday 1 to Sunday 7, as at the beginning of a line: 'Monday'. */
export function formatWeekdayName(weekday: number): string {
  // 3 January 2000 was a Monday.
  return capitalized(
    dateFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, 0, 2 + weekday)),
  )
}
