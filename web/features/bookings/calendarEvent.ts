// An agreed booking as an event of a calendar: for a file, and for the pages of web calendars that take an event in their address.
import type { CalendarEvent } from '../../../shared/calendarFile.ts'
import { bookingPath } from '../../lib/paths.ts'
import type { Booking, Side } from './api/queries.ts'

/** Where no duration was agreed, an hour is shown, as in the feed (private.calendar_events). */
const USUAL_MINUTES = 60

type Words = { title: string; open: (link: string) => string }

/** Null for a booking that is not agreed or has no time. */
export function calendarEventOf(
  { id, status, task, accepted_at }: Booking,
  words: Words,
  origin: string,
): CalendarEvent | null {
  if (!task.scheduled_date || (status !== 'accepted' && status !== 'in_progress')) return null
  const startsAt = new Date(task.scheduled_date)
  const url = `${origin}${bookingPath(id)}`
  return {
    id,
    title: words.title,
    // Programs make a link of the address; signs that order text would become a part of it.
    description: words.open(url).replace(/[\u2066-\u2069]/g, ''),
    place: task.address ? `${task.address.address}, ${task.location}` : task.location,
    startsAt,
    endsAt: new Date(startsAt.getTime() + (task.duration_minutes ?? USUAL_MINUTES) * 60_000),
    changedAt: new Date(accepted_at ?? startsAt),
    url,
    isCancelled: false,
  }
}

/** The other person's name as the event says it; null once they have left. */
export const nameInEvent = ({ doer, task }: Booking, side: Side) =>
  (side === 'tasker' ? task.giver : doer)?.full_name ?? null

/** Google's page for a new event. */
export function googleLink({ title, description, place, startsAt, endsAt }: CalendarEvent): string {
  const stamp = (at: Date) => at.toISOString().replace(/[-:]|\.\d+/g, '')
  return `https://calendar.google.com/calendar/render?${new URLSearchParams({
    action: 'TEMPLATE',
    text: title,
    dates: `${stamp(startsAt)}/${stamp(endsAt)}`,
    details: description,
    location: place ?? '',
  })}`
}

/** Outlook's page for a new event. */
export function outlookLink({ title, description, place, startsAt, endsAt }: CalendarEvent): string {
  return `https://outlook.live.com/calendar/0/deeplink/compose?${new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: title,
    startdt: startsAt.toISOString(),
    enddt: endsAt.toISOString(),
    body: description,
    location: place ?? '',
  })}`
}
