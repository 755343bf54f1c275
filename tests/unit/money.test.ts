// Dollars become whole cents in one place, and no cent is lost on the way.
import { expect, test } from 'vitest'
import { cents, fromDollars, share, sum, toDollars } from '../../shared/money.ts'

test.each([
  [0.1 + 0.2, 30],
  [1.1, 110],
  [33.33, 3333],
  [-5.5, -550],
  [100_000, 10_000_000],
])('%f dollars are %i cents', (dollars, count) => {
  expect(fromDollars(dollars)).toBe(count)
  expect(fromDollars(toDollars(cents(count)))).toBe(count)
})

test('a part of a cent and no number at all are refused', () => {
  expect(() => cents(0.5)).toThrow(RangeError)
  expect(() => fromDollars(Number.NaN)).toThrow(RangeError)
  expect(() => fromDollars(Number.POSITIVE_INFINITY)).toThrow(RangeError)
})

test('sums and shares are whole, halves round up', () => {
  expect(sum(cents(10), cents(20), cents(-5))).toBe(25)
  expect(share(cents(10), 15)).toBe(2)
  expect(share(cents(9), 5)).toBe(0)
  // Quebec's tax: 3.3516 and 1995.00.
  expect(share(cents(3360), 9.975)).toBe(335)
  expect(share(cents(20_000), 9.975)).toBe(1995)
})
