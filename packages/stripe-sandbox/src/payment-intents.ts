// PaymentIntents with automatic capture: https://docs.stripe.com/payments/paymentintents/lifecycle.
import { z } from 'zod'
import { attempt, unexpectedState } from './attempt.ts'
import {
  browserParams,
  cardParams,
  checkOwner,
  checkReturnUrl,
  confirmationParams,
  confirmParams,
  givenMethod,
} from './confirmation.ts'
import { invalidRequest } from './errors.ts'
import { newId, type PaymentIntent, randomText } from './objects.ts'
import { currency, expandable, flag, integer, listParams, mergeMetadata, text } from './params.ts'
import { emit, find, insert, list, type Session, save, take } from './store.ts'

const details = {
  ...cardParams,
  receipt_email: text.optional(),
  setup_future_usage: z.enum(['off_session', 'on_session', '']).optional(),
  statement_descriptor: text.optional(),
  statement_descriptor_suffix: text.optional(),
  transfer_group: text.optional(),
  ...expandable,
}
export const intentCreateParams = z.strictObject({
  ...details,
  ...confirmationParams,
  amount: integer,
  currency,
  confirm: flag.optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  confirmation_method: z.literal('automatic').optional(),
})
export const intentUpdateParams = z.strictObject({
  ...details,
  amount: integer.optional(),
  currency: currency.optional(),
})
const payerWishes = {
  receipt_email: text.optional(),
  setup_future_usage: z.enum(['off_session', 'on_session', '']).optional(),
}
/** https://docs.stripe.com/api/payment_intents/confirm */
export const intentConfirmParams = z.strictObject({ ...confirmParams, ...payerWishes })
export const browserConfirmParams = z.strictObject({ ...browserParams, ...payerWishes })
export const intentCancelParams = z.strictObject({
  cancellation_reason: z.enum(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  ...expandable,
})
export const intentListParams = listParams({ customer: text.optional() })

type Confirmation = z.output<typeof intentConfirmParams>

export async function createIntent(
  session: Session,
  params: z.output<typeof intentCreateParams>,
): Promise<PaymentIntent> {
  checkAmount(params.amount, params.currency)
  checkReturnUrl(params.return_url)
  if (params.customer) await find(session, 'customer', params.customer, 'customer')
  const method = await givenMethod(session, params)
  if (method) checkOwner(method, params.customer ?? null)
  const id = newId('pi')
  const intent = await insert<PaymentIntent>(session, {
    id,
    object: 'payment_intent',
    amount: params.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: params.allowed_payment_method_types
      ? null
      : { allow_redirects: params.automatic_payment_methods?.allow_redirects ?? 'always', enabled: true },
    canceled_at: null,
    cancellation_reason: null,
    capture_method: params.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic',
    created: session.now,
    currency: params.currency,
    customer: params.customer || null,
    description: params.description || null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: params.allowed_payment_method_types ?? ['card'],
    processing: null,
    receipt_email: params.receipt_email || null,
    review: null,
    setup_future_usage: params.setup_future_usage || null,
    shipping: null,
    source: null,
    statement_descriptor: params.statement_descriptor || null,
    statement_descriptor_suffix: params.statement_descriptor_suffix || null,
    status: method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_data: null,
    transfer_group: params.transfer_group || null,
  })
  await emit(session, 'payment_intent.created', intent)
  if (!params.confirm) return intent
  return attempt(session, intent, method, params)
}

export async function updateIntent(
  session: Session,
  id: string,
  params: z.output<typeof intentUpdateParams>,
): Promise<PaymentIntent> {
  const intent = await take<PaymentIntent>(session, 'payment_intent', id, 'intent')
  if (['succeeded', 'canceled', 'processing'].includes(intent.status)) {
    throw unexpectedState(
      session,
      intent,
      `This PaymentIntent's amount, card or description could not be updated because it has a status of ${intent.status}.`,
    )
  }
  if (params.amount !== undefined) checkAmount(params.amount, params.currency ?? intent.currency)
  if (params.customer) await find(session, 'customer', params.customer, 'customer')
  const changed = {
    ...intent,
    ...changesOf(params),
    metadata: mergeMetadata(intent.metadata ?? {}, params.metadata),
  }
  const method = await givenMethod(session, params)
  if (method) {
    checkOwner(method, changed.customer)
    Object.assign(changed, { payment_method: method.id, status: 'requires_confirmation', next_action: null })
  }
  return save(session, changed)
}

/** Confirms: the money is taken, authentication is asked for, or the card is refused (402, and the intent remembers). */
export async function confirmIntent(
  session: Session,
  id: string,
  params: Confirmation,
): Promise<PaymentIntent> {
  const intent = await take<PaymentIntent>(session, 'payment_intent', id, 'intent')
  if (intent.status === 'succeeded') {
    throw unexpectedState(
      session,
      intent,
      'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
    )
  }
  if (intent.status === 'canceled') {
    throw unexpectedState(
      session,
      intent,
      'You cannot confirm this PaymentIntent because it has a status of canceled. Only a PaymentIntent with one of the following statuses may be confirmed: requires_confirmation, requires_action.',
    )
  }
  checkReturnUrl(params.return_url)
  const usage = params.setup_future_usage
  if (session.key === 'publishable' && usage !== undefined && intent.setup_future_usage) {
    if (usage !== intent.setup_future_usage && usage !== 'off_session') {
      throw invalidRequest('With a publishable key setup_future_usage can only be changed to off_session.', {
        param: 'setup_future_usage',
      })
    }
  }
  const changed = { ...intent, ...changesOf(params) }
  return attempt(session, changed, await givenMethod(session, params), params)
}

export async function cancelIntent(
  session: Session,
  id: string,
  params: z.output<typeof intentCancelParams>,
): Promise<PaymentIntent> {
  const intent = await take<PaymentIntent>(session, 'payment_intent', id, 'intent')
  if (['succeeded', 'canceled', 'processing'].includes(intent.status)) {
    throw unexpectedState(
      session,
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action.`,
    )
  }
  const canceled = await save<PaymentIntent>(session, {
    ...intent,
    status: 'canceled',
    canceled_at: session.now,
    cancellation_reason: params.cancellation_reason ?? null,
    next_action: null,
  })
  await emit(session, 'payment_intent.canceled', canceled)
  return canceled
}

export function listIntents(session: Session, { customer, ...paging }: z.output<typeof intentListParams>) {
  return list(session, 'payment_intent', '/v1/payment_intents', paging, { customer })
}

/** The fields of an intent that a request changes, without card and metadata. */
function changesOf(params: z.output<typeof intentUpdateParams>): Partial<PaymentIntent> {
  const names = [
    'amount',
    'currency',
    'customer',
    'description',
    'receipt_email',
    'setup_future_usage',
    'statement_descriptor',
    'statement_descriptor_suffix',
    'transfer_group',
  ] as const
  const changes: Record<string, unknown> = {}
  for (const name of names) {
    if (params[name] !== undefined) changes[name] = params[name] === '' ? null : params[name]
  }
  return changes
}

function checkAmount(amount: number, currencyCode: string): void {
  if (amount < 50) {
    throw invalidRequest(`Amount must be at least $0.50 ${currencyCode}`, {
      code: 'amount_too_small',
      param: 'amount',
    })
  }
  if (amount > 99_999_999) {
    throw invalidRequest(`Amount must be no more than $999,999.99 ${currencyCode}`, {
      code: 'amount_too_large',
      param: 'amount',
    })
  }
}
