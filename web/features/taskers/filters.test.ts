// The moment among the filters of taskers, as the address has it.
import { expect, test } from 'vitest'
import { localFromInstant } from '../../lib/format.ts'
import { filtersFrom } from './filters.ts'

const inDays = (days: number) => localFromInstant(new Date(Date.now() + days * 86_400_000))
const free = (moment: string, minutes = '') => {
  const { free, minutes: length } = filtersFrom(new URLSearchParams({ free: moment, minutes }))
  return [free, length].filter(Boolean).join(' ')
}

test('a moment of the next year is kept with its length, an hour if none is known', () => {
  expect(free(inDays(3), '120')).toBe(`${inDays(3)} 120`)
  expect(free(inDays(364), '7')).toBe(`${inDays(364)} 60`)
})

test('past, far, impossible and other moments are none', () => {
  for (const moment of [
    inDays(-1),
    inDays(367),
    '2027-02-31T10:00',
    '2027-02-01',
    'tomorrow',
    '2027-02-01T25:00',
  ])
    expect(free(moment, '60')).toBe('')
})
