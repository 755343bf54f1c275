// The groups of the payment provider's codes, and that a code nobody knows has words, too.
import { expect, test } from 'vitest'
import { payoutRefusal } from './refusals.ts'

test.each([
  ['insufficient_capabilities_for_transfer', 'account', 'account'],
  ['balance_insufficient', 'funds', 'givenUp'],
  ['a_code_of_tomorrow', 'unknown', 'givenUp'],
  [null, 'unknown', 'givenUp'],
])('a transfer refused with %s: %s, and after its last try: %s', (code, reason, atLast) => {
  expect(payoutRefusal([{ step: 'payout', code, given_up: false }])).toBe(reason)
  expect(payoutRefusal([{ step: 'payout', code, given_up: true }])).toBe(atLast)
})

test('the failure of another step says nothing', () => {
  expect(payoutRefusal([{ step: 'refund', code: 'balance_insufficient', given_up: true }])).toBe('unknown')
})
