// A booking as an event: which bookings are one, its place as the app shows it, and the addresses of web calendars.
import { expect, it } from 'vitest'
import type { Booking } from './api/queries.ts'
import { calendarEventOf, googleLink, nameInEvent, outlookLink } from './calendarEvent.ts'

const words = { title: 'Mow & rake – Grace', open: (link: string) => `See \u2068${link}\u2069` }
const booking = (task: object = {}, more: object = {}) =>
  ({
    id: 'b1',
    status: 'accepted',
    accepted_at: '2026-11-20T10:00:00Z',
    doer: { full_name: 'Theo' },
    task: {
      title: 'Mow & rake',
      location: 'Saskatoon',
      scheduled_date: '2026-12-01T15:00:00+00:00',
      duration_minutes: 90,
      address: null,
      giver: null,
      ...task,
    },
    ...more,
  }) as unknown as Booking
const eventOf = (...of: Parameters<typeof booking>) =>
  calendarEventOf(booking(...of), words, 'https://x.example')

it('an agreed booking with a time is one, with its address and the page of the booking', () => {
  expect(eventOf({ address: { address: '12 Main Street' } })).toMatchObject({
    place: '12 Main Street, Saskatoon',
    startsAt: new Date('2026-12-01T15:00:00Z'),
    endsAt: new Date('2026-12-01T16:30:00Z'),
    url: 'https://x.example/bookings?booking=b1',
    description: 'See https://x.example/bookings?booking=b1',
    isCancelled: false,
  })
  expect(eventOf()?.place).toBe('Saskatoon')
  expect(eventOf({ duration_minutes: null })?.endsAt).toEqual(new Date('2026-12-01T16:00:00Z'))
})

it.each(['pending', 'completed', 'rejected', 'cancelled'])('one that is %s is none', (status) =>
  expect(eventOf({}, { status })).toBeNull(),
)

it('one without a time is none', () => expect(eventOf({ scheduled_date: null })).toBeNull())

it('the other person is named until they leave', () => {
  expect(nameInEvent(booking(), 'giver')).toBe('Theo')
  expect(nameInEvent(booking(), 'tasker')).toBeNull()
})

it('web calendars take the event in their address', () => {
  const event = eventOf()
  if (!event) throw new Error('no event')
  const google = new URL(googleLink(event))
  expect(google.origin).toBe('https://calendar.google.com')
  expect(Object.fromEntries(google.searchParams)).toMatchObject({
    text: 'Mow & rake – Grace',
    dates: '20261201T150000Z/20261201T163000Z',
    location: 'Saskatoon',
  })
  expect(Object.fromEntries(new URL(outlookLink(event)).searchParams)).toMatchObject({
    subject: 'Mow & rake – Grace',
    startdt: '2026-12-01T15:00:00.000Z',
    enddt: '2026-12-01T16:30:00.000Z',
  })
})
