// Typed times by the clock of a place, around its daylight saving.
import { expect, test } from 'vitest'
import { byClock, coming } from './typedTimes.ts'
import { z } from './zod.ts'

const schema = (zone: string, before: string | null = null) =>
  byClock(z.object({ at: coming(before), more: z.string() }), ['at'], () => zone)
const read = (at: string, zone = 'America/Edmonton', before: string | null = null) => {
  const parsed = schema(zone, before).safeParse({ at, more: 'x' })
  return parsed.success
    ? parsed.data.at
    : parsed.error.issues.map(({ message, path }) => `${path}: ${message}`)
}

test('a time is an instant by the clock of its place', () => {
  expect(read('2099-12-08T09:00')).toBe('2099-12-08T16:00:00.000Z')
  expect(read('2099-12-08T09:00', 'America/Regina')).toBe('2099-12-08T15:00:00.000Z')
  expect(read('')).toBeNull()
})

test('the hour that daylight saving skips is refused, the first of the repeated one is taken', () => {
  expect(read('2099-03-08T01:59')).toBe('2099-03-08T08:59:00.000Z')
  expect(read('2099-03-08T02:30')).toEqual(['at: ui.clocks.skipped'])
  expect(read('2099-03-08T02:30', 'America/Regina')).toBe('2099-03-08T08:30:00.000Z')
  expect(read('2099-03-08T03:00')).toBe('2099-03-08T09:00:00.000Z')
  expect(read('2099-11-01T01:30')).toBe('2099-11-01T07:30:00.000Z')
})

test('a time that has passed is refused, unless it is the one of before', () => {
  const before = '2020-12-08T16:00:00+00:00'
  expect(read('2020-12-08T09:00')).toEqual(['at: tasks.datePast'])
  expect(read('2020-12-08T09:00', 'America/Edmonton', before)).toBe(before)
  expect(read('2020-12-08T09:00', 'America/Regina', before)).toEqual(['at: tasks.datePast'])
  // The second of a repeated hour stays the second.
  const second = '2099-11-01T08:30:00.000Z'
  expect(read('2099-11-01T01:30', 'America/Edmonton', second)).toBe(second)
})
