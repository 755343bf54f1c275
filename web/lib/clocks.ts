// Names of clocks and weekdays, and times of a day.
import { clock } from '../../marketplace.config.ts'
import { dateFormat } from '../../shared/formats.ts'
import { dateIn } from '../../shared/locale.ts'
import { currentLanguage } from '../i18n/index.ts'
import { locale } from './format.ts'

/** The name of a clock: 'Saskatchewan time', 'Mountain Time'. */
export function clockName(timeZone: string): string {
  if (timeZone === clock.timeZone) return clock.name[currentLanguage()]
  const parts = dateFormat(locale(), { timeZone, timeZoneName: 'longGeneric' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** A time of day such as '14:30', whatever the clock: '2:30 p.m.'. */
export function formatClockTime(time: string): string {
  const parts = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const
  return dateIn(currentLanguage(), new Date(`2000-01-01T${time.slice(0, 5)}Z`), parts)
}

/** The name of a weekday, Monday 1 to Sunday 7, as at the beginning of a line: 'Monday'. */
export function formatWeekdayName(weekday: number): string {
  // 3 January 2000 was a Monday.
  const name = dateFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2000, 0, 2 + weekday),
  )
  return name.charAt(0).toLocaleUpperCase(locale()) + name.slice(1)
}
