// Refunds: https://docs.stripe.com/api/refunds. Never more than the charge has left, whole or in parts.
import { z } from 'zod'
import { behaviour } from './cards.ts'
import { recordMoney } from './charges.ts'
import { disputedOf } from './disputes.ts'
import { invalidRequest } from './errors.ts'
import {
  type Charge,
  dollars,
  type Metadata,
  newId,
  type PaymentIntent,
  type StripeObject,
} from './objects.ts'
import { expandable, listParams, mergeMetadata, metadata, positive, text } from './params.ts'
import { emit, insert, list, type Session, save, take } from './store.ts'

type Refund = StripeObject & { amount: number; currency: string; metadata: Metadata; status: string }

export const refundCreateParams = z.strictObject({
  amount: positive.optional(),
  charge: text.optional(),
  metadata: metadata.optional(),
  payment_intent: text.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  ...expandable,
})
export const refundUpdateParams = z.strictObject({ metadata: metadata.optional(), ...expandable })
export const refundListParams = listParams({ charge: text.optional(), payment_intent: text.optional() })

/** Gives money of a charge back; all that is left when no amount is given. */
export async function createRefund(
  session: Session,
  params: z.output<typeof refundCreateParams>,
): Promise<Refund> {
  const charge = await chargeToRefund(session, params.charge, params.payment_intent)
  const disputed = await disputedOf(session, charge.id)
  const left = charge.amount_captured - charge.amount_refunded - disputed.taken
  if (disputed.undecided || (left <= 0 && disputed.taken > 0)) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    })
  }
  if (left <= 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  }
  const amount = params.amount ?? left
  if (amount > left) {
    throw invalidRequest(
      `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
      { param: 'amount' },
    )
  }
  const id = newId('re')
  const transaction = await recordMoney(session, {
    type: 'refund',
    source: id,
    amount: -amount,
    currency: charge.currency,
  })
  const refund = await insert<Refund>(session, {
    id,
    object: 'refund',
    amount,
    balance_transaction: transaction.id,
    charge: charge.id,
    created: session.now,
    currency: charge.currency,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: mergeMetadata({}, params.metadata),
    payment_intent: charge.payment_intent,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  })
  const refunded = await save<Charge>(session, {
    ...charge,
    amount_refunded: charge.amount_refunded + amount,
    refunded: charge.amount_refunded + amount === charge.amount_captured,
  })
  await emit(session, 'refund.created', refund)
  await emit(session, 'charge.refunded', refunded, { previous: { amount_refunded: charge.amount_refunded } })
  if (behaviour(charge.payment_method_details.card).refundFails) await failRefund(session, refund, charge)
  return refund
}

/** The card's bank does not take it: the money is ours again, and the charge as it was `before`. */
async function failRefund(session: Session, refund: Refund, before: Charge): Promise<void> {
  const { id: source, amount, currency } = refund
  const transaction = await recordMoney(session, { type: 'refund_failure', source, amount, currency })
  const failed = await save<Refund>(session, {
    ...refund,
    failure_balance_transaction: transaction.id,
    failure_reason: 'expired_or_canceled_card',
    status: 'failed',
  })
  await save<Charge>(session, before)
  await emit(session, 'refund.failed', failed, { previous: { status: refund.status } })
}

export async function updateRefund(
  session: Session,
  id: string,
  params: z.output<typeof refundUpdateParams>,
): Promise<Refund> {
  const refund = await take<Refund>(session, 'refund', id, 'refund')
  const changed = await save(session, {
    ...refund,
    metadata: mergeMetadata(refund.metadata ?? {}, params.metadata),
  })
  await emit(session, 'refund.updated', changed)
  return changed
}

export function listRefunds(
  session: Session,
  { charge, payment_intent, ...paging }: z.output<typeof refundListParams>,
) {
  return list(session, 'refund', '/v1/refunds', paging, { charge, payment_intent })
}

async function chargeToRefund(session: Session, chargeId?: string, intentId?: string): Promise<Charge> {
  if (chargeId) {
    const charge = await take<Charge>(session, 'charge', chargeId, 'charge')
    if (charge.status !== 'succeeded') {
      throw invalidRequest(`Charge ${charge.id} was not paid, so it cannot be refunded.`, { param: 'charge' })
    }
    return charge
  }
  if (!intentId) {
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
      { code: 'parameter_missing' },
    )
  }
  const intent = await take<PaymentIntent>(session, 'payment_intent', intentId, 'payment_intent')
  if (intent.status !== 'succeeded' || !intent.latest_charge) {
    throw invalidRequest(`This PaymentIntent (${intentId}) does not have a successful charge to refund.`, {
      param: 'payment_intent',
    })
  }
  return take<Charge>(session, 'charge', intent.latest_charge, 'charge')
}
