// The picture's calendar: twelve months, four seasons.
import { expect, test } from 'vitest'
import { seasonOf } from './season.ts'

test('winter is long, canola blooms from June to August', () => {
  const seasons = Array.from({ length: 12 }, (_, month) => seasonOf(new Date(2026, month, 15)))
  expect(seasons).toEqual([
    ...['winter', 'winter', 'winter', 'spring', 'spring', 'summer'],
    ...['summer', 'summer', 'autumn', 'autumn', 'winter', 'winter'],
  ])
})
