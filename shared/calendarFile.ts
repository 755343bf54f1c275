// Bookings as an iCalendar file (RFC 5545): the feed of the function calendar-feed, and the file that the app saves.
import ical, { ICalEventStatus } from 'ical-generator'

export type CalendarEvent = {
  /** The booking's id: its UID is the same in every file. */
  id: string
  title: string
  description: string
  /** Null where the place is not to be shown. */
  place: string | null
  startsAt: Date
  endsAt: Date
  /** Of the last change: programs take the event with the newest one. */
  changedAt: Date
  /** The page of the booking. */
  url: string
  isCancelled: boolean
}

/** SEQUENCE counts changes; the seconds since then grow with each and fit into the 31 bits that programs have. */
const SEQUENCE_FROM_MS = Date.UTC(2026, 0, 1)
const REFRESH_S = 3600
/** Line breaks and other characters without a look, which programs read as the end of a line or not at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** The file. `name` is the calendar's; null where the events go into another calendar. */
export function calendarFile(name: string | null, events: CalendarEvent[]): string {
  const calendar = ical({
    prodId: { company: 'Meadowlark', product: 'Bookings', language: 'EN' },
    ...(name === null ? {} : { name: oneLine(name), ttl: REFRESH_S }),
  })
  for (const event of events) {
    calendar.createEvent({
      id: `${event.id}@meadowlark`,
      sequence: Math.max(0, Math.floor((event.changedAt.getTime() - SEQUENCE_FROM_MS) / 1000)),
      // Times in UTC need no description of a zone, and each program shows them by its own clock.
      start: event.startsAt,
      end: event.endsAt,
      stamp: event.changedAt,
      lastModified: event.changedAt,
      summary: oneLine(event.title),
      description: event.description,
      ...(event.place === null ? {} : { location: oneLine(event.place) }),
      url: event.url,
      status: event.isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    })
  }
  return calendar.toString()
}

const oneLine = (text: string) => text.replace(INVISIBLE, ' ').trim()
