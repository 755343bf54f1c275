// The scale of the chart: round lines, none below the highest bar.
import { expect, test } from 'vitest'
import { cents } from '../../../../shared/money.ts'
import { scaleOf } from './scale.ts'

test.each([
  [0, 1],
  [0.99, 1],
  [99, 100],
  [148.5, 200],
  [200, 200],
  [200.01, 500],
  [999.99, 1000],
  [12_345, 20_000],
])('$%d is drawn below $%d', (highest, top) => {
  expect(scaleOf(cents(Math.round(highest * 100)))).toBe(top * 100)
})
