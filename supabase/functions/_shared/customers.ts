// Customers at the payment provider: one for each person, with their saved cards.
// https://docs.stripe.com/api/customers
import { stripeClient } from './stripe.ts'
import { callAsService, callAsUser, type Environment } from './supabase.ts'

type Prepared = { user_id: string; customer_id: string | null; idempotency_key: string }

/** The caller and their customer, which is made when there is none. Nothing personal goes along: the card says who pays. */
export async function customerOfCaller(
  request: Request,
  env: Environment,
): Promise<{ userId: string; customerId: string }> {
  const known = await callAsUser<Prepared>(request, env, 'prepare_payment_customer', {})
  if (known.customer_id) return { userId: known.user_id, customerId: known.customer_id }
  const customer = await stripeClient(env).customers.create(
    { metadata: { user_id: known.user_id } },
    { idempotencyKey: known.idempotency_key },
  )
  const customerId = await callAsService<string>(env, 'record_payment_customer', {
    owner: known.user_id,
    customer_id: customer.id,
  })
  return { userId: known.user_id, customerId }
}
