// Busy times of imported calendars: what counts, by which clock, and that no file takes long, however it was made.
import fc from 'fast-check'
import generator, { ICalEventRepeatingFreq } from 'ical-generator'
import { describe, expect, it } from 'vitest'
import { busyTimes } from '../../supabase/functions/read-calendars/busy.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const REGINA = 'America/Regina'
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Other//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:Secret', ...lines, 'END:VEVENT']
const busy = async (text: string, home = REGINA) =>
  (await busyTimes(text, home, NOW)).map(({ from, until }) => `${written(from)}/${written(until)}`)
const written = (at: number) => new Date(at).toISOString().slice(0, 16).replace(':00Z', 'Z')
const codeOf = (text: string) =>
  busyTimes(text, REGINA, NOW).then(
    () => 'read',
    (error) => error.code,
  )

/** As Outlook describes the clock of Lloydminster. */
const MOUNTAIN = [
  'BEGIN:VTIMEZONE',
  'TZID:Mountain Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:-0600',
  'TZOFFSETTO:-0700',
  'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:-0700',
  'TZOFFSETTO:-0600',
  'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
]

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

  it('has changed occurrences in place of its own, without cancelled and free ones', async () => {
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

describe('a file that would hold up the server', () => {
  const repeating = (rule: string) =>
    calendar(...event('DTSTART:20260101T090000Z', 'DURATION:PT1M', `RRULE:${rule}`))

  it.each([
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MINUTELY',
    'FREQ=MINUTELY;BYDAY=MO;BYHOUR=3;BYMINUTE=61',
    'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYMONTH=2;BYDAY=7MO',
    'FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTH=4;BYDAY=1MO;BYMONTHDAY=15,16,17',
    'FREQ=WEEKLY;INTERVAL=999999999999',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO;BYSETPOS=99',
    'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO',
    'FREQ=MONTHLY;INTERVAL=12;BYDAY=5MO',
    'FREQ=DAILY;COUNT=999999999',
    'FREQ=NEVER',
    'FREQ=DAILY;UNTIL=99991231T235959Z',
    'FREQ=YEARLY;INTERVAL=-1',
    '',
  ])('repeats %s', async (rule) => {
    const began = performance.now()
    await codeOf(repeating(rule))
    expect(performance.now() - began).toBeLessThan(8000)
  })

  it('an event each second has too many', async () => {
    expect(await codeOf(repeating('FREQ=SECONDLY'))).toBe('too_many_events')
    expect(await codeOf(repeating('FREQ=HOURLY'))).toBe('too_many_events')
  })

  it('a rule that never occurs leaves the first start, and the other events count', async () => {
    const text = calendar(
      ...event('DTSTART:20261201T090000Z', 'DURATION:PT1M', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
      ...event('DTSTART:20261201T150000Z', 'DURATION:PT1H'),
    )
    expect(await busy(text)).toEqual([
      '2026-12-01T09:00/2026-12-01T09:01',
      '2026-12-01T15:00/2026-12-01T16:00',
    ])
  })

  it('an event with impossible values does not hide the others', async () => {
    const text = calendar(
      ...event('DTSTART:20261341T990000Z', 'DURATION:PT1M'),
      ...event('DTSTART:soon', 'DTEND:later'),
      ...event('DTSTART:20261201T150000Z', 'DURATION:PT1H'),
    )
    expect(await busy(text)).toContain('2026-12-01T15:00/2026-12-01T16:00')
  })

  it('a zone that changes its clock each second is read by its name instead', async () => {
    const zone = MOUNTAIN.map((line) =>
      line
        .replace('FREQ=YEARLY;BYDAY=1SU;BYMONTH=11', 'FREQ=SECONDLY')
        .replace('Mountain Standard Time', 'America/Edmonton'),
    )
    expect(
      await busy(
        calendar(...zone, ...event('DTSTART;TZID=America/Edmonton:20270701T090000', 'DURATION:PT1H')),
      ),
    ).toEqual(['2027-07-01T15:00/2027-07-01T16:00'])
  })

  it('thousands of events, and thousands of rules', async () => {
    const many = (count: number, ...lines: string[]) =>
      calendar(...Array.from({ length: count }, (_, n) => event(...lines, `X-N:${n}`)).flat())
    expect(await codeOf(many(15_000, 'DTSTART:20261201T150000Z', 'DURATION:PT1H'))).toBe('read')
    expect(await codeOf(many(5000, 'DTSTART:20000101T150000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'))).toBe(
      'too_many_events',
    )
    const apart = Array.from({ length: 2001 }, (_, n) => {
      const at = new Date(NOW + n * 7_200_000).toISOString().replace(/[-:]|\.\d+/g, '')
      return event(`DTSTART:${at}`, 'DURATION:PT1H')
    })
    expect(await codeOf(calendar(...apart.flat()))).toBe('too_many_events')
    expect(await codeOf(calendar(...apart.slice(1).flat()))).toBe('read')
  })

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><html><body>Sign in</body></html>'],
    ['JSON', '{"kind": "calendar"}'],
    ['another component', 'BEGIN:VCARD\r\nFN:Theo\r\nEND:VCARD\r\n'],
    ['an event alone', event('DTSTART:20261201T150000Z').join('\r\n')],
    ['a calendar that does not end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n'],
    ['deep nesting', 'BEGIN:VCALENDAR\r\n'.repeat(100_000)],
    ['binary data', String.fromCharCode(...Array.from({ length: 1000 }, (_, n) => n % 256))],
  ])('%s is no calendar', async (_what, text) => expect(await codeOf(text)).toBe('not_a_calendar'))

  it('random rules neither hang nor throw anything but a failure with a code', async () => {
    const part = (name: string, values: fc.Arbitrary<string | number>) =>
      fc.option(values).map((value) => (value === null ? '' : `;${name}=${value}`))
    const number = (min: number, max: number) => fc.integer({ min, max })
    const rule = fc
      .tuple(
        fc.constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
        part('INTERVAL', number(0, 1100)),
        part('BYMONTH', number(1, 12)),
        part('BYMONTHDAY', number(-31, 31)),
        part('BYDAY', fc.constantFrom('MO', '5FR', '-1SU', 'MO,TU', '53WE', '-6TH')),
        part('BYYEARDAY', number(-366, 366)),
        part('BYWEEKNO', number(-53, 53)),
        part('BYHOUR', number(0, 23)),
        part('BYSETPOS', number(-5, 5)),
        part('COUNT', number(1, 5000)),
      )
      .map(([freq, ...parts]) => `FREQ=${freq}${parts.join('')}`)
    await fc.assert(
      fc.asyncProperty(rule, async (each) => {
        const began = performance.now()
        expect(['read', 'too_many_events', 'not_a_calendar']).toContain(await codeOf(repeating(each)))
        expect([each, performance.now() - began < 8000]).toEqual([each, true])
      }),
      { numRuns: 150 },
    )
  }, 120_000)
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
