// A repeat as the form types it and as the database stores it.
import i18next from 'i18next'
import { expect, test } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { NEW_REPEAT, repeatsFrom, repeatsFromTyped, repeatText, typedFrom } from './repeats.ts'

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
