// Disputes (chargebacks), opened by the test cards made for them and decided by the evidence: https://docs.stripe.com/testing#disputes,
// https://docs.stripe.com/api/disputes. The money is gone while the bank looks into it, and comes back when it is won.
import { z } from 'zod'
import { recordMoney } from './charges.ts'
import { invalidRequest } from './errors.ts'
import { type Charge, newId, type StripeObject } from './objects.ts'
import { expandable, flag, listParams, mergeMetadata, metadata, text } from './params.ts'
import { emit, find, insert, list, type Session, save, take } from './store.ts'

type Dispute = StripeObject & {
  amount: number
  balance_transactions: StripeObject[]
  charge: string
  currency: string
  evidence: Record<string, string>
  metadata: Record<string, string>
  payment_intent: string | null
  status: string
}

/** What Stripe takes for a dispute in Canada, in cents. */
const disputeFee = 1500
const week = 7 * 24 * 60 * 60

export const disputeListParams = listParams({ charge: text.optional(), payment_intent: text.optional() })
export const disputeUpdateParams = z.strictObject({
  evidence: z.record(z.string(), text).optional(),
  metadata: metadata.optional(),
  submit: flag.optional(),
  ...expandable,
})

/** The card's owner tells the bank that something is wrong with the charge. */
export async function openDispute(session: Session, charge: Charge, reason: string): Promise<Dispute> {
  const id = newId('du')
  const withdrawn = await recordMoney(session, {
    type: 'adjustment',
    source: id,
    amount: -charge.amount,
    fee: disputeFee,
    currency: charge.currency,
  })
  const dispute = await insert<Dispute>(session, {
    id,
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [withdrawn],
    charge: charge.id,
    created: session.now,
    currency: charge.currency,
    evidence: {},
    evidence_details: {
      due_by: session.now + week,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  })
  await save(session, { ...charge, disputed: true })
  await emit(session, 'charge.dispute.created', dispute)
  await emit(session, 'charge.dispute.funds_withdrawn', dispute)
  return dispute
}

/** Adds evidence; `winning_evidence` and `losing_evidence` as its text are how Stripe lets tests decide. */
export async function updateDispute(
  session: Session,
  id: string,
  params: z.output<typeof disputeUpdateParams>,
): Promise<Dispute> {
  const dispute = await open(session, id)
  const changed = await save<Dispute>(session, {
    ...dispute,
    evidence: { ...dispute.evidence, ...params.evidence },
    metadata: mergeMetadata(dispute.metadata, params.metadata),
  })
  if (!params.evidence || params.submit === false) return changed
  if (changed.evidence.uncategorized_text === 'winning_evidence') return win(session, changed)
  if (changed.evidence.uncategorized_text === 'losing_evidence') return end(session, changed, 'lost')
  return save(session, { ...changed, status: 'under_review' })
}

/** Gives in: the dispute is lost. */
export async function closeDispute(session: Session, id: string): Promise<Dispute> {
  return end(session, await open(session, id), 'lost')
}

export function readDispute(session: Session, id: string): Promise<Dispute> {
  return find<Dispute>(session, 'dispute', id, 'dispute')
}

export function listDisputes(
  session: Session,
  { charge, payment_intent, ...paging }: z.output<typeof disputeListParams>,
) {
  return list(session, 'dispute', '/v1/disputes', paging, { charge, payment_intent })
}

async function win(session: Session, dispute: Dispute): Promise<Dispute> {
  const returned = await recordMoney(session, {
    type: 'adjustment',
    source: dispute.id,
    amount: dispute.amount,
    currency: dispute.currency,
  })
  const won = { ...dispute, balance_transactions: [...dispute.balance_transactions, returned], status: 'won' }
  await emit(session, 'charge.dispute.funds_reinstated', won)
  return end(session, won, 'won')
}

async function end(session: Session, dispute: Dispute, status: 'won' | 'lost'): Promise<Dispute> {
  const closed = await save<Dispute>(session, { ...dispute, status })
  await emit(session, 'charge.dispute.closed', closed)
  return closed
}

async function open(session: Session, id: string): Promise<Dispute> {
  const dispute = await take<Dispute>(session, 'dispute', id, 'dispute')
  if (['won', 'lost'].includes(dispute.status)) {
    throw invalidRequest('This dispute is already closed', { param: 'id' })
  }
  return dispute
}
