// Prices and sums of a booking with changes of its price.
import { expect, test } from 'vitest'
import { priceOf } from '../../../shared/fees.ts'
import { cents } from '../../../shared/money.ts'
import { type Change, movedTotal, sumOfKind, withExtras } from './changes.ts'

function change(kind: string, dollars: number, escrow_status: string | null, state = 'done'): Change {
  const amount = cents(dollars * 100)
  const total = kind === 'increase' ? priceOf(amount).total : amount
  const payout_amount = kind === 'increase' ? priceOf(amount).payout : amount
  const back = escrow_status === 'refunded'
  return {
    kind,
    amount,
    state,
    payment: escrow_status && {
      total,
      payout_amount: back ? cents(0) : payout_amount,
      refund_amount: back ? total : cents(0),
      lost_amount: cents(0),
      escrow_status,
    },
  } as never
}

const main = {
  total: cents(12_000),
  payout_amount: cents(8000),
  refund_amount: cents(0),
  lost_amount: cents(0),
  escrow_status: 'released' as const,
}

test('a price with paid increases and expenses, without tips and what went back', () => {
  const changes = [
    change('increase', 20, 'held'),
    change('increase', 10, 'refunded'),
    change('expense', 30, 'held'),
    change('tip', 5, 'released'),
    change('increase', 50, 'pending', 'accepted'),
  ]
  expect(withExtras(priceOf(cents(10_000)), changes)).toEqual({
    amount: 15_000,
    platformFee: 1800,
    gst: 600,
    total: 17_400,
    payout: 12_600,
    feeFree: 3000,
  })
  expect(sumOfKind(changes, 'increase')).toBe(2000)
})

test('the sum that was paid or received, with tips', () => {
  const changes = [
    change('increase', 20, 'released'),
    change('expense', 30, 'released'),
    change('tip', 5, 'released'),
    change('increase', 10, 'refunded'),
    change('increase', 50, null, 'proposed'),
  ]
  expect(movedTotal(main, changes, 'giver')).toBe(12_000 + 2400 + 3000 + 500)
  expect(movedTotal(main, changes, 'tasker')).toBe(8000 + 1600 + 3000 + 500)
  expect(movedTotal({ ...main, escrow_status: 'pending' }, changes, 'giver')).toBeNull()
})
