// Rate limiters: what fits at once, what time brings back, and that keys do not pile up.
import { expect, test } from 'vitest'
import { rateLimiter } from './rate-limiter.ts'

test('as many at once as the amount, and then as many as time refills', () => {
  let now = 0
  const limit = rateLimiter({ amount: 3, window: 30 }, () => now)
  const take = (count: number) => Array.from({ length: count }, () => limit.take('a'))
  expect(take(4)).toEqual([true, true, true, false])
  now += 10_000
  expect(take(2)).toEqual([true, false])
  now += 3_600_000
  expect(take(4)).toEqual([true, true, true, false])
  expect(limit.take('b')).toBe(true)
})

test('asking for room does not count, and rejected requests do not put off the refill', () => {
  let now = 0
  const limit = rateLimiter({ amount: 1, window: 10 }, () => now)
  expect([limit.hasRoom('a'), limit.hasRoom('a'), limit.take('a'), limit.hasRoom('a')]).toEqual([
    true,
    true,
    true,
    false,
  ])
  for (now = 1000; now < 10_000; now += 1000) expect(limit.take('a')).toBe(false)
  expect(limit.take('a')).toBe(true)
})

test('an amount of nothing lets nothing through', () => {
  expect(rateLimiter({ amount: 0, window: 60 }).take('a')).toBe(false)
})

test('a clock that is set back takes nothing away', () => {
  let now = 3_600_000
  const limit = rateLimiter({ amount: 2, window: 10 }, () => now)
  expect(limit.take('a')).toBe(true)
  now = 0
  expect([limit.take('a'), limit.take('a')]).toEqual([true, false])
  now += 5000
  expect(limit.take('a')).toBe(true)
})

test('keeps a reserve', () => {
  const limit = rateLimiter({ amount: 3, window: 10 }, () => 0)
  expect([limit.take('a', 2), limit.take('a', 2), limit.take('a'), limit.take('a')]).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('addresses without end stay within bounds, those used last being kept', () => {
  const limit = rateLimiter({ amount: 1, window: 10 }, () => 0, 100)
  for (let index = 0; index <= 1000; index++) limit.take(String(index))
  expect([limit.hasRoom('0'), limit.hasRoom('1000')]).toEqual([true, false])
})
