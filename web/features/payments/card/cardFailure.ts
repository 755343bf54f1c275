// Why a card was refused, in our words and the reader's language: the provider's own text may be for developers, or in
// another language. Codes: https://docs.stripe.com/error-codes, https://docs.stripe.com/declines/codes
import i18next from 'i18next'
import type { TextKey } from '../../../i18n/index.ts'
import { CardFieldProblem } from './paymentProvider.ts'

/** The fields of the provider's error that tell the reason. */
export type CardError = { code?: string | undefined; decline_code?: string | undefined }

/** A decline's own code says more than the error's; what a card's owner need not know is a plain decline. */
const declines: Record<string, TextKey> = {
  insufficient_funds: 'payments.declined.funds',
  withdrawal_count_limit_exceeded: 'payments.declined.funds',
  card_velocity_exceeded: 'payments.declined.limit',
  currency_not_supported: 'payments.declined.unsupported',
  card_not_supported: 'payments.declined.unsupported',
  authentication_required: 'payments.declined.authentication',
}

const errors: Record<string, TextKey> = {
  card_declined: 'payments.declined.card',
  expired_card: 'payments.declined.expired',
  incorrect_cvc: 'payments.declined.code',
  invalid_cvc: 'payments.declined.code',
  incorrect_number: 'payments.declined.number',
  invalid_number: 'payments.declined.number',
  invalid_expiry_month: 'payments.declined.expiry',
  invalid_expiry_year: 'payments.declined.expiry',
  invalid_expiry_month_past: 'payments.declined.expiry',
  invalid_expiry_year_past: 'payments.declined.expiry',
  incomplete_number: 'payments.numberIncomplete',
  incomplete_expiry: 'payments.expiryIncomplete',
  incomplete_cvc: 'payments.codeIncomplete',
  processing_error: 'payments.declined.processing',
  authentication_required: 'payments.declined.authentication',
  payment_intent_authentication_failure: 'payments.declined.authentication',
  setup_intent_authentication_failure: 'payments.declined.authentication',
}

/** The field that is at fault; a card that the bank declines is its number. Of the rest no field is. */
const fields: Partial<Record<TextKey, CardFieldProblem['field']>> = {
  'payments.declined.card': 'number',
  'payments.declined.funds': 'number',
  'payments.declined.limit': 'number',
  'payments.declined.unsupported': 'number',
  'payments.declined.number': 'number',
  'payments.numberIncomplete': 'number',
  'payments.expiryIncomplete': 'expiry',
  'payments.codeIncomplete': 'code',
  'payments.declined.expired': 'expiry',
  'payments.declined.expiry': 'expiry',
  'payments.declined.code': 'code',
}

/**
 * An Error for the payer, with its field where it is one; `otherwise` is the text for failures that are not the
 * card's.
 */
export function cardFailure(error: CardError | null | undefined, otherwise: TextKey): Error {
  const key = declines[error?.decline_code ?? ''] ?? errors[error?.code ?? ''] ?? otherwise
  const field = fields[key]
  return field ? new CardFieldProblem(field, i18next.t(key)) : new Error(i18next.t(key))
}
