// Keeps the card of a SetupIntent that has succeeded: what is shown of it comes from the provider, and it must be kept with
// the caller's own customer.
import { z } from 'zod'
import { customerOfCaller } from '../_shared/customers.ts'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { coded } from '../_shared/respond.ts'
import { refusalOf, stripeClient } from '../_shared/stripe.ts'
import { callAsService } from '../_shared/supabase.ts'

const body = jsonBody(
  z.object({ setupIntent: z.string().regex(/^seti_\w{1,200}$/, 'must be the id of a setup intent') }),
)
const FAILURE = 'payment_method.save_failed'

export default endpoint(
  { caller: 'user', body, failure: { code: FAILURE } },
  async ({ body: { setupIntent }, request, env }) => {
    const { userId, customerId } = await customerOfCaller(request, env)
    const intent = await stripeClient(env)
      .setupIntents.retrieve(setupIntent, { expand: ['payment_method'] })
      .catch((error) => {
        throw refusalOf(error) ? coded(400, FAILURE, { field: 'setupIntent' }) : error
      })
    const method = intent.payment_method
    // One of another customer is nobody's business here.
    const isOwn = intent.customer === customerId && intent.status === 'succeeded'
    if (!isOwn || typeof method !== 'object' || method === null) {
      throw coded(400, FAILURE, { field: 'setupIntent' })
    }
    return { id: await callAsService<string>(env, 'record_payment_method', { owner: userId, method }) }
  },
)
