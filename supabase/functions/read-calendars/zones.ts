// Times of a calendar as instants: by UTC, by a zone that the file describes, by a zone's IANA name, or by the person's clock.
import { TZDate } from '@date-fns/tz'
import ICAL from 'ical.js'

/** Parts of the yearly rules by which real zones change their clocks. */
const ZONE_RULE_PARTS = ['BYMONTH', 'BYDAY', 'BYMONTHDAY']
const MAX_CHANGES = 500

/** Removes descriptions of zones that no real zone has: reading one could take for ever. Their names count instead. */
export function removeOddZones(calendar: ICAL.Component): void {
  for (const zone of calendar.getAllSubcomponents('vtimezone')) {
    if (!isUsualZone(zone)) calendar.removeSubcomponent(zone)
  }
}

function isUsualZone(zone: ICAL.Component): boolean {
  const changes = [...zone.getAllSubcomponents('standard'), ...zone.getAllSubcomponents('daylight')]
  const rules = changes.flatMap((change) => change.getAllProperties('rrule'))
  const dates = changes.flatMap((change) => change.getAllProperties('rdate'))
  return (
    changes.length > 0 &&
    changes.length + dates.length <= MAX_CHANGES &&
    rules.every((property) => {
      const rule = property.getFirstValue()
      if (!(rule instanceof ICAL.Recur) || rule.freq !== 'YEARLY' || rule.interval !== 1) return false
      const parts = Object.entries(rule.parts)
      return (
        rule.parts.BYMONTH?.length === 1 &&
        parts.every(([name, values]) => ZONE_RULE_PARTS.includes(name) && (values?.length ?? 0) <= 7)
      )
    })
  )
}

/** Reads times of a property with this TZID; `home` is the clock of times without a zone, and of whole days. */
export class Clock {
  private readonly name: string

  constructor(tzid: string | undefined, home: string) {
    this.name = tzid !== undefined && isZoneName(tzid) ? tzid : home
  }

  /** Milliseconds since 1970. */
  instantOf(time: ICAL.Time): number {
    const { year, month, day, hour, minute, second, isDate, zone } = time
    if (!isDate && zone && zone !== ICAL.Timezone.localTimezone) return time.toUnixTime() * 1000
    return new TZDate(year, month - 1, day, isDate ? 0 : hour, minute, second, this.name).getTime()
  }

  /** The beginning of the day that many days later, which need not be a multiple of 24 hours later. */
  dayAfter({ year, month, day }: ICAL.Time, days: number): number {
    return new TZDate(year, month - 1, day + days, 0, 0, 0, this.name).getTime()
  }
}

function isZoneName(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
