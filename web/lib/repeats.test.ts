// A repeat as the form types it and as the database stores it.
import i18next from 'i18next'
import { expect, test } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import {
  NEW_REPEAT,
  repeatsFrom,
  repeatsFromTyped,
  repeatText,
  spanOf,
  spanOfSeries,
  typedFrom,
  visitText,
} from './repeats.ts'

const typed = (over: object) => JSON.stringify({ ...NEW_REPEAT, ...over })

test.each([
  ['once', '', null],
  ['no JSON', 'weekly', null],
  ['a number of visits', typed({ count: ' 17 ' }), { every: 'weekly', count: 17 }],
  [
    'a last day',
    typed({ ends: 'until', until: '2027-03-30', count: '17' }),
    { every: 'weekly', until: '2027-03-30' },
  ],
  [
    'days left out',
    typed({ count: '3', except: ['2027-01-05'] }),
    { every: 'weekly', count: 3, except: ['2027-01-05'] },
  ],
  ['no number', typed({}), null],
  ['one visit', typed({ count: '1' }), null],
  ['53 visits', typed({ count: '53' }), null],
  ['half a visit', typed({ count: '2.5' }), null],
  ['no last day', typed({ ends: 'until' }), null],
  [
    'snowfall',
    typed({ every: 'snowfall', cm: '5', until: '2027-03-30', count: '12' }),
    { every: 'snowfall', cm: 5, until: '2027-03-30', count: 12 },
  ],
  ['snowfall without its season', typed({ every: 'snowfall', cm: '5', count: '12' }), null],
  ['snowfall of 101 cm', typed({ every: 'snowfall', cm: '101', until: '2027-03-30', count: '12' }), null],
])('%s', (_, text, repeats) => {
  expect(repeatsFromTyped(text)).toEqual(repeats)
  if (repeats) expect(repeatsFromTyped(typedFrom(repeatsFrom(repeats)))).toEqual(repeats)
})

test('forms that this version does not know are no repeat', () => {
  for (const stored of [null, undefined, 'weekly', [], {}, { every: 'daily', count: 3 }])
    expect(repeatsFrom(stored)).toBeNull()
})

test('in short words', async () => {
  await startI18n('en')
  expect(repeatText({ every: 'weekly', count: 5, except: ['2027-01-05'] }, i18next.t)).toBe(
    'Every week · 4 visits',
  )
  expect(repeatText({ every: 'monthly', until: '2027-03-30' }, i18next.t)).toBe(
    'Every month · until Mar 30, 2027',
  )
  expect(repeatText({ every: 'snowfall', cm: 5, until: '2027-03-30', count: 9 }, i18next.t)).toBe(
    'From 5 cm of snow · until Mar 30, 2027',
  )
})

test('from the first to the last visit, by the clock at the place', () => {
  const times = ['2026-12-02T05:30:00Z', '2026-12-09T05:30:00Z']
  expect(spanOf({ every: 'weekly', count: 2 }, times, 'America/Regina')).toEqual({
    first: times[0],
    last: '2026-12-08',
    count: 2,
  })
  expect(spanOf({ every: 'snowfall', cm: 5, until: '2027-03-30', count: 12 }, [], 'America/Regina')).toEqual({
    first: null,
    last: '2027-03-30',
    count: 12,
  })
  expect(spanOf({ every: 'weekly', count: 2 }, [], 'America/Regina')).toEqual({
    first: null,
    last: '',
    count: 0,
  })
})

test('a series has what was agreed, and its visits their numbers', async () => {
  await startI18n('en')
  const series = {
    repeats: { every: 'weekly', count: 18, except: ['2027-01-05'] },
    starts_at: '2026-12-01T16:00:00Z',
    ends_on: '2027-03-30',
    visits: 17,
  }
  expect(spanOfSeries(series)).toEqual({ first: series.starts_at, last: series.ends_on, count: 17 })
  expect(visitText({ visit_number: 3, series }, i18next.t)).toBe('Visit 3 of 17')
  const snow = { repeats: { every: 'snowfall', cm: 5, until: '2027-03-30', count: 12 }, starts_at: null }
  expect(visitText({ visit_number: 3, series: { ...series, ...snow, visits: 12 } }, i18next.t)).toBe(
    'Visit 3 of at most 12',
  )
  expect(visitText({ visit_number: 0, series: { ...series, ...snow } }, i18next.t)).toBeNull()
  expect(visitText({ visit_number: null, series: null }, i18next.t)).toBeNull()
})
