// Sends a tasker their money: the transfer that a release or a cancellation has queued. Called by run-effects, as often as
// it takes; the money moves once.
import type Stripe from 'stripe'
import type { Cents } from '../../../shared/money.ts'
import { dueBody, type NothingDue, recordingRefusal } from '../_shared/due.ts'
import { endpoint } from '../_shared/endpoint.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService } from '../_shared/supabase.ts'

type Payout = {
  action: 'send'
  amount_cents: Cents
  currency: string
  destination: string
  transfer_group: string
  source_transaction: string | null
  idempotency_key: string
}

export default endpoint(
  { caller: 'secret', body: dueBody, failure: 'The payout could not be sent' },
  async ({ body: { payment_id }, env }) => {
    const due = await callAsService<Payout | NothingDue>(env, 'begin_payout', { payment_id })
    if (due.action === 'none') return { sent: false, reason: due.reason }
    const stripe = stripeClient(env)
    const transfer = await recordingRefusal(
      env,
      'fail_payout',
      { paymentId: payment_id, key: due.idempotency_key },
      async () => (await madeBefore(stripe, payment_id, due)) ?? (await send(stripe, payment_id, due)),
      async (code) =>
        code === 'resource_missing' && (await isKnown(stripe, due)) ? 'account_invalid' : code,
    )
    await callAsService(env, 'finish_payout', { payment_id, transfer_id: transfer.id })
    return { sent: true, transfer: transfer.id }
  },
)

function send(stripe: Stripe, paymentId: string, due: Payout): Promise<Stripe.Transfer> {
  return stripe.transfers.create(
    {
      amount: due.amount_cents,
      currency: due.currency,
      destination: due.destination,
      transfer_group: due.transfer_group,
      // Draws on this booking's own charge, so it need not wait until the charge's money is available.
      ...(due.source_transaction ? { source_transaction: due.source_transaction } : {}),
      metadata: { payment_id: paymentId },
    },
    { idempotencyKey: due.idempotency_key },
  )
}

/** A transfer whose answer never reached us. Stripe forgets idempotency keys after a day, its list does not forget. */
async function madeBefore(
  stripe: Stripe,
  paymentId: string,
  due: Payout,
): Promise<Stripe.Transfer | undefined> {
  const { data } = await stripe.transfers.list({ transfer_group: due.transfer_group, limit: 100 })
  return data.find((transfer) => transfer.metadata.payment_id === paymentId && transfer.amount_reversed === 0)
}

/**
 * Whether Stripe knows the booking's charge: then what it lacked is the account. With another key than the payment was made by it
 * would lack both, and nobody's account is gone.
 */
async function isKnown(stripe: Stripe, { source_transaction }: Payout): Promise<boolean> {
  if (!source_transaction) return false
  try {
    await stripe.charges.retrieve(source_transaction)
    return true
  } catch {
    return false
  }
}
