// Sends a giver their money back: the refund that a cancellation or a decision has queued. Called by run-effects, as often
// as it takes; the money moves once.
import type Stripe from 'stripe'
import type { Cents } from '../../../shared/money.ts'
import { dueBody, type NothingDue, recordingRefusal } from '../_shared/due.ts'
import { endpoint } from '../_shared/endpoint.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService } from '../_shared/supabase.ts'

type Refund = { action: 'send'; amount_cents: Cents; payment_intent: string; idempotency_key: string }

export default endpoint(
  { caller: 'secret', body: dueBody, failure: 'The refund could not be sent' },
  async ({ body: { payment_id }, env }) => {
    const due = await callAsService<Refund | NothingDue>(env, 'begin_refund', { payment_id })
    if (due.action === 'none') return { sent: false, reason: due.reason }
    const stripe = stripeClient(env)
    const refund = await recordingRefusal(
      env,
      'fail_refund',
      { paymentId: payment_id, key: due.idempotency_key },
      async () => (await madeBefore(stripe, payment_id, due)) ?? (await send(stripe, payment_id, due)),
    )
    if (refund.status === 'failed' || refund.status === 'canceled') {
      await callAsService(env, 'record_refund', { payment_id, refund })
      return { sent: false, reason: 'the refund failed at once' }
    }
    await callAsService(env, 'finish_refund', { payment_id, refund_id: refund.id })
    return { sent: true, refund: refund.id }
  },
)

function send(stripe: Stripe, paymentId: string, due: Refund): Promise<Stripe.Refund> {
  return stripe.refunds.create(
    {
      payment_intent: due.payment_intent,
      amount: due.amount_cents,
      reason: 'requested_by_customer',
      metadata: { payment_id: paymentId },
    },
    { idempotencyKey: due.idempotency_key },
  )
}

/** A refund whose answer never reached us. Stripe forgets idempotency keys after a day, its list does not forget. */
async function madeBefore(
  stripe: Stripe,
  paymentId: string,
  due: Refund,
): Promise<Stripe.Refund | undefined> {
  const { data } = await stripe.refunds.list({ payment_intent: due.payment_intent, limit: 100 })
  return data.find(
    (refund) =>
      refund.metadata?.payment_id === paymentId && refund.status !== 'failed' && refund.status !== 'canceled',
  )
}
