// Names of clocks, and where they differ.
import { expect, test } from 'vitest'
import { clockName, differsFromDevice, wallTimeAt } from './clocks.ts'

test('a clock has the marketplace’s name for it, or that of its zone', () => {
  expect(clockName('America/Regina')).toBe('Saskatchewan time')
  expect(clockName('America/Edmonton')).toBe('Mountain Time')
})

test('a moment is shown on another clock where that has another time of day', () => {
  expect(wallTimeAt('2026-01-15T16:00:00Z', 'America/Edmonton')).toBe('9:00 a.m.')
  expect(wallTimeAt('2026-07-15T16:00:00Z', 'America/Edmonton')).toBeNull()
  expect(wallTimeAt('2026-01-15T16:00:00Z', 'America/Regina')).toBeNull()
})

test('a clock differs from that of the device if it does at some time of the year', () => {
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(differsFromDevice(device)).toBe(false)
  expect(differsFromDevice('Asia/Kolkata')).toBe(device !== 'Asia/Kolkata')
})
