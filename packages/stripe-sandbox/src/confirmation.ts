// Shared by intents: the card to confirm with, whether it wants authentication, the next action for it
// (https://docs.stripe.com/payments/3d-secure), and the errors that remember a decline.
import { z } from 'zod'
import type { TestCard } from './cards.ts'
import { invalidRequest } from './errors.ts'
import type { IntentError, PaymentMethod } from './objects.ts'
import { browserExpandable, expandable, flag, metadata, text } from './params.ts'
import { createPaymentMethod, paymentMethodData, resolvePaymentMethod } from './payment-methods.ts'
import { present, type Session } from './store.ts'

/** Parameters that name or describe the card, for creating, updating and confirming an intent. */
export const cardParams = {
  payment_method: text.optional(),
  payment_method_data: paymentMethodData.optional(),
  allowed_payment_method_types: z.array(text).optional(),
  payment_method_options: z.record(z.string(), z.unknown()).optional(),
  automatic_payment_methods: z.strictObject({ enabled: flag, allow_redirects: text.optional() }).optional(),
  customer: text.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
}

/** Parameters that come with a confirmation, for an intent that is confirmed as it is made. */
export const confirmationParams = {
  return_url: text.optional(),
  use_stripe_sdk: flag.optional(),
  error_on_requires_action: flag.optional(),
  off_session: z.string().optional(),
  mandate_data: z.record(z.string(), z.unknown()).optional(),
}

/**
 * Parameters that a browser may send with a confirmation: the card and the return address, as Stripe.js does. It may
 * not change the intent's customer, amount, description or metadata.
 */
export const browserParams = {
  payment_method: text.optional(),
  payment_method_data: paymentMethodData.omit({ metadata: true }).optional(),
  payment_method_options: z.record(z.string(), z.unknown()).optional(),
  mandate_data: z.record(z.string(), z.unknown()).optional(),
  return_url: text.optional(),
  use_stripe_sdk: flag.optional(),
  client_secret: text.optional(),
  expected_payment_method_type: text.optional(),
  key: text.optional(),
  ...browserExpandable,
}

/** Parameters for confirming an existing intent with the secret key. */
export const confirmParams = {
  ...browserParams,
  payment_method_data: paymentMethodData.optional(),
  allowed_payment_method_types: z.array(text).optional(),
  error_on_requires_action: flag.optional(),
  off_session: z.string().optional(),
  ...expandable,
}

/** The card the request names or describes, if it does. */
export async function givenMethod(
  session: Session,
  params: {
    payment_method?: string | undefined
    payment_method_data?: z.output<typeof paymentMethodData> | undefined
  },
): Promise<PaymentMethod | undefined> {
  if (params.payment_method_data) return createPaymentMethod(session, params.payment_method_data)
  if (params.payment_method) return resolvePaymentMethod(session, params.payment_method)
  return undefined
}

/** Refuses a card that belongs to another customer. */
export function checkOwner(method: PaymentMethod, customer: string | null): void {
  if (method.customer && method.customer !== customer) {
    throw invalidRequest(
      customer
        ? 'The provided PaymentMethod does not belong to the provided Customer.'
        : 'The provided PaymentMethod cannot be attached. To reuse a PaymentMethod, you must attach it to a Customer first.',
      { param: 'payment_method' },
    )
  }
}

/** Whether the bank wants the card's owner to authenticate. A set-up card is one that a SetupIntent has authenticated. */
export function wantsAuthentication(card: Partial<TestCard>, method: PaymentMethod): boolean {
  if (card.authentication === 'always') return true
  return card.authentication === 'unless_set_up' && method._set_up !== true
}

/** Sends the payer to the sandbox's own authentication page. */
export function nextAction(
  session: Session,
  intent: { id: string; client_secret: string },
  returnUrl: string | undefined,
): Record<string, unknown> {
  const url = `${session.origin}/sandbox/stripe/authenticate/${intent.id}?client_secret=${intent.client_secret}`
  return returnUrl
    ? { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } }
    : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
}

/** Checks where the payer is to return to: an address of the web, never a script. */
export function checkReturnUrl(url: string | undefined): void {
  if (url === undefined) return
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidRequest('Not a valid URL', { code: 'url_invalid', param: 'return_url' })
  }
}

/** The error an intent remembers after a decline. */
export function declineError(
  session: Session,
  method: PaymentMethod,
  error: { code: string; message: string; decline_code?: string },
  charge?: string,
): IntentError {
  return {
    type: 'card_error',
    ...error,
    ...(charge ? { charge } : {}),
    payment_method: present(method, session.now),
  }
}

export const authenticationFailure = {
  code: 'payment_intent_authentication_failure',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
}
