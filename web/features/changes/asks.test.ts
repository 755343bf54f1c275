// The changes of the price that each side can propose.
import { expect, test } from 'vitest'
import { asksOf } from './asks.ts'
import type { ChangingBooking } from './slots.ts'

const NOW = new Date('2026-11-22T18:00:00Z')

function booking(over: Record<string, unknown>): ChangingBooking {
  return {
    status: 'in_progress',
    expense_limit: null,
    doer: { full_name: 'Theo' },
    payment: { escrow_status: 'held', released_at: null },
    changes: [],
    ...over,
  } as never
}
const released = (released_at: string) => ({
  status: 'completed',
  payment: { escrow_status: 'released', released_at },
})
const tips = (count: number, state = 'done') => ({
  changes: Array.from({ length: count }, () => ({ kind: 'tip', state })),
})

test.each([
  ['work under way', {}, ['decrease', 'limit'], ['increase', 'decrease']],
  ['with a limit', { expense_limit: 5000 }, ['decrease', 'limit'], ['increase', 'expense', 'decrease']],
  [
    'with an open increase',
    { changes: [{ kind: 'increase', state: 'accepted' }] },
    ['decrease', 'limit'],
    ['decrease'],
  ],
  ['frozen', { payment: { escrow_status: 'frozen', released_at: null } }, [], []],
  ['completed', { status: 'completed' }, [], []],
  ['released', released('2026-11-20T18:00:00Z'), ['tip'], []],
  ['released two weeks ago', released('2026-11-08T17:00:00Z'), [], []],
  ['with three tips', { ...released('2026-11-20T18:00:00Z'), ...tips(3) }, [], []],
  ['with a tip to pay', { ...released('2026-11-20T18:00:00Z'), ...tips(1, 'accepted') }, [], []],
  ['whose tasker has left', { ...released('2026-11-20T18:00:00Z'), doer: { full_name: null } }, [], []],
])('%s', (_, over, giver, tasker) => {
  expect([asksOf(booking(over), 'giver', NOW), asksOf(booking(over), 'tasker', NOW)]).toEqual([giver, tasker])
})
