// Takes the payment provider's events: verified by their signature (https://docs.stripe.com/webhooks), then stored
// and applied by the database in one transaction. Anything but 2xx makes the provider send the event again.
import Stripe from 'stripe'
import { endpoint } from '../_shared/endpoint.ts'
import { refreshAccount } from '../_shared/payout-account.ts'
import { HttpError } from '../_shared/respond.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService, type Environment } from '../_shared/supabase.ts'

export default endpoint(
  { caller: 'provider', body: signedEvent, failure: 'The event could not be recorded', failureStatus: 500 },
  async ({ body: event, env }) => {
    const recorded = await callAsService<{ status: string }>(env, 'record_stripe_event', { event })
    // Events of one account may come in any order, and tell the time in whole seconds: what it is now, it says itself.
    if (event.type === 'account.updated') await refreshAccount(env, stripeClient(env), event.data.object.id)
    return { received: true, status: recorded.status }
  },
)

/**
 * 400 for what Stripe did not sign, or signed more than 5 minutes ago. Events of the platform and those of its connected
 * accounts come from two endpoints with a secret each, so there may be several, separated by commas:
 * https://docs.stripe.com/connect/webhooks
 */
async function signedEvent(request: Request, env: Environment): Promise<Stripe.Event> {
  const secrets = env.STRIPE_WEBHOOK_SECRET?.split(',').map((secret) => secret.trim())
  if (!secrets) throw new HttpError(503, 'Webhooks are not set up')
  const signature = request.headers.get('stripe-signature')
  if (!signature) throw new HttpError(400, 'No Stripe-Signature header')
  const body = await request.text()
  const crypto = Stripe.createSubtleCryptoProvider()
  const { webhooks } = stripeClient(env)
  for (const secret of secrets) {
    try {
      return await webhooks.constructEventAsync(body, signature, secret, undefined, crypto)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
    }
  }
  throw new HttpError(400, 'The signature does not match')
}
