// Answers {clientSecret} of a SetupIntent with which the caller's browser gives a card to the provider, to be kept with the
// caller's customer. https://docs.stripe.com/payments/save-and-reuse
import { customerOfCaller } from '../_shared/customers.ts'
import { endpoint, noBody } from '../_shared/endpoint.ts'
import { stripeClient } from '../_shared/stripe.ts'

export default endpoint(
  { caller: 'user', body: noBody, failure: { code: 'payment_method.save_failed' } },
  async ({ request, env }) => {
    const { userId, customerId } = await customerOfCaller(request, env)
    const intent = await stripeClient(env).setupIntents.create({
      customer: customerId,
      allowed_payment_method_types: ['card'],
      // The payer is there when it is used, so their bank may ask them then.
      usage: 'on_session',
      metadata: { user_id: userId },
    })
    return { clientSecret: intent.client_secret }
  },
)
