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
  [{ code: 'card_declined', decline_code: 'lost_card' }, 'Your card was declined. Please use another card.'],
  [{ code: 'card_declined', decline_code: 'fraudulent' }, 'Your card was declined. Please use another card.'],
  [
    { code: 'card_declined', decline_code: 'card_velocity_exceeded' },
    'Your card was declined: it has reached its limit for now. Please use another card.',
  ],
  [{ code: 'expired_card', decline_code: 'expired_card' }, 'Your card has expired. Please use another card.'],
  [
    { code: 'processing_error', decline_code: 'processing_error' },
    'Your card could not be charged just now. Nothing was paid; please try again in a moment.',
  ],
  [
    { code: 'payment_intent_authentication_failure' },
    'Your bank did not confirm it. Please try again or use another card.',
  ],
  [{ code: 'incorrect_number' }, 'Your card number is incorrect.'],
  [{ code: 'invalid_expiry_year_past' }, "Your card's expiration date is incorrect."],
  [{ code: 'incomplete_cvc' }, "Your card's security code is incomplete."],
  [{ code: 'incomplete_number' }, 'Your card number is incomplete.'],
  [{ code: 'resource_missing', message: "No such payment_intent: 'pi_1'" }, 'Payment failed'],
  [undefined, 'Payment failed'],
])('%j', (error, text) => {
  expect(cardFailure(error, 'payments.failedBody').message).toBe(text)
})

test.each([
  ['card_declined', 'number'],
  ['expired_card', 'expiry'],
  ['incorrect_number', 'number'],
  ['invalid_expiry_year_past', 'expiry'],
  ['incomplete_cvc', 'code'],
  ['incorrect_cvc', 'code'],
  ['processing_error', undefined],
  ['payment_intent_authentication_failure', undefined],
  ['resource_missing', undefined],
])('%s marks %s', (code, field) => {
  const failure = cardFailure({ code }, 'payments.failedBody')
  expect(failure instanceof CardFieldProblem ? failure.field : undefined).toBe(field)
})
