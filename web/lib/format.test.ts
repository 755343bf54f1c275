// Money and time as specified: CAD, Saskatchewan's clock and one with daylight saving, the relative-time rule of spec 000 §9.
import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isolated } from '../../shared/bidi.ts'
import { cents } from '../../shared/money.ts'
import { startI18n } from '../i18n/index.ts'
import {
  clockName,
  formatDate,
  formatDateTime,
  formatDayName,
  formatDuration,
  formatList,
  formatMoney,
  formatNearDateTime,
  formatPeriod,
  formatRating,
  formatTime,
  formatWeekday,
  instantFromLocal,
  localFromInstant,
  relativeTime,
  timesShown,
} from './format.ts'

/** The clock of the device. */
const on = (timeZone: string) =>
  vi.spyOn(Date.prototype, 'getTimezoneOffset').mockImplementation(function (this: Date) {
    return (this.getTime() - Date.parse(`${localFromInstant(this, timeZone)}:00Z`)) / 60_000
  })
beforeAll(() => {
  on('America/Regina')
  return startI18n('en')
})
afterAll(() => vi.restoreAllMocks())

describe('money', () => {
  test('drops the cents of a whole amount unless lines are added up', () => {
    expect(formatMoney(cents(8000))).toBe('$80')
    expect(formatMoney(cents(8050))).toBe('$80.50')
    expect(formatMoney(cents(8000), { exact: true })).toBe('$80.00')
    expect(formatMoney(cents(10_000_000))).toBe('$100,000')
  })
})

test('a list is joined as the language joins lists', async () => {
  expect(formatList(['snow', 'cats', 'drywall'])).toBe('snow, cats and drywall')
  await i18next.changeLanguage('ar')
  try {
    expect(formatList(['أ', 'ب', 'ج'])).toBe('أ وب وج')
  } finally {
    await i18next.changeLanguage('en')
  }
})

test('a rating has one decimal', () => {
  expect([0, 4, 4.84, 4.85].map(formatRating)).toEqual(['0.0', '4.0', '4.8', '4.9'])
})

test('a week is named by its first day, a month with its year', () => {
  expect(formatPeriod('2026-11-02', 'week')).toBe('Nov 2')
  expect(formatPeriod('2026-11-01', 'month')).toBe('Nov 2026')
})

describe('relative time', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  test.each([
    [59, 'Just now'],
    [60, '1m ago'],
    [59 * 60 + 59, '59m ago'],
    [60 * 60, '1h ago'],
    [24 * 3600 - 1, '23h ago'],
    [24 * 3600, 'Nov 20, 2026'],
  ])('%i seconds ago reads %s', (seconds, text) => {
    expect(relativeTime(new Date(now.getTime() - seconds * 1000), now)).toBe(text)
  })

  test('a clock that runs ahead still reads Just now', () => {
    expect(relativeTime(new Date(now.getTime() + 5000), now)).toBe('Just now')
  })
})

describe("Saskatchewan's clock", () => {
  test('a local input means UTC−6 in summer and in winter', () => {
    expect(instantFromLocal('2026-07-01T09:30')).toBe('2026-07-01T15:30:00.000Z')
    expect(instantFromLocal('2026-01-01T09:30')).toBe('2026-01-01T15:30:00.000Z')
    expect(instantFromLocal('')).toBeNull()
  })

  test('an instant comes back as the same local input', () => {
    expect(localFromInstant('2026-07-01T15:30:00.000Z')).toBe('2026-07-01T09:30')
    expect(localFromInstant('2026-07-01T05:59:00.000Z')).toBe('2026-06-30T23:59')
    expect(localFromInstant(null)).toBe('')
  })

  test('with daylight saving, a local input means the offset of its day', () => {
    const inToronto = (local: string) => instantFromLocal(local, 'America/Toronto')
    expect(inToronto('2026-07-01T09:30')).toBe('2026-07-01T13:30:00.000Z')
    expect(inToronto('2026-01-01T09:30')).toBe('2026-01-01T14:30:00.000Z')
    // The morning after the clocks went back, the hour that there is twice, and the one that there is not.
    expect(inToronto('2026-11-01T09:30')).toBe('2026-11-01T14:30:00.000Z')
    expect(inToronto('2026-11-01T01:30')).toBe('2026-11-01T05:30:00.000Z')
    expect(inToronto('2026-03-08T02:30')).toBe('2026-03-08T07:30:00.000Z')
    expect(localFromInstant('2026-11-01T06:30:00.000Z', 'America/Toronto')).toBe('2026-11-01T01:30')
  })

  test('the year is shown only when it is another one', () => {
    const now = new Date('2026-11-21T12:00:00Z')
    expect(formatDateTime('2026-11-25T16:00:00Z', undefined, now)).toMatch(/^Wed, Nov 25,? 10:00/)
    expect(formatDateTime('2027-01-02T16:00:00Z', undefined, now)).toContain('2027')
  })

  test('a day that is near has its word, by the calendar of Saskatchewan', () => {
    const now = new Date('2026-11-22T05:30:00Z') // the 21st there, half past eleven at night
    expect(formatNearDateTime('2026-11-22T05:45:00Z', undefined, now)).toMatch(/^today, 11:45\sp\.m\.$/)
    expect(formatNearDateTime('2026-11-22T15:00:00Z', undefined, now)).toMatch(/^tomorrow, 9:00\sa\.m\.$/)
    expect(formatNearDateTime('2026-11-23T15:00:00Z', undefined, now)).toMatch(/^Mon, Nov 23/)
  })
})

describe('a time by another clock than the device’s', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const EDMONTON = 'America/Edmonton'
  afterAll(() => void on('America/Regina'))

  test('has the name of its clock while the two differ, in winter and not in summer', () => {
    expect(formatDateTime('2026-12-08T16:00:00Z', EDMONTON, now)).toMatch(
      /^Tue, Dec 8, 9:00\sa\.m\. \(Mountain Time\)$/,
    )
    expect(formatDateTime('2026-07-07T15:00:00Z', EDMONTON, now)).toMatch(/^Tue, Jul 7, 9:00\sa\.m\.$/)
    expect(formatDateTime('2026-12-08T16:00:00Z', undefined, now)).toMatch(/^Tue, Dec 8, 10:00\sa\.m\.$/)
    on(EDMONTON)
    expect(formatDateTime('2026-12-08T16:00:00Z', EDMONTON, now)).toMatch(/^Tue, Dec 8, 9:00\sa\.m\.$/)
    expect(formatDateTime('2026-12-08T16:00:00Z', undefined, now)).toMatch(
      /10:00\sa\.m\. \(Saskatchewan time\)$/,
    )
    on('Asia/Tokyo')
    expect(formatDateTime('2026-07-07T15:00:00Z', EDMONTON, now)).toContain('9:00')
    expect(formatDateTime('2026-07-07T15:00:00Z', EDMONTON, now)).toContain('(Mountain Time)')
    on('America/Regina')
  })

  test('changes to and from daylight saving at the minute', () => {
    const label = (at: string) => formatDateTime(at, EDMONTON, now).includes('(Mountain Time)')
    expect(['2027-03-14T08:59:00Z', '2027-03-14T09:00:00Z'].map(label)).toEqual([true, false])
    expect(['2027-11-07T07:59:00Z', '2027-11-07T08:00:00Z'].map(label)).toEqual([false, true])
  })

  test('is near by the days of that clock', () => {
    const late = new Date('2026-12-08T06:30:00Z') // half past midnight in Regina, half past eleven before in Edmonton
    expect(formatNearDateTime('2026-12-08T06:45:00Z', EDMONTON, late)).toMatch(
      /^today, 11:45\sp\.m\. \(Mountain Time\)$/,
    )
    expect(formatNearDateTime('2026-12-08T06:45:00Z', undefined, late)).toMatch(/^today, 12:45\sa\.m\.$/)
  })

  test('a clock has the marketplace’s name for it, or that of its zone', async () => {
    expect(clockName('America/Regina')).toBe('Saskatchewan time')
    expect(clockName(EDMONTON)).toBe('Mountain Time')
    await i18next.changeLanguage('fr')
    expect(formatDateTime('2026-12-08T16:00:00Z', EDMONTON, now)).toMatch(/\(heure des Rocheuses\)$/)
    await i18next.changeLanguage('en')
  })

  test('a typed time is shown once, twice where the clocks go back, never where they go forward', () => {
    const times = (local: string, zone = EDMONTON) => timesShown(local, zone)
    expect(times('2027-03-14T01:59')).toBe(1)
    expect(times('2027-03-14T02:00')).toBe(0)
    expect(times('2027-03-14T02:59')).toBe(0)
    expect(times('2027-03-14T03:00')).toBe(1)
    expect(times('2027-11-07T00:59')).toBe(1)
    expect(times('2027-11-07T01:00')).toBe(2)
    expect(times('2027-11-07T01:59')).toBe(2)
    expect(times('2027-11-07T02:00')).toBe(1)
    expect(times('2027-03-14T02:30', 'America/Regina')).toBe(1)
    expect(times('')).toBe(0)
  })
})

test('a day by its word when it is near, with the year when it is another one', () => {
  const now = new Date('2026-11-27T05:00:00Z')
  expect(formatDayName('2026-11-27T04:00:00Z', now)).toBe('today')
  expect(formatDayName('2026-11-26T04:00:00Z', now)).toBe('yesterday')
  expect(formatDayName('2026-11-21T18:00:00Z', now)).toBe('Saturday, November 21')
  expect(formatDayName('2025-11-21T18:00:00Z', now)).toBe('Friday, November 21, 2025')
  expect(formatWeekday('2026-12-02T05:00:00Z')).toBe('Tuesday, Dec 1')
})

test('a duration in hours and minutes', () => {
  expect(formatDuration(45)).toMatch(/^45 min/)
  expect(formatDuration(90)).toMatch(/^1 hr 30 min/)
  expect(formatDuration(120)).toMatch(/^2 hr/)
})

describe('in French', () => {
  beforeAll(() => i18next.changeLanguage('fr'))
  afterAll(() => i18next.changeLanguage('en'))

  test('an hour alone is written like one that is with its day', () => {
    expect(formatTime('2026-11-22T15:00:00Z')).toMatch(/^9\sh\s00$/)
    expect(formatDateTime('2026-11-22T15:00:00Z')).toMatch(/, 9\sh\s00$/)
  })
})

test('an Indonesian and a Hindi duration have their words', async () => {
  await i18next.changeLanguage('id')
  expect(formatDuration(90)).toMatch(/^1\sjam 30\smenit$/)
  await i18next.changeLanguage('hi')
  expect(formatDuration(90)).toMatch(/^1\sघंटा 30\sमिनट$/)
  await i18next.changeLanguage('en')
})

test('a Chinese duration has no space inside', async () => {
  await i18next.changeLanguage('zh')
  expect(formatDuration(90)).toBe('1小时30分钟')
  await i18next.changeLanguage('en')
})

describe('in an Arabic sentence', () => {
  beforeAll(() => i18next.changeLanguage('ar'))
  afterAll(() => i18next.changeLanguage('en'))

  test('an amount keeps its sign before its figures', () => {
    expect(formatMoney(cents(8050))).toBe('\u2066$80.50\u2069')
  })

  test('a date is read as one, next to the number of a receipt, too', () => {
    for (const date of [formatDate('2026-11-21T16:00:00Z'), formatDateTime('2026-11-21T16:00:00Z')])
      expect(date).toMatch(/^\u2068[^\u2066-\u2069]+\u2069$/)
  })
})

describe('a value inside a sentence', () => {
  test('is set apart where the directions may differ, and nowhere else', () => {
    expect(isolated('$80', 'ltr')).toBe('$80')
    expect(isolated('$80', 'rtl')).toBe('\u2068$80\u2069')
    expect(isolated('أحمد', 'ltr')).toBe('\u2068أحمد\u2069')
  })
})
