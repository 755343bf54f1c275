// Has the provider forget a removed card. Called by the effect that its removal queues; a card of somebody else's, or one that
// is gone already, is left alone.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { refusalOf, stripeClient } from '../_shared/stripe.ts'

const body = jsonBody(z.object({ payment_method: z.string().min(1), customer: z.string().min(1) }))

export default endpoint(
  { caller: 'secret', body, failure: 'The card could not be removed' },
  async ({ body: { payment_method, customer }, env }) => {
    const stripe = stripeClient(env)
    try {
      const method = await stripe.paymentMethods.retrieve(payment_method)
      if (method.customer !== customer) return { detached: false }
      await stripe.paymentMethods.detach(payment_method)
      return { detached: true }
    } catch (error) {
      if (refusalOf(error)) return { detached: false }
      throw error
    }
  },
)
