// Makes the file of a calendar address from the bookings in the database.
import { type CalendarEvent, calendarFile } from '../../../shared/calendarFile.ts'
import { languageOf } from '../../../shared/language.ts'
import { calendarTextsIn } from './texts.ts'

export type FeedEvent = {
  id: string
  title: string
  role: 'tasker' | 'giver'
  /** The name of the other person; null once they have left. */
  other: string | null
  status: 'accepted' | 'in_progress' | 'completed' | 'cancelled'
  starts_at: string
  ends_at: string
  place: string
  /** Null where nobody gave one, and for a cancelled booking. */
  address: string | null
  changed_at: string
  /** Path of the booking's page. */
  link: string
}
/** The answer of the database function calendar_feed. */
export type FeedFacts = { language: string; events: FeedEvent[] }

/** The calendar, in the person's language. `site` is the origin of the app. */
export function feedFile({ language, events }: FeedFacts, site: string): string {
  const words = calendarTextsIn(languageOf(language))
  return calendarFile(
    words.say('name'),
    events.map((event): CalendarEvent => {
      const { id, title, role, other, status, place, address } = event
      const url = `${site}${event.link}`
      return {
        id,
        title:
          other === null
            ? title
            : words.say(role === 'tasker' ? 'asTasker' : 'asGiver', { title, person: other }),
        description: words.say('open', { link: url }, { escape: (value) => value }),
        place: address === null ? place : `${address}, ${place}`,
        startsAt: new Date(event.starts_at),
        endsAt: new Date(event.ends_at),
        changedAt: new Date(event.changed_at),
        url,
        isCancelled: status === 'cancelled',
      }
    }),
  )
}
