// One attempt to take an intent's money with a card: authentication, the charge, or the decline the intent remembers.
// Follows https://docs.stripe.com/payments/paymentintents/lifecycle.
import { behaviour, type Decline } from './cards.ts'
import { chargeCard, refuseCharge } from './charges.ts'
import {
  authenticationFailure,
  checkOwner,
  declineError,
  nextAction,
  wantsAuthentication,
} from './confirmation.ts'
import { disputeCharge } from './disputes.ts'
import { cardFailure, invalidRequest } from './errors.ts'
import type { PaymentIntent, PaymentMethod } from './objects.ts'
import { emit, find, present, type Session, save, take } from './store.ts'

/** The confirmation's data about the payer: the return address, and whether they are present. */
export type Attempt = {
  return_url?: string | undefined
  off_session?: string | undefined
  error_on_requires_action?: boolean | undefined
}

/**
 * Confirms `intent` with the card given, or else its own. Throws a card_error that keeps its changes when the card
 * is refused.
 */
export async function attempt(
  session: Session,
  intent: PaymentIntent,
  given: PaymentMethod | undefined,
  params: Attempt,
): Promise<PaymentIntent> {
  const method =
    given ??
    (intent.payment_method && (await find<PaymentMethod>(session, 'payment_method', intent.payment_method)))
  if (!method) {
    throw unexpectedState(
      session,
      intent,
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
    )
  }
  checkOwner(method, intent.customer)
  const card = behaviour(method.card)
  const chosen = { ...intent, payment_method: method.id, last_payment_error: null, next_action: null }
  if (wantsAuthentication(card, method)) {
    if (params.off_session !== undefined && params.off_session !== 'false') {
      return fail(session, chosen, method, {
        code: 'authentication_required',
        decline_code: 'authentication_required',
        message: 'Your card was declined. This transaction requires authentication.',
      })
    }
    if (params.error_on_requires_action) {
      throw cardFailure({
        code: 'authentication_required',
        message:
          'This payment required an authentication action to complete, but `error_on_requires_action` was set.',
      })
    }
    const waiting = await save<PaymentIntent>(session, {
      ...chosen,
      status: 'requires_action',
      next_action: nextAction(session, intent, params.return_url),
    })
    await emit(session, 'payment_intent.requires_action', waiting)
    return waiting
  }
  if (card.decline) return fail(session, chosen, method, card.decline)
  return succeed(session, chosen, method)
}

async function succeed(
  session: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
): Promise<PaymentIntent> {
  const charge = await chargeCard(session, intent, method, behaviour(method.card))
  if (intent.setup_future_usage && intent.customer) {
    await save(session, { ...method, customer: intent.customer, _set_up: true })
  }
  const succeeded = await save<PaymentIntent>(session, {
    ...intent,
    amount_received: intent.amount,
    last_payment_error: null,
    latest_charge: charge.id,
    next_action: null,
    status: 'succeeded',
  })
  await emit(session, 'payment_intent.succeeded', succeeded)
  const { disputed } = behaviour(method.card)
  if (disputed) await disputeCharge(session, charge, disputed)
  return succeeded
}

/** Records the decline and sends its event; the charge is only recorded when the bank was asked. */
async function refuse(
  session: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
  asked: boolean,
): Promise<{ intent: PaymentIntent; charge?: string }> {
  const charge = asked ? (await refuseCharge(session, intent, method, decline)).id : undefined
  const failed = await save<PaymentIntent>(session, {
    ...intent,
    last_payment_error: declineError(session, method, decline, charge),
    latest_charge: charge ?? intent.latest_charge,
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
  })
  await emit(session, 'payment_intent.payment_failed', failed)
  return { intent: failed, ...(charge ? { charge } : {}) }
}

async function fail(
  session: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
): Promise<never> {
  const refused = await refuse(session, intent, method, decline, true)
  throw cardFailure(
    {
      ...decline,
      ...(refused.charge ? { charge: refused.charge } : {}),
      payment_intent: present(refused.intent, session.now),
      payment_method: present(method, session.now),
    },
    true,
  )
}

/** The payer's answer on the authentication page: the payment goes on, or the card is not accepted. */
export async function authenticateIntent(
  session: Session,
  id: string,
  succeeded: boolean,
): Promise<PaymentIntent> {
  const intent = await take<PaymentIntent>(session, 'payment_intent', id, 'intent')
  if (intent.status !== 'requires_action' || !intent.payment_method) return intent
  const method = await find<PaymentMethod>(session, 'payment_method', intent.payment_method)
  if (!succeeded) return (await refuse(session, intent, method, authenticationFailure, false)).intent
  const card = behaviour(method.card)
  if (card.decline) return (await refuse(session, intent, method, card.decline, true)).intent
  return succeed(session, intent, method)
}

/** 400: the intent is not in a state for this. */
export function unexpectedState(session: Session, intent: PaymentIntent, message: string) {
  return invalidRequest(message, {
    code: 'payment_intent_unexpected_state',
    payment_intent: present(intent, session.now),
  })
}
