// No imported calendar takes long to read, however it was made.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { busyTimes } from '../../supabase/functions/read-calendars/busy.ts'
import { calendar, event, MOUNTAIN } from '../support/calendar-files.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const REGINA = 'America/Regina'
const busy = async (text: string, home = REGINA) =>
  (await busyTimes(text, home, NOW)).map(({ from, until }) => `${written(from)}/${written(until)}`)
const written = (at: number) => new Date(at).toISOString().slice(0, 16).replace(':00Z', 'Z')
const codeOf = (text: string) =>
  busyTimes(text, REGINA, NOW).then(
    () => 'read',
    (error) => error.code,
  )

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
