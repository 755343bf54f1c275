// The groups of the payment provider's codes, and that a code nobody knows has words, too.
import { expect, test } from 'vitest'
import { payoutRefusal, refundLacksFunds } from './refusals.ts'

test.each([
  ['insufficient_capabilities_for_transfer', 'account'],
  ['balance_insufficient', 'funds'],
  ['a_code_of_tomorrow', 'unknown'],
  [null, 'unknown'],
])('a transfer refused with %s: %s', (code, reason) => {
  expect(payoutRefusal([{ step: 'payout', code }])).toBe(reason)
})

test('a refund waits for our balance, or for somebody who mends it', () => {
  expect(refundLacksFunds([{ step: 'refund', code: 'balance_insufficient' }])).toBe(true)
  expect(refundLacksFunds([{ step: 'refund', code: 'expired_or_canceled_card' }])).toBe(false)
})

test('the failure of another step says nothing', () => {
  expect(payoutRefusal([{ step: 'refund', code: 'balance_insufficient' }])).toBe('unknown')
  expect(refundLacksFunds([{ step: 'payout', code: 'balance_insufficient' }])).toBe(false)
})
