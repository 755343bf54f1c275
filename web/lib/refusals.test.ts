// The groups of the payment provider's codes, and that a code nobody knows has words, too.
import { expect, test } from 'vitest'
import { payoutRefusal } from './refusals.ts'

test.each([
  ['insufficient_capabilities_for_transfer', 'account'],
  ['balance_insufficient', 'funds'],
  ['a_code_of_tomorrow', 'unknown'],
  [null, 'unknown'],
])('a transfer refused with %s: %s', (code, reason) => {
  expect(payoutRefusal([{ step: 'payout', code }])).toBe(reason)
})

test('the failure of another step says nothing', () => {
  expect(payoutRefusal([{ step: 'refund', code: 'balance_insufficient' }])).toBe('unknown')
})
