// Takes the payment provider's events: verified by their signature (https://docs.stripe.com/webhooks), then stored
// and applied by the database in one transaction. Anything but 2xx makes the provider send the event again.
import Stripe from 'stripe'
import { Refusal, refuse, respond } from '../_shared/respond.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService, type Environment } from '../_shared/supabase.ts'

/** 400 for what Stripe did not sign, or signed more than 5 minutes ago. */
export default async function handler(request: Request, env: Environment): Promise<Response> {
  try {
    if (request.method !== 'POST') throw new Refusal(405, 'Use POST')
    const event = await verified(request, env)
    const recorded = await callAsService<{ status: string }>(env, 'record_stripe_event', { event })
    return respond(200, { received: true, status: recorded.status })
  } catch (error) {
    if (error instanceof Refusal) return refuse(error)
    console.error('An event of the payment provider could not be recorded', error)
    return refuse(new Refusal(500, 'The event could not be recorded'))
  }
}

async function verified(request: Request, env: Environment): Promise<Stripe.Event> {
  const secret = env.STRIPE_WEBHOOK_SECRET
  if (!secret) throw new Refusal(503, 'Webhooks are not set up')
  const signature = request.headers.get('stripe-signature')
  if (!signature) throw new Refusal(400, 'No Stripe-Signature header')
  const body = await request.text()
  const crypto = Stripe.createSubtleCryptoProvider()
  try {
    return await stripeClient(env).webhooks.constructEventAsync(body, signature, secret, undefined, crypto)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 'The signature does not match')
  }
}
