// Answers {clientSecret} of the one PaymentIntent that pays a booking, or an accepted change of its price, however often it is
// asked. The amount is the database's.
import type Stripe from 'stripe'
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { openIntent, type Prepared } from '../_shared/payment-intent.ts'
import { refusalOf, stripeClient } from '../_shared/stripe.ts'
import { callAsService, callAsUser, type Environment } from '../_shared/supabase.ts'

/** An intent that was closed meanwhile is followed by a new one, this many times. */
const MAX_TRIES = 3

// The web app also sends amount, taskId and payeeId; the database knows them better, so they are not looked at.
const body = jsonBody(
  z.object({
    bookingId: z.uuid('must be the id of a booking'),
    changeId: z.uuid('must be the id of a change of its price').nullish(),
  }),
)

export default endpoint(
  { caller: 'user', body, failure: { code: 'payment.intent_failed' } },
  async ({ body: { bookingId, changeId }, request, env }) => {
    const stripe = stripeClient(env)
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const payment = changeId
        ? await callAsUser<Prepared>(request, env, 'prepare_change_payment', { change_id: changeId })
        : await callAsUser<Prepared>(request, env, 'prepare_payment', { booking_id: bookingId })
      const intent = await openIntent(env, stripe, payment)
      if (intent === null) continue
      await admitSavedCards(env, stripe, payment.payment_id, intent)
      return { clientSecret: intent.client_secret }
    }
    throw new Error(`the intents of booking ${bookingId} are closed as fast as they are made`)
  },
)

/**
 * Lets the payer's saved cards pay. Not when the intent is made: it is made once, and the first card may be saved later.
 * While an attempt is being charged the provider refuses it, and the intent stays as it is.
 */
async function admitSavedCards(
  env: Environment,
  stripe: Stripe,
  paymentId: string,
  intent: Pick<Stripe.PaymentIntent, 'id'> & Partial<Stripe.PaymentIntent>,
): Promise<void> {
  const customer = await callAsService<string | null>(env, 'customer_of_payment', { payment_id: paymentId })
  if (!customer || intent.customer === customer) return
  try {
    await stripe.paymentIntents.update(intent.id, { customer })
  } catch (error) {
    if (refusalOf(error) === null) throw error
  }
}
