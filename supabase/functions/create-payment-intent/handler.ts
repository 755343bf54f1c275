// Answers {clientSecret} of the one PaymentIntent that pays a booking, however often it is asked. The amount is the
// database's.
import { z } from 'zod'
import { endpoint } from '../_shared/endpoint.ts'
import { Refusal } from '../_shared/respond.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService, callAsUser } from '../_shared/supabase.ts'

type Prepared = {
  payment_id: string
  booking_id: string
  task_id: string
  total_cents: number
  currency: string
  payment_intent_id: string | null
}

// The web app also sends amount, taskId and payeeId; the database knows them better, so they are not looked at.
const body = z.object({ bookingId: z.uuid('must be the id of a booking') })

export default endpoint(
  { caller: 'user', body, failure: 'Failed to create payment intent' },
  async ({ body: { bookingId }, request, env }) => {
    const stripe = stripeClient(env)
    const payment = await callAsUser<Prepared>(request, env, 'prepare_payment', { booking_id: bookingId })
    const intent = payment.payment_intent_id
      ? await stripe.paymentIntents.retrieve(payment.payment_intent_id)
      : await stripe.paymentIntents.create(
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
          { idempotencyKey: `payment-${payment.payment_id}` },
        )
    await callAsService(env, 'attach_payment_intent', {
      payment_id: payment.payment_id,
      payment_intent_id: intent.id,
    })
    // Paid, and the webhook that says so is still on its way.
    if (intent.status === 'succeeded') throw new Refusal(409, 'This booking is already paid')
    return { clientSecret: intent.client_secret }
  },
)
