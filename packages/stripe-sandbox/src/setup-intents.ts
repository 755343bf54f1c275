// SetupIntents, which keep a card for later: https://docs.stripe.com/payments/setup-intents.
import { z } from 'zod'
import { behaviour } from './cards.ts'
import {
  authenticationFailure,
  browserParams,
  cardParams,
  checkOwner,
  checkReturnUrl,
  confirmationParams,
  confirmParams,
  declineError,
  givenMethod,
  nextAction,
} from './confirmation.ts'
import { cardFailure, invalidRequest } from './errors.ts'
import { newId, type PaymentMethod, randomText, type SetupIntent } from './objects.ts'
import { expandable, flag, listParams, mergeMetadata, text } from './params.ts'
import { emit, find, insert, list, present, type Session, save, take } from './store.ts'

const details = { ...cardParams, ...expandable, usage: z.enum(['off_session', 'on_session']).optional() }
export const setupCreateParams = z.strictObject({
  ...details,
  ...confirmationParams,
  confirm: flag.optional(),
})
export const setupUpdateParams = z.strictObject(details)
/** https://docs.stripe.com/api/setup_intents/confirm */
export const setupConfirmParams = z.strictObject(confirmParams)
export const browserConfirmParams = z.strictObject(browserParams)
export const setupCancelParams = z.strictObject({
  cancellation_reason: z.enum(['abandoned', 'duplicate', 'requested_by_customer']).optional(),
  ...expandable,
})
export const setupListParams = listParams({ customer: text.optional(), payment_method: text.optional() })

export async function createSetup(
  session: Session,
  params: z.output<typeof setupCreateParams>,
): Promise<SetupIntent> {
  checkReturnUrl(params.return_url)
  if (params.customer) await find(session, 'customer', params.customer, 'customer')
  const method = await givenMethod(session, params)
  if (method) checkOwner(method, params.customer ?? null)
  const id = newId('seti')
  const intent = await insert<SetupIntent>(session, {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    application: null,
    automatic_payment_methods: params.allowed_payment_method_types
      ? null
      : { allow_redirects: 'always', enabled: true },
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomText(25)}`,
    created: session.now,
    customer: params.customer || null,
    description: params.description || null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: mergeMetadata({}, params.metadata),
    next_action: null,
    on_behalf_of: null,
    payment_method: method?.id ?? null,
    payment_method_options: {
      card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: params.allowed_payment_method_types ?? ['card'],
    single_use_mandate: null,
    status: method ? 'requires_confirmation' : 'requires_payment_method',
    usage: params.usage ?? 'off_session',
  })
  await emit(session, 'setup_intent.created', intent)
  return params.confirm ? confirm(session, intent, method, params.return_url) : intent
}

export async function updateSetup(
  session: Session,
  id: string,
  params: z.output<typeof setupUpdateParams>,
): Promise<SetupIntent> {
  const intent = await takeOpen(session, id, 'update')
  if (params.customer) await find(session, 'customer', params.customer, 'customer')
  const method = await givenMethod(session, params)
  const changed: SetupIntent = {
    ...intent,
    ...(params.customer === undefined ? {} : { customer: params.customer || null }),
    ...(params.description === undefined ? {} : { description: params.description || null }),
    ...(method ? { payment_method: method.id, status: 'requires_confirmation', next_action: null } : {}),
    metadata: mergeMetadata(intent.metadata ?? {}, params.metadata),
  }
  if (method) checkOwner(method, changed.customer)
  return save(session, changed)
}

/** Confirms: the card is kept, authentication is asked for, or the card is refused (402, and the intent remembers). */
export async function confirmSetup(
  session: Session,
  id: string,
  params: z.output<typeof setupConfirmParams>,
): Promise<SetupIntent> {
  const intent = await takeOpen(session, id, 'confirm')
  checkReturnUrl(params.return_url)
  return confirm(session, intent, await givenMethod(session, params), params.return_url)
}

/** The owner's answer on the authentication page. */
export async function authenticateSetup(
  session: Session,
  id: string,
  succeeded: boolean,
): Promise<SetupIntent> {
  const intent = await take<SetupIntent>(session, 'setup_intent', id, 'intent')
  if (intent.status !== 'requires_action' || !intent.payment_method) return intent
  const method = await find<PaymentMethod>(session, 'payment_method', intent.payment_method)
  if (succeeded) return succeed(session, intent, method)
  return refuse(session, intent, method, {
    ...authenticationFailure,
    code: 'setup_intent_authentication_failure',
  })
}

export async function cancelSetup(
  session: Session,
  id: string,
  params: z.output<typeof setupCancelParams>,
): Promise<SetupIntent> {
  const intent = await takeOpen(session, id, 'cancel')
  const canceled = await save<SetupIntent>(session, {
    ...intent,
    cancellation_reason: params.cancellation_reason ?? null,
    next_action: null,
    status: 'canceled',
  })
  await emit(session, 'setup_intent.canceled', canceled)
  return canceled
}

export function listSetups(
  session: Session,
  { customer, payment_method, ...paging }: z.output<typeof setupListParams>,
) {
  return list(session, 'setup_intent', '/v1/setup_intents', paging, { customer, payment_method })
}

async function confirm(
  session: Session,
  intent: SetupIntent,
  given: PaymentMethod | undefined,
  returnUrl: string | undefined,
): Promise<SetupIntent> {
  const method =
    given ??
    (intent.payment_method && (await find<PaymentMethod>(session, 'payment_method', intent.payment_method)))
  if (!method) {
    throw invalidRequest(
      "You cannot confirm this SetupIntent because it's missing a payment method. Update the SetupIntent with a payment method and then confirm it again.",
      { code: 'setup_intent_unexpected_state', setup_intent: present(intent, session.now) },
    )
  }
  checkOwner(method, intent.customer)
  const card = behaviour(method.card)
  const chosen = { ...intent, payment_method: method.id, last_setup_error: null, next_action: null }
  if (card.authentication && method._set_up !== true) {
    const waiting = await save<SetupIntent>(session, {
      ...chosen,
      status: 'requires_action',
      next_action: nextAction(session, intent, returnUrl),
    })
    await emit(session, 'setup_intent.requires_action', waiting)
    return waiting
  }
  if (card.decline && !card.attachable) {
    const refused = await refuse(session, chosen, method, card.decline)
    throw cardFailure({ ...card.decline, setup_intent: present(refused, session.now) }, true)
  }
  return succeed(session, chosen, method)
}

async function succeed(session: Session, intent: SetupIntent, method: PaymentMethod): Promise<SetupIntent> {
  await save(session, { ...method, customer: intent.customer ?? method.customer, _set_up: true })
  const succeeded = await save<SetupIntent>(session, { ...intent, next_action: null, status: 'succeeded' })
  await emit(session, 'setup_intent.succeeded', succeeded)
  return succeeded
}

async function refuse(
  session: Session,
  intent: SetupIntent,
  method: PaymentMethod,
  error: { code: string; message: string; decline_code?: string },
): Promise<SetupIntent> {
  const refused = await save<SetupIntent>(session, {
    ...intent,
    last_setup_error: declineError(session, method, error),
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  })
  await emit(session, 'setup_intent.setup_failed', refused)
  return refused
}

async function takeOpen(session: Session, id: string, verb: string): Promise<SetupIntent> {
  const intent = await take<SetupIntent>(session, 'setup_intent', id, 'intent')
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw invalidRequest(`You cannot ${verb} this SetupIntent because it has a status of ${intent.status}.`, {
      code: 'setup_intent_unexpected_state',
      setup_intent: present(intent, session.now),
    })
  }
  return intent
}
