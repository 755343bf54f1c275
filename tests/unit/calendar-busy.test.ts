// Busy times of imported calendars: which events count, and by which clock.
import fc from 'fast-check'
import generator, { ICalEventRepeatingFreq } from 'ical-generator'
import { describe, expect, it } from 'vitest'
import { busyTimes } from '../../supabase/functions/read-calendars/busy.ts'
import { calendar, event, MOUNTAIN } from '../support/calendar-files.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const REGINA = 'America/Regina'
const busy = async (text: string, home = REGINA) =>
  (await busyTimes(text, home, NOW)).map(({ from, until }) => `${written(from)}/${written(until)}`)
const written = (at: number) => new Date(at).toISOString().slice(0, 16).replace(':00Z', 'Z')

describe('an event', () => {
  it('counts from its start to its end, in UTC, or for its duration', async () => {
    expect(await busy(calendar(...event('DTSTART:20261201T150000Z', 'DTEND:20261201T163000Z')))).toEqual([
      '2026-12-01T15:00/2026-12-01T16:30',
    ])
    expect(await busy(calendar(...event('DTSTART:20261201T150000Z', 'DURATION:PT45M')))).toEqual([
      '2026-12-01T15:00/2026-12-01T15:45',
    ])
    expect(await busy(calendar(...event('DTSTART:20261201T150000Z')))).toEqual([])
  })

  it.each([
    'TRANSP:TRANSPARENT',
    'transp:transparent',
    'STATUS:CANCELLED',
    'X-MICROSOFT-CDO-BUSYSTATUS:FREE',
  ])('that says %s does not count', async (line) => {
    expect(
      await busy(calendar(...event('DTSTART:20261201T150000Z', 'DTEND:20261201T160000Z', line))),
    ).toEqual([])
  })

  it('is read by the zone that the file describes, across both changes of the clock', async () => {
    const meeting = (day: string) =>
      event(
        `DTSTART;TZID=Mountain Standard Time:${day}T090000`,
        `DTEND;TZID=Mountain Standard Time:${day}T100000`,
      )
    expect(await busy(calendar(...MOUNTAIN, ...meeting('20270313')))).toEqual([
      '2027-03-13T16:00/2027-03-13T17:00',
    ])
    expect(await busy(calendar(...MOUNTAIN, ...meeting('20270314')))).toEqual([
      '2027-03-14T15:00/2027-03-14T16:00',
    ])
    expect(await busy(calendar(...MOUNTAIN, ...meeting('20271107')))).toEqual([
      '2027-11-07T16:00/2027-11-07T17:00',
    ])
  })

  it('is read by the name of a zone that the file does not describe, and by the person’s clock without one', async () => {
    expect(
      await busy(calendar(...event('DTSTART;TZID=America/Edmonton:20270701T090000', 'DURATION:PT1H'))),
    ).toEqual(['2027-07-01T15:00/2027-07-01T16:00'])
    for (const start of ['DTSTART:20270701T090000', 'DTSTART;TZID=Nowhere:20270701T090000'])
      expect([start, await busy(calendar(...event(start, 'DURATION:PT1H')))]).toEqual([
        start,
        ['2027-07-01T15:00/2027-07-01T16:00'],
      ])
    expect(
      await busy(calendar(...event('DTSTART:20270115T090000', 'DURATION:PT1H')), 'America/Edmonton'),
    ).toEqual(['2027-01-15T16:00/2027-01-15T17:00'])
  })

  it('of whole days lasts from midnight to midnight by the person’s clock, 23 hours where the clock changes', async () => {
    const days = event('DTSTART;VALUE=DATE:20270313', 'DTEND;VALUE=DATE:20270315')
    expect(await busy(calendar(...days))).toEqual(['2027-03-13T06:00/2027-03-15T06:00'])
    expect(await busy(calendar(...days), 'America/Edmonton')).toEqual(['2027-03-13T07:00/2027-03-15T06:00'])
    expect(await busy(calendar(...event('DTSTART;VALUE=DATE:20261224')))).toEqual([
      '2026-12-24T06:00/2026-12-25T06:00',
    ])
  })

  it('counts from yesterday on and for 400 days', async () => {
    const on = (day: string) => event(`DTSTART:${day}T150000Z`, 'DURATION:PT1H')
    expect(await busy(calendar(...on('20261118')))).toEqual([])
    expect(await busy(calendar(...on('20261119')))).toHaveLength(1)
    expect(await busy(calendar(...on('20271224')))).toHaveLength(1)
    expect(await busy(calendar(...on('20271226')))).toEqual([])
  })

  it('joins those that overlap or touch', async () => {
    const text = calendar(
      ...event('DTSTART:20261201T150000Z', 'DTEND:20261201T160000Z'),
      ...event('DTSTART:20261201T140000Z', 'DTEND:20261201T153000Z'),
      ...event('DTSTART:20261201T160000Z', 'DTEND:20261201T163000Z'),
    )
    expect(await busy(text)).toEqual(['2026-12-01T14:00/2026-12-01T16:30'])
  })
})

describe('a series', () => {
  it('keeps the hour of its clock across the change of daylight saving, without its exceptions', async () => {
    const weekly = event(
      'DTSTART;TZID=Mountain Standard Time:20270301T090000',
      'DTEND;TZID=Mountain Standard Time:20270301T100000',
      'RRULE:FREQ=WEEKLY;UNTIL=20270329T235959Z',
      'EXDATE;TZID=Mountain Standard Time:20270308T090000',
    )
    expect(await busy(calendar(...MOUNTAIN, ...weekly))).toEqual([
      '2027-03-01T16:00/2027-03-01T17:00',
      '2027-03-15T15:00/2027-03-15T16:00',
      '2027-03-22T15:00/2027-03-22T16:00',
      '2027-03-29T15:00/2027-03-29T16:00',
    ])
  })

  it('ends at UNTIL as an instant, also with the name of a zone, and at a day', async () => {
    const daily = (until: string) =>
      event('DTSTART;TZID=America/Regina:20261201T200000', 'DURATION:PT1H', `RRULE:FREQ=DAILY;UNTIL=${until}`)
    // 20:00 in Regina is 02:00 of the next day in UTC.
    expect(await busy(calendar(...daily('20261203T020000Z')))).toHaveLength(2)
    expect(await busy(calendar(...daily('20261203T015959Z')))).toHaveLength(1)
    expect(await busy(calendar(...daily('20261203')))).toHaveLength(3)
  })

  it('has changed occurrences in place of those of its rule, without cancelled and free ones', async () => {
    const text = calendar(
      ...event('DTSTART:20261201T150000Z', 'DTEND:20261201T160000Z', 'RRULE:FREQ=DAILY;COUNT=4'),
      ...event('RECURRENCE-ID:20261202T150000Z', 'DTSTART:20261202T200000Z', 'DTEND:20261202T220000Z'),
      ...event(
        'RECURRENCE-ID:20261203T150000Z',
        'DTSTART:20261203T150000Z',
        'DTEND:20261203T160000Z',
        'STATUS:CANCELLED',
      ),
      ...event(
        'RECURRENCE-ID:20261204T150000Z',
        'DTSTART:20261204T150000Z',
        'DTEND:20261204T160000Z',
        'TRANSP:TRANSPARENT',
      ),
    )
    expect(await busy(text)).toEqual([
      '2026-12-01T15:00/2026-12-01T16:00',
      '2026-12-02T20:00/2026-12-02T22:00',
    ])
  })

  it('has additional dates, and whole days repeat', async () => {
    expect(
      await busy(
        calendar(
          ...event(
            'DTSTART:20261201T150000Z',
            'DURATION:PT1H',
            'RRULE:FREQ=DAILY;COUNT=1',
            'RDATE:20261205T150000Z,20261206T180000Z',
          ),
        ),
      ),
    ).toEqual([
      '2026-12-01T15:00/2026-12-01T16:00',
      '2026-12-05T15:00/2026-12-05T16:00',
      '2026-12-06T18:00/2026-12-06T19:00',
    ])
    expect(
      await busy(
        calendar(
          ...event('DTSTART;VALUE=DATE:20261201', 'RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE;VALUE=DATE:20261208'),
        ),
      ),
    ).toEqual(['2026-12-01T06:00/2026-12-02T06:00', '2026-12-15T06:00/2026-12-16T06:00'])
  })

  it('that began long ago goes on', async () => {
    const found = await busy(
      calendar(
        ...event('DTSTART:20080102T150000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'),
      ),
    )
    expect(found.length).toBeGreaterThan(280)
    expect(found[0]).toBe('2026-11-19T15:00/2026-11-19T16:00')
  })
})

it('random events that another library wrote come back at their instants', async () => {
  const some = fc.record({
    at: fc.integer({ min: 0, max: 390 * 1440 }),
    minutes: fc.integer({ min: 1, max: 3000 }),
    weekly: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(some, { maxLength: 12 }), async (events) => {
      const written = generator()
      const spans = events.flatMap(({ at, minutes, weekly }) => {
        const start = Math.floor(NOW / 60_000) + at
        written.createEvent({
          start: new Date(start * 60_000),
          end: new Date((start + minutes) * 60_000),
          summary: 'Secret',
          ...(weekly ? { repeating: { freq: ICalEventRepeatingFreq.WEEKLY, count: 3 } } : {}),
        })
        const starts = weekly ? [0, 1, 2].map((week) => start + week * 10_080) : [start]
        return starts.map((each) => [each, each + minutes] as const)
      })
      const limit = NOW / 60_000 + 400 * 1440
      const minutes = new Set(
        spans
          .filter(([from]) => from < limit)
          .flatMap(([from, until]) => Array.from({ length: until - from }, (_, n) => from + n)),
      )
      const found = await busyTimes(written.toString(), REGINA, NOW)
      const total = found.reduce((sum, { from, until }) => sum + (until - from) / 60_000, 0)
      expect(total).toBe(minutes.size)
      for (const { from, until } of found)
        expect([minutes.has(from / 60_000), minutes.has(until / 60_000)]).toEqual([true, false])
    }),
    { numRuns: 40 },
  )
})
