// A refused card is explained in our words, whatever the provider answers, and at the field that is at fault.
import { beforeAll, expect, test } from 'vitest'
import { startI18n } from '../../../i18n/index.ts'
import { cardFailure } from './cardFailure.ts'
import { CardFieldProblem } from './paymentProvider.ts'

beforeAll(() => startI18n('en'))

test.each([
  [
    { code: 'card_declined', decline_code: 'insufficient_funds' },
    'Your card has insufficient funds. Please use another card.',
  ],
  [
    { code: 'card_declined', decline_code: 'stolen_card' },
    'Your card was declined. Please use another card.',
  ],
  [
    { code: 'card_declined', decline_code: 'a_code_of_tomorrow' },
    'Your card was declined. Please use another card.',
  ],
  [{ code: 'incorrect_cvc', decline_code: 'incorrect_cvc' }, "Your card's security code is incorrect."],
  [{ code: 'incomplete_number' }, 'Your card number is incomplete.'],
  [{ code: 'resource_missing', message: "No such payment_intent: 'pi_1'" }, 'Payment failed'],
  [undefined, 'Payment failed'],
])('%j', (error, text) => {
  expect(cardFailure(error, 'payments.failedBody').message).toBe(text)
})

test.each([
  ['card_declined', 'number'],
  ['expired_card', 'expiry'],
  ['incorrect_cvc', 'code'],
  ['processing_error', undefined],
  ['payment_intent_authentication_failure', undefined],
  ['resource_missing', undefined],
])('%s marks %s', (code, field) => {
  const failure = cardFailure({ code }, 'payments.failedBody')
  expect(failure instanceof CardFieldProblem ? failure.field : undefined).toBe(field)
})
