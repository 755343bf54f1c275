// The state of a payout, and why a bank sent one back.
import { expect, test } from 'vitest'
import { reasonOf, stateOf } from './states.ts'

const payment = { payout_status: 'queued', open_disputes: 0, unsettled_loss: 0 } as const

test('a chargeback holds what is not sent yet, and nothing else', () => {
  expect(stateOf({ payment })).toBe('queued')
  expect(stateOf({ payment: { ...payment, open_disputes: 1 } })).toBe('onHold')
  expect(stateOf({ payment: { ...payment, unsettled_loss: 500 } })).toBe('onHold')
  expect(stateOf({ payment: { ...payment, payout_status: 'sent', open_disputes: 1 } })).toBe('sent')
})

test('a reason that nobody here knows is no raw code', () => {
  expect(reasonOf('account_closed')).toBe('payouts.returned.closed')
  expect(reasonOf('a_code_of_tomorrow')).toBe('payouts.returned.unknown')
  expect(reasonOf(null)).toBe('payouts.returned.unknown')
})
