// Names of clocks and weekdays, and times of a day.
import { clock } from '../../marketplace.config.ts'
import { dateFormat } from '../../shared/formats.ts'
import { dateIn } from '../../shared/locale.ts'
import { currentLanguage } from '../i18n/index.ts'
import { formatTime, locale, localFromInstant } from './format.ts'

/** The name of a clock: 'Saskatchewan time', 'Mountain Time'. */
export function clockName(timeZone: string): string {
  if (timeZone === clock.timeZone) return clock.name[currentLanguage()]
  const parts = dateFormat(locale(), { timeZone, timeZoneName: 'longGeneric' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** Whether this device's clock shows other times than that clock, now or half a year from now. */
export function differsFromDevice(timeZone: string): boolean {
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [0, 182].some((days) => {
    const at = new Date(Date.now() + days * 86_400_000)
    return localFromInstant(at, device) !== localFromInstant(at, timeZone)
  })
}

/** The moment on that clock, where the marketplace's, by which screens show times, shows another one: '9:00 a.m.'; else null. */
export function wallTimeAt(at: string, timeZone: string): string | null {
  return localFromInstant(at) === localFromInstant(at, timeZone) ? null : formatTime(at, timeZone)
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
