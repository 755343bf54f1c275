// The clock that a time is by: tests of its name, and of when screens give it.
import { afterEach, expect, test, vi } from 'vitest'
import { clockName, clocksDiffer } from './clocks.ts'

afterEach(() => vi.restoreAllMocks())

/** The device is in that zone. */
const deviceIn = (timeZone: string) => {
  const resolved = { ...new Intl.DateTimeFormat('en').resolvedOptions(), timeZone }
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(resolved)
}

test('the device’s clock differs when it shows another time, as Toronto’s does and Denver’s in winter', () => {
  deviceIn('America/Regina')
  expect(clocksDiffer('2026-12-01T16:00:00Z')).toBe(false)
  deviceIn('America/Toronto')
  expect(clocksDiffer('2026-12-01T16:00:00Z')).toBe(true)
  deviceIn('America/Denver')
  expect(clocksDiffer('2025-12-01T16:00:00Z')).toBe(true)
  expect(clocksDiffer('2025-07-01T16:00:00Z')).toBe(false)
})

test('a tasker’s clock differs by its name', () => {
  deviceIn('America/Regina')
  expect(clocksDiffer('2026-07-01T16:00:00Z', ['America/Regina'])).toBe(false)
  expect(clocksDiffer('2026-07-01T16:00:00Z', ['America/Regina', 'America/Edmonton'])).toBe(true)
})

test('a clock has the marketplace’s name for it, or that of its zone', () => {
  expect(clockName('America/Regina')).toBe('Saskatchewan time')
  expect(clockName('America/Edmonton')).toBe('Mountain Time')
})
