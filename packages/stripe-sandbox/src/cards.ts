// Stripe's published test cards (https://docs.stripe.com/testing): numbers, PaymentMethod names, what they do.
import { createHash } from 'node:crypto'

/** Why a charge is refused; the texts are Stripe's. */
export type Decline = { code: string; decline_code?: string; message: string }

export type TestCard = {
  number: string
  brand: string
  funding: string
  country: string
  /** Names that stand for it as a PaymentMethod, without `pm_card_`. */
  names: string[]
  /** Refused when charged. */
  decline?: Decline
  /** Can be kept with a customer although it is refused when charged. */
  attachable?: boolean
  /** Authentication wanted: at every payment, or only at those for which it was not set up. */
  authentication?: 'always' | 'unless_set_up'
  /** Charged, and then disputed by its owner: for this reason, in so many disputes, or only asked about by the bank. */
  disputed?: { reason: string; times?: number; inquiry?: boolean }
  /** Refunds to this card come back a moment later. */
  refundFails?: boolean
  /** Its money is available at once, as a top-up of a test balance. */
  availableAtOnce?: boolean
}

const declined = (decline_code: string): Decline => ({
  code: 'card_declined',
  decline_code,
  message: 'Your card was declined.',
})
const insufficientFunds: Decline = {
  code: 'card_declined',
  decline_code: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
}
const visa = (number: string, names: string[], more: Partial<TestCard> = {}): TestCard => ({
  number,
  brand: 'visa',
  funding: 'credit',
  country: 'US',
  names,
  ...more,
})

export const testCards: TestCard[] = [
  visa('4242424242424242', ['visa', 'us']),
  visa('4000056655665556', ['visa_debit'], { funding: 'debit' }),
  visa('4000001240000000', ['ca'], { country: 'CA' }),
  visa('5555555555554444', ['mastercard'], { brand: 'mastercard' }),
  visa('2223003122003222', [], { brand: 'mastercard' }),
  visa('5200828282828210', ['mastercard_debit'], { brand: 'mastercard', funding: 'debit' }),
  visa('5105105105105100', ['mastercard_prepaid'], { brand: 'mastercard', funding: 'prepaid' }),
  visa('378282246310005', ['amex'], { brand: 'amex' }),
  visa('371449635398431', [], { brand: 'amex' }),
  visa('6011111111111117', ['discover'], { brand: 'discover' }),
  visa('3056930009020004', ['diners'], { brand: 'diners' }),
  visa('36227206271667', [], { brand: 'diners' }),
  visa('3566002020360505', ['jcb'], { brand: 'jcb' }),
  visa('6200000000000005', ['unionpay'], { brand: 'unionpay' }),
  visa('4000000000000077', ['bypassPending'], { availableAtOnce: true }),
  visa('4000003720000278', ['bypassPendingInternational'], { availableAtOnce: true, country: 'IE' }),

  visa('4000000000005126', ['refundFail'], { refundFails: true }),
  visa('4000000000000259', ['createDispute'], { disputed: { reason: 'fraudulent' } }),
  visa('4000000000002685', ['createDisputeProductNotReceived'], {
    disputed: { reason: 'product_not_received' },
  }),
  visa('4000000000001976', ['createDisputeInquiry'], { disputed: { reason: 'fraudulent', inquiry: true } }),
  visa('4000000404000079', ['createMultipleDisputes'], { disputed: { reason: 'fraudulent', times: 2 } }),

  visa('4000000000000002', ['chargeDeclined', 'visa_chargeDeclined'], {
    decline: declined('generic_decline'),
  }),
  visa('4000000000009995', ['chargeDeclinedInsufficientFunds', 'visa_chargeDeclinedInsufficientFunds'], {
    decline: insufficientFunds,
  }),
  visa('4000000000009987', ['visa_chargeDeclinedLostCard'], { decline: declined('lost_card') }),
  visa('4000000000009979', ['visa_chargeDeclinedStolenCard'], { decline: declined('stolen_card') }),
  visa('4000000000000069', ['chargeDeclinedExpiredCard'], {
    decline: { code: 'expired_card', decline_code: 'expired_card', message: 'Your card has expired.' },
  }),
  visa('4000000000000127', ['chargeDeclinedIncorrectCvc'], {
    decline: {
      code: 'incorrect_cvc',
      decline_code: 'incorrect_cvc',
      message: "Your card's security code is incorrect.",
    },
  }),
  visa('4000000000000119', ['chargeDeclinedProcessingError'], {
    decline: {
      code: 'processing_error',
      decline_code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  }),
  visa('4000000000006975', ['visa_chargeDeclinedVelocityLimitExceeded'], {
    decline: declined('card_velocity_exceeded'),
  }),
  visa('4100000000000019', ['radarBlock'], { decline: declined('fraudulent') }),
  visa('4000000000000341', ['chargeCustomerFail'], {
    decline: declined('generic_decline'),
    attachable: true,
  }),

  visa('4000002500003155', ['authenticationRequired'], { authentication: 'unless_set_up' }),
  visa('4000002760003184', ['authenticationRequiredOnSetup'], { authentication: 'always' }),
  visa('4000000000003220', ['threeDSecure2Required'], { authentication: 'always' }),
  visa('4000003800000446', ['authenticationRequiredSetupForOffSession'], { authentication: 'unless_set_up' }),
  visa('4000008260003178', ['authenticationRequiredChargeDeclinedInsufficientFunds'], {
    authentication: 'always',
    decline: insufficientFunds,
    attachable: true,
  }),
  visa('4000008400001629', ['threeDSecureRequiredChargeDeclined'], {
    authentication: 'always',
    decline: declined('generic_decline'),
    attachable: true,
  }),
]

/** Stands for a card number without holding it. */
export function fingerprint(number: string): string {
  return createHash('sha256')
    .update(`meadowlark test card ${number}`)
    .digest('base64url')
    .replace(/[-_]/g, 'x')
    .slice(0, 16)
}

const byFingerprint = new Map(testCards.map((card) => [fingerprint(card.number), card]))
const byName = new Map(testCards.flatMap((card) => card.names.map((name) => [name, card] as const)))
const byNumber = new Map(testCards.map((card) => [card.number, card]))

/** How a stored card behaves; one the sandbox does not know (a seeded card) is simply good. */
export function behaviour(card: { fingerprint?: string } | undefined): Partial<TestCard> {
  return byFingerprint.get(card?.fingerprint ?? '') ?? {}
}

/** The test card named `pm_card_<name>` or `tok_<name>`. */
export function cardNamed(name: string): TestCard | undefined {
  return byName.get(name.replace(/^(pm_card|tok)_/, ''))
}

/** The test card with this number. */
export function cardNumbered(number: string): TestCard | undefined {
  return byNumber.get(number)
}

/** Whether the digits pass the check that every real card number passes (Luhn). */
export function plausibleNumber(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false
  let sum = 0
  for (const [index, digit] of [...number].reverse().entries()) {
    const doubled = index % 2 ? Number(digit) * 2 : Number(digit)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
