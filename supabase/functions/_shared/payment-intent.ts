// The one PaymentIntent that pays a booking: created with the key that the database gives, and attached before anybody can pay with
// it. An intent that ended is recorded.
import type Stripe from 'stripe'
import type { Cents } from '../../../shared/money.ts'
import { knownIntent, recordIntent, settleIntent } from './intents.ts'
import { coded, HttpError } from './respond.ts'
import { callAsService, type Environment } from './supabase.ts'

/** The payment as the database describes it (private.payment_of_booking). */
export type Prepared = {
  payment_id: string
  booking_id: string
  task_id: string
  total_cents: Cents
  currency: string
  payment_intent_id: string | null
  idempotency_key: string
}

type OpenIntent = Pick<Stripe.PaymentIntent, 'id'> & Partial<Stripe.PaymentIntent>

/** The attached intent that can pay; null if the known one was closed, so that the next call makes another. Throws 409 if it is paid. */
export async function openIntent(
  env: Environment,
  stripe: Stripe,
  payment: Prepared,
): Promise<OpenIntent | null> {
  const intent = payment.payment_intent_id
    ? await knownIntent(stripe, payment.payment_intent_id)
    : await create(stripe, payment)
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    await recordIntent(env, payment.payment_id, intent)
  }
  if (intent.status === 'succeeded') throw coded(409, 'payment.already_paid')
  if (intent.status === 'canceled') return null
  await attach(env, payment.payment_id, intent.id)
  return intent
}

function create(stripe: Stripe, payment: Prepared): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create(
    {
      amount: payment.total_cents,
      currency: payment.currency.toLowerCase(),
      allowed_payment_method_types: ['card'],
      transfer_group: payment.booking_id,
      metadata: {
        payment_id: payment.payment_id,
        booking_id: payment.booking_id,
        task_id: payment.task_id,
      },
    },
    { idempotencyKey: payment.idempotency_key },
  )
}

/** Only an attached intent is handed out: one that the database refuses, because the booking ended, is closed. */
async function attach(env: Environment, paymentId: string, intentId: string): Promise<void> {
  try {
    await callAsService(env, 'attach_payment_intent', {
      payment_id: paymentId,
      payment_intent_id: intentId,
    })
  } catch (error) {
    if (error instanceof HttpError) await settleIntent(env, paymentId, intentId)
    throw error
  }
}
