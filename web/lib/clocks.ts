// The clock that a time is by. Screens show the marketplace's clock, and name it where another one shows another time.
import { clock } from '../../marketplace.config.ts'
import { dateFormat } from '../../shared/formats.ts'
import { currentLanguage } from '../i18n/index.ts'
import { locale, localFromInstant } from './format.ts'

/** The name of a clock: 'Saskatchewan time', 'Mountain Time'. */
export function clockName(timeZone: string): string {
  if (timeZone === clock.timeZone) return clock.name[currentLanguage()]
  const parts = dateFormat(locale(), { timeZone, timeZoneName: 'longGeneric' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/**
 * Whether one of these clocks is not the marketplace's, or the device's shows another time then. The others are compared by name:
 * a browser may know of newer rules for daylight saving than the database.
 */
export function clocksDiffer(at: string | Date, timeZones: readonly string[] = []): boolean {
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    timeZones.some((zone) => zone !== clock.timeZone) || localFromInstant(at, device) !== localFromInstant(at)
  )
}
