// The memory budget: who gets memory, and whose request is refused.
import { expect, test } from 'vitest'
import { type Exhausted, MemoryBudget } from './memory-budget.ts'

const limits = { total: 100, perAddress: 60 }

/** A reservation of `bytes`, and why it was revoked. */
function reservation(budget: MemoryBudget, address: string, bytes = 0) {
  const revoked: Exhausted[] = []
  const one = budget.open(address, (exhausted) => revoked.push(exhausted))
  expect(one.grow(bytes)).toBe(null)
  return { ...one, revoked }
}

test('an address has its share and no more, and gets back what it released', () => {
  const budget = new MemoryBudget(limits)
  const [one, other] = [reservation(budget, 'a', 30), reservation(budget, 'a', 30)]
  expect(one.grow(1)).toBe('address')
  expect(budget.size).toBe(60)
  other.release()
  other.release()
  expect(one.grow(30)).toBe(null)
  expect(budget.size).toBe(60)
})

test('a smaller request of the same address makes the largest one give way', () => {
  const budget = new MemoryBudget(limits)
  const [large, larger, small] = [
    reservation(budget, 'a', 25),
    reservation(budget, 'a', 35),
    reservation(budget, 'a'),
  ]
  expect(small.grow(10)).toBe(null)
  expect([large.revoked, larger.revoked]).toEqual([[], ['address']])
  expect(small.grow(40)).toBe('address')
})

test('when all is exhausted, whoever holds most gives way to whoever would hold less', () => {
  const budget = new MemoryBudget(limits)
  const [most, some, honest] = [
    reservation(budget, 'a', 60),
    reservation(budget, 'b', 40),
    reservation(budget, 'c'),
  ]
  expect(honest.grow(20)).toBe(null)
  expect([most.revoked, some.revoked]).toEqual([['all'], []])
  expect(budget.size).toBe(60)
  const another = reservation(budget, 'd', 40)
  // Nobody holds more than it would then: it is the one that is refused.
  expect(another.grow(10)).toBe('all')
  expect([some.revoked, honest.revoked, another.revoked]).toEqual([[], [], []])
})

test('one that was revoked holds nothing and can release without harm', () => {
  const budget = new MemoryBudget(limits)
  const large = reservation(budget, 'a', 60)
  reservation(budget, 'a', 20)
  large.release()
  expect(budget.size).toBe(20)
})

test('a complete body is never evicted, and the last quarter is for small requests', () => {
  const mb = 1024 * 1024
  const budget = new MemoryBudget({ total: 8 * mb, perAddress: 8 * mb })
  const complete = reservation(budget, 'a', 6 * mb)
  complete.keep()
  const [large, small] = [reservation(budget, 'b'), reservation(budget, 'b')]
  expect(large.grow(mb)).toBe('all')
  expect(small.grow(100_000)).toBe(null)
  expect([complete.revoked, large.revoked, small.revoked]).toEqual([[], [], []])
})

test('an announced body is refused at once if no other can be evicted for it', () => {
  const budget = new MemoryBudget(limits)
  const [, requester] = [reservation(budget, 'a', 50), reservation(budget, 'a')]
  expect([requester.lacks(10), requester.lacks(20), requester.lacks(55)]).toEqual([null, null, 'address'])
  reservation(budget, 'b', 50)
  const late = reservation(budget, 'c')
  expect([late.lacks(40), late.lacks(50)]).toEqual([null, 'all'])
  expect(budget.size).toBe(100)
})
