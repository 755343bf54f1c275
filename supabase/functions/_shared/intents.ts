// How a PaymentIntent ends: it is cancelled at the provider, so that it can never charge, or it turns out to be paid.
// The database records which (record_payment_intent); https://docs.stripe.com/payments/paymentintents/lifecycle.
import Stripe from 'stripe'
import { coded } from './respond.ts'
import { stripeClient } from './stripe.ts'
import { callAsService, type Environment } from './supabase.ts'

type Ended = Pick<Stripe.PaymentIntent, 'id' | 'status'> & Partial<Stripe.PaymentIntent>

/**
 * Closes the intent, or records that it was paid. HttpError 409 while the provider is still charging the card and 503
 * when it does not answer; in both cases nothing was recorded.
 */
export async function settleIntent(env: Environment, paymentId: string, intentId: string): Promise<void> {
  const intent = await ended(stripeClient(env), intentId)
  if (intent.status !== 'succeeded' && intent.status !== 'canceled') {
    throw coded(409, 'payment.processing')
  }
  await recordIntent(env, paymentId, intent)
}

/** Records an intent that has ended. Throws when the database cannot make sense of the payment. */
export async function recordIntent(env: Environment, paymentId: string, intent: Ended): Promise<void> {
  const { id, status, amount, amount_received, currency, latest_charge } = intent
  const note = await callAsService<string | null>(env, 'record_payment_intent', {
    payment_id: paymentId,
    intent: { id, status, amount, amount_received, currency, latest_charge },
  })
  if (note) throw new Error(`payment ${paymentId}, intent ${id}: ${note}`)
}

/** The intent as the provider has it. One that it does not know can never charge. */
export async function knownIntent(stripe: Stripe, id: string): Promise<Ended> {
  try {
    return await stripe.paymentIntents.retrieve(id)
  } catch (error) {
    if (isRefused(error, 'resource_missing')) return { id, status: 'canceled' }
    throw error
  }
}

async function ended(stripe: Stripe, id: string): Promise<Ended> {
  try {
    return await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' })
  } catch (error) {
    if (isRefused(error, 'resource_missing')) return { id, status: 'canceled' }
    if (isRefused(error, 'payment_intent_unexpected_state')) return knownIntent(stripe, id)
    console.error(`The payment intent ${id} could not be cancelled`, error)
    throw coded(503, 'payment.provider_unavailable')
  }
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === code
}
