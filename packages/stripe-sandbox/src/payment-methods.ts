// PaymentMethods of type card: https://docs.stripe.com/api/payment_methods. Card numbers are looked at, never kept.
import { z } from 'zod'
import { behaviour, cardNamed, cardNumbered, fingerprint, plausibleNumber, type TestCard } from './cards.ts'
import { cardFailure, invalidRequest } from './errors.ts'
import { newId, type PaymentMethod } from './objects.ts'
import { expandable, integer, listParams, mergeMetadata, metadata, text } from './params.ts'
import { emit, insert, list, type Session, save, take } from './store.ts'

const address = z.strictObject({
  city: text.optional(),
  country: text.optional(),
  line1: text.optional(),
  line2: text.optional(),
  postal_code: text.optional(),
  state: text.optional(),
})
const billingDetails = z.strictObject({
  address: z.union([z.literal(''), address]).optional(),
  email: text.optional(),
  name: text.optional(),
  phone: text.optional(),
})
const cardDetails = z.strictObject({
  number: text.optional(),
  exp_month: integer.optional(),
  exp_year: integer.optional(),
  cvc: text.optional(),
  token: text.optional(),
})

/** Parameters of a new card, also inside the confirmation of an intent. */
export const paymentMethodData = z.strictObject({
  type: text,
  card: cardDetails.optional(),
  billing_details: billingDetails.optional(),
  metadata: metadata.optional(),
  allow_redisplay: text.optional(),
})
export const createParams = paymentMethodData.extend(expandable)
/** Parameters of a new card that a browser may send, as Stripe.js does. */
export const browserCreateParams = paymentMethodData.omit({ metadata: true })
export const updateParams = z.strictObject({
  billing_details: billingDetails.optional(),
  card: z.strictObject({ exp_month: integer.optional(), exp_year: integer.optional() }).optional(),
  metadata: metadata.optional(),
  ...expandable,
})
export const attachParams = z.strictObject({ customer: text, ...expandable })
export const paymentMethodListParams = listParams({ customer: text.optional(), type: text.optional() })

/** Makes a card from its number or from a test token. A wrong number, date or code is a card_error, as at Stripe. */
export async function createPaymentMethod(
  session: Session,
  params: z.output<typeof paymentMethodData>,
): Promise<PaymentMethod> {
  if (params.type !== 'card') {
    throw invalidRequest(
      `The payment method type "${params.type}" is invalid: only card is activated here.`,
      {
        param: 'type',
      },
    )
  }
  if (!params.card) {
    throw invalidRequest('Missing required param: card.', { code: 'parameter_missing', param: 'card' })
  }
  const { card, month, year } = readCard(params.card)
  return insert(session, cardObject(session, card, month, year, params.billing_details, params.metadata))
}

/** The PaymentMethod with this id, or a new one when the id is a test name (`pm_card_visa`). */
export async function resolvePaymentMethod(
  session: Session,
  id: string,
  param = 'payment_method',
): Promise<PaymentMethod> {
  if (/^pm_card_/.test(id)) {
    const card = cardNamed(id)
    if (card) return insert(session, cardObject(session, card, 12, new Date().getUTCFullYear() + 4))
  }
  return take<PaymentMethod>(session, 'payment_method', id, param)
}

export async function updatePaymentMethod(
  session: Session,
  id: string,
  params: z.output<typeof updateParams>,
): Promise<PaymentMethod> {
  const method = await take<PaymentMethod>(session, 'payment_method', id, 'payment_method')
  return save(session, {
    ...method,
    ...(params.card && method.card ? { card: { ...method.card, ...defined(params.card) } } : {}),
    billing_details: { ...(method.billing_details as object), ...defined(params.billing_details ?? {}) },
    metadata: mergeMetadata(method.metadata ?? {}, params.metadata),
  })
}

/** Keeps a card with a customer. A card that would be declined is refused here, as at Stripe. */
export async function attachPaymentMethod(
  session: Session,
  id: string,
  customer: string,
): Promise<PaymentMethod> {
  const method = await resolvePaymentMethod(session, id)
  if (method.customer === customer) return method
  if (method.customer) {
    throw invalidRequest('The payment method you provided has already been attached to a customer.', {
      code: 'payment_method_already_attached',
    })
  }
  await take(session, 'customer', customer, 'customer')
  const card = behaviour(method.card)
  if (card.decline && !card.attachable) throw cardFailure(card.decline)
  const attached = await save(session, { ...method, customer })
  await emit(session, 'payment_method.attached', attached)
  return attached
}

export async function detachPaymentMethod(session: Session, id: string): Promise<PaymentMethod> {
  const method = await take<PaymentMethod>(session, 'payment_method', id, 'payment_method')
  if (!method.customer) {
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    )
  }
  const detached = await save(session, { ...method, customer: null })
  await emit(session, 'payment_method.detached', detached, { previous: { customer: method.customer } })
  return detached
}

export function listPaymentMethods(
  session: Session,
  { customer, type, ...paging }: z.output<typeof paymentMethodListParams>,
  url = '/v1/payment_methods',
) {
  return list(session, 'payment_method', url, paging, { customer, type })
}

function readCard(details: z.output<typeof cardDetails>): { card: TestCard; month: number; year: number } {
  if (details.token !== undefined) {
    const card = cardNamed(details.token)
    if (!card)
      throw invalidRequest(`No such token: '${details.token}'`, {
        code: 'resource_missing',
        param: 'card[token]',
      })
    return { card, month: 12, year: new Date().getUTCFullYear() + 4 }
  }
  for (const name of ['number', 'exp_month', 'exp_year'] as const) {
    if (details[name] === undefined) {
      throw invalidRequest(`Missing required param: card[${name}].`, {
        code: 'parameter_missing',
        param: `card[${name}]`,
      })
    }
  }
  const number = (details.number ?? '').replace(/[\s-]/g, '')
  if (!plausibleNumber(number)) {
    throw cardFailure({
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
      param: 'number',
    })
  }
  const month = details.exp_month ?? 0
  const year = (details.exp_year ?? 0) < 100 ? 2000 + (details.exp_year ?? 0) : (details.exp_year ?? 0)
  const now = new Date()
  if (month < 1 || month > 12) {
    throw cardFailure({
      code: 'invalid_expiry_month',
      message: "Your card's expiration month is invalid.",
      param: 'exp_month',
    })
  }
  if (
    year * 12 + month - 1 < now.getUTCFullYear() * 12 + now.getUTCMonth() ||
    year > now.getUTCFullYear() + 50
  ) {
    throw cardFailure({
      code: 'invalid_expiry_year',
      message: "Your card's expiration year is invalid.",
      param: 'exp_year',
    })
  }
  if (details.cvc !== undefined && !/^\d{3,4}$/.test(details.cvc)) {
    throw cardFailure({ code: 'invalid_cvc', message: "Your card's security code is invalid.", param: 'cvc' })
  }
  const card = cardNumbered(number)
  if (!card) {
    throw cardFailure({
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      message:
        'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
      param: '',
    })
  }
  return { card, month, year }
}

function cardObject(
  session: Session,
  card: TestCard,
  month: number,
  year: number,
  billing: z.output<typeof billingDetails> = {},
  metadataGiven?: z.output<typeof metadata>,
): PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: billing.address || {
        city: null,
        country: null,
        line1: null,
        line2: null,
        postal_code: null,
        state: null,
      },
      email: billing.email ?? null,
      name: billing.name ?? null,
      phone: billing.phone ?? null,
    },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: card.country,
      display_brand: card.brand,
      exp_month: month,
      exp_year: year,
      fingerprint: fingerprint(card.number),
      funding: card.funding,
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: session.now,
    customer: null,
    livemode: false,
    metadata: mergeMetadata({}, metadataGiven),
    type: 'card',
  }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
