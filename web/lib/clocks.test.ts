// Names of clocks.
import { expect, test } from 'vitest'
import { clockName } from './clocks.ts'

test('a clock has the marketplace’s name for it, or that of its zone', () => {
  expect(clockName('America/Regina')).toBe('Saskatchewan time')
  expect(clockName('America/Edmonton')).toBe('Mountain Time')
})
