// Moments that free times offer.
import { afterEach, expect, test, vi } from 'vitest'
import { localFromInstant } from '../format.ts'
import { clocksDiffer, isFree, startsIn } from './freeSlots.ts'

const slot = (starts_at: string, ends_at: string) => ({ starts_at, ends_at, time_zone: 'America/Regina' })
const slots = [
  slot('2026-12-01T15:45:00+00:00', '2026-12-01T18:30:00+00:00'),
  slot('2026-12-02T15:00:00Z', '2026-12-02T16:00:00Z'),
]

test('a task begins with the free time or at a full hour, and ends within it', () => {
  const starts = (minutes: number) => startsIn(slots, minutes).map((at) => at.toISOString().slice(8, 16))
  expect(starts(60)).toEqual(['01T15:45', '01T16:00', '01T17:00', '02T15:00'])
  expect(starts(90)).toEqual(['01T15:45', '01T16:00', '01T17:00', '02T15:00'])
  expect(starts(91)).toEqual(['01T15:45', '01T16:00', '02T15:00'])
})

test('a moment is free if the whole task fits', () => {
  expect(isFree(slots, '2026-12-01T17:30:00Z', 60)).toBe(true)
  expect(isFree(slots, '2026-12-01T17:31:00Z', 60)).toBe(false)
  expect(isFree(slots, '2026-12-01T15:44:00Z', 60)).toBe(false)
})

afterEach(() => vi.restoreAllMocks())

const deviceIn = (timeZone: string) =>
  vi.spyOn(Date.prototype, 'getTimezoneOffset').mockImplementation(function (this: Date) {
    return (this.getTime() - Date.parse(`${localFromInstant(this, timeZone)}:00Z`)) / 60_000
  })

test('the device’s clock differs when it shows another time, as Toronto’s does and Denver’s in winter', () => {
  deviceIn('America/Regina')
  expect(clocksDiffer([slot('2026-12-01T16:00:00Z', '2026-12-01T16:00:00Z')])).toBe(false)
  deviceIn('America/Toronto')
  expect(clocksDiffer([slot('2026-12-01T16:00:00Z', '2026-12-01T16:00:00Z')])).toBe(true)
  deviceIn('America/Denver')
  expect(clocksDiffer([slot('2025-12-01T16:00:00Z', '2025-12-01T16:00:00Z')])).toBe(true)
  expect(clocksDiffer([slot('2025-07-01T16:00:00Z', '2025-07-01T16:00:00Z')])).toBe(false)
})

test('a tasker’s clock differs by its name', () => {
  deviceIn('America/Regina')
  expect(clocksDiffer([slot('2026-07-01T16:00:00Z', '2026-07-01T17:00:00Z')])).toBe(false)
  expect(
    clocksDiffer([
      { ...slot('2026-07-01T16:00:00Z', '2026-07-01T17:00:00Z'), time_zone: 'America/Edmonton' },
    ]),
  ).toBe(true)
})
