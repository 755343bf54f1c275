// The calendar of a person's bookings, written by one library and read by another: whatever people typed, each event comes back
// with its time, its words and its place.
import fc from 'fast-check'
import ICAL from 'ical.js'
import ical, { type VEvent } from 'node-ical'
import { describe, expect, it } from 'vitest'
import { rules } from '../../shared/rules.ts'
import { type FeedEvent, feedFile } from '../../supabase/functions/calendar-feed/feed.ts'

const SITE = 'https://meadowlark.example'
const event = (more: Partial<FeedEvent> = {}): FeedEvent => ({
  id: '6f1c7e0e-0000-4000-8000-000000000001',
  title: 'Clear the driveway',
  role: 'tasker',
  other: 'Grace',
  status: 'accepted',
  starts_at: '2026-12-01T15:00:00+00:00',
  ends_at: '2026-12-01T17:00:00+00:00',
  place: 'Saskatoon',
  address: null,
  changed_at: '2026-11-20T10:00:00.123456+00:00',
  link: '/bookings?booking=6f1c7e0e-0000-4000-8000-000000000001',
  ...more,
})
const file = (events: FeedEvent[], language = 'en') => feedFile({ language, events }, SITE)
const read = (text: string) =>
  Object.values(ical.sync.parseICS(text)).filter((part): part is VEvent => part?.type === 'VEVENT')
const one = (more: Partial<FeedEvent> = {}, language = 'en') => {
  const [found, ...others] = read(file([event(more)], language))
  expect(others).toEqual([])
  return found as VEvent
}
/** Isolates order text of two directions on a screen. */
const plain = (text: unknown) => String(text).replace(/[\u2066-\u2069]/g, '')
/** As a line of a calendar has it. */
const onOneLine = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that go
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u2066-\u2069]+/g, ' ').trim()

describe('an event', () => {
  it('has the words of both sides, the place and the page of the booking', () => {
    const theirs = one({ address: '12 Main Street', status: 'in_progress' })
    expect(theirs).toMatchObject({
      uid: '6f1c7e0e-0000-4000-8000-000000000001@meadowlark',
      summary: 'Clear the driveway – you work for Grace',
      location: '12 Main Street, Saskatoon',
      status: 'CONFIRMED',
    })
    expect(theirs.start.toISOString()).toBe('2026-12-01T15:00:00.000Z')
    expect(theirs.end?.toISOString()).toBe('2026-12-01T17:00:00.000Z')
    expect(JSON.stringify(theirs.url)).toContain(`${SITE}/bookings?booking=${event().id}`)
    expect(theirs.description).toBe(`See the booking: ${SITE}${event().link}`)
    expect(one({ role: 'giver', other: 'Theo' }).summary).toBe('Clear the driveway – Theo works for you')
    expect(one({ other: null }).summary).toBe('Clear the driveway')
  })

  it('keeps its UID, and each change has a higher SEQUENCE and a later LAST-MODIFIED', () => {
    const [before, after] = [
      one(),
      one({ starts_at: '2026-12-02T15:00:00Z', changed_at: '2026-11-20T10:00:01.2Z' }),
    ]
    expect(after.uid).toBe(before.uid)
    expect(Number(after.sequence)).toBeGreaterThan(Number(before.sequence))
    expect(Number(after.lastmodified)).toBeGreaterThan(Number(before.lastmodified))
    expect(one({ status: 'cancelled' })).toMatchObject({ uid: before.uid, status: 'CANCELLED' })
  })

  it('is the same file as long as nothing changes', () => {
    expect(file([event()])).toBe(file([event()]))
  })

  it.each([
    ['before daylight saving begins in Lloydminster', '2027-03-14T08:30:00Z'],
    ['in the hour that it skips', '2027-03-14T09:30:00Z'],
    ['in the hour that it repeats', '2026-11-01T07:30:00Z'],
    ['an hour later', '2026-11-01T08:30:00Z'],
    ['at the end of a year', '2026-12-31T23:45:00Z'],
  ])('is at its instant: %s', (_when, starts_at) => {
    const ends_at = new Date(Date.parse(starts_at) + 5_400_000).toISOString()
    const { start, end } = one({ starts_at, ends_at })
    expect([start.toISOString(), end?.toISOString()]).toEqual([
      new Date(starts_at).toISOString(),
      new Date(ends_at).toISOString(),
    ])
  })

  it.each(rules.languages)('is in the language of its person: %s', (language) => {
    const found = one({ title: 'نقل أريكة 🛋️' }, language)
    expect(plain(found.summary)).toContain('نقل أريكة 🛋️')
    expect(plain(found.summary)).toContain('Grace')
    expect(found.description).toMatch(new RegExp(`${event().link.replace('?', '\\?')}$`))
    expect(file([], language)).toMatch(/^NAME:.*Meadowlark/m)
  })
})

it('no text breaks out of its line, whatever was typed', () => {
  const injected =
    'Mow\r\nEND:VEVENT\r\nBEGIN:VEVENT\nUID:evil\u2028STATUS:CANCELLED\u0085ATTENDEE:mailto:x@y.example'
  const text = file([event({ title: injected, other: injected, place: injected, address: injected })])
  expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(1)
  expect(text).not.toMatch(/^(UID:evil|ATTENDEE|STATUS:CANCELLED)/m)
  const [found] = read(text)
  expect(found).toMatchObject({ uid: `${event().id}@meadowlark`, status: 'CONFIRMED' })
  expect(found?.attendee).toBeUndefined()
})

it('a backslash stays one', () => {
  const title = 'C:\\new, \\\\; \\N'
  const calendar = new ICAL.Component(ICAL.parse(file([event({ title, other: null })])))
  expect(calendar.getFirstSubcomponent('vevent')?.getFirstPropertyValue('summary')).toBe(title)
})

it('many random bookings come back from the other library as they were', () => {
  const words = fc.oneof(
    // node-ical reads a backslash before an n as a line break; the test below has backslashes.
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }).map((text) => text.replaceAll('\\', '/')),
    fc.constantFrom('نقل أريكة 🛋️', '搬家，两层楼；没有电梯', 'a,b;c"d":e', 'x'.repeat(200), '🌾'.repeat(60)),
  )
  const minute = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2028, 0, 1) / 60_000 })
  const booking = fc.record({
    id: fc.uuid(),
    title: words,
    role: fc.constantFrom('tasker' as const, 'giver' as const),
    other: fc.option(words),
    status: fc.constantFrom('accepted' as const, 'completed' as const, 'cancelled' as const),
    at: minute,
    minutes: fc.integer({ min: 15, max: 1440 }),
    place: words,
    address: fc.option(words),
  })
  fc.assert(
    fc.property(fc.uniqueArray(booking, { selector: ({ id }) => id, maxLength: 20 }), (bookings) => {
      const text = file(
        bookings.map(({ at, minutes, ...more }) =>
          event({
            ...more,
            starts_at: new Date(at * 60_000).toISOString(),
            ends_at: new Date((at + minutes) * 60_000).toISOString(),
          }),
        ),
      )
      // Lines are 75 octets long at most (RFC 5545, 3.1).
      for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
      const found = new Map(read(text).map((each) => [each.uid, each]))
      expect(found.size).toBe(bookings.length)
      for (const { id, title, at, minutes, place, address, status } of bookings) {
        const back = found.get(`${id}@meadowlark`)
        expect(back?.start.getTime()).toBe(at * 60_000)
        expect(back?.end?.getTime()).toBe((at + minutes) * 60_000)
        expect(back?.status).toBe(status === 'cancelled' ? 'CANCELLED' : 'CONFIRMED')
        expect(plain(back?.summary)).toContain(onOneLine(title))
        expect(plain(back?.location ?? '')).toBe(onOneLine(address === null ? place : `${address}, ${place}`))
      }
    }),
    { numRuns: 100 },
  )
})
