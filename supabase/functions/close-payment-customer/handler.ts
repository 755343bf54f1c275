// Has the provider delete the customer of somebody who has left, with their saved cards. Called by the effect that leaving
// queues; one that is gone already is left alone. https://docs.stripe.com/api/customers/delete
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { refusalOf, stripeClient } from '../_shared/stripe.ts'

const body = jsonBody(z.object({ customer: z.string().min(1) }))

export default endpoint(
  { caller: 'secret', body, failure: 'The customer could not be closed' },
  async ({ body: { customer }, env }) => {
    try {
      await stripeClient(env).customers.del(customer)
      return { closed: true }
    } catch (error) {
      if (refusalOf(error)) return { closed: false }
      throw error
    }
  },
)
