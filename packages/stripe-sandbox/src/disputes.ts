// Disputes (chargebacks), opened by the test cards made for them or on demand, and decided by the evidence:
// https://docs.stripe.com/testing#disputes, https://docs.stripe.com/api/disputes. The money is gone while the bank looks into
// it, and comes back when it is won; an inquiry moves none. A charge can have several, for parts of it.
import { z } from 'zod'
import { recordMoney } from './charges.ts'
import { invalidRequest } from './errors.ts'
import { type Charge, dollars, newId, type PaymentIntent, type StripeObject } from './objects.ts'
import { expandable, flag, listParams, mergeMetadata, metadata, positive, text } from './params.ts'
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

/** Stripe's fee for a dispute in Canada, in cents. */
const DISPUTE_FEE_CENTS = 1500
const WEEK_S = 7 * 24 * 60 * 60

export const disputeListParams = listParams({ charge: text.optional(), payment_intent: text.optional() })
export const disputeUpdateParams = z.strictObject({
  evidence: z.record(z.string(), text).optional(),
  metadata: metadata.optional(),
  submit: flag.optional(),
  ...expandable,
})
/** Of the sandbox's own POST /disputes: the card's owner disputes so many cents of a charge, all that is left by default. */
export const disputeOpenParams = z.strictObject({
  payment_intent: text,
  amount: positive.optional(),
  reason: text.optional(),
  inquiry: flag.optional(),
})

export async function openDisputeOnDemand(
  session: Session,
  params: z.output<typeof disputeOpenParams>,
): Promise<Dispute> {
  const intent = await find<PaymentIntent>(session, 'payment_intent', params.payment_intent, 'payment_intent')
  if (intent.status !== 'succeeded' || !intent.latest_charge) {
    throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to dispute.`, {
      param: 'payment_intent',
    })
  }
  const charge = await take<Charge>(session, 'charge', intent.latest_charge)
  const left = charge.amount - (await disputedOf(session, charge.id)).taken
  const amount = params.amount ?? left
  if (left <= 0 || amount > left) {
    throw invalidRequest(
      `Dispute amount (${dollars(amount)}) is greater than what is left to dispute (${dollars(left)})`,
      { param: 'amount' },
    )
  }
  return openDispute(session, charge, {
    amount,
    reason: params.reason ?? 'fraudulent',
    inquiry: params.inquiry ?? false,
  })
}

/** Opens the disputes of a test card after its charge; several disputes share the amount. */
export async function disputeCharge(
  session: Session,
  charge: Charge,
  { reason, times = 1, inquiry = false }: { reason: string; times?: number; inquiry?: boolean },
): Promise<void> {
  const part = Math.floor(charge.amount / times)
  for (let nth = 1; nth <= times; nth++) {
    const amount = nth === times ? charge.amount - part * (times - 1) : part
    await openDispute(session, charge, { amount, reason, inquiry })
  }
}

/** Cents of a charge that are or may be lost to disputes, and whether one of them is undecided. */
export async function disputedOf(
  session: Session,
  charge: string,
): Promise<{ taken: number; undecided: boolean }> {
  const { rows } = await session.client.query<{ taken: string; undecided: boolean }>(
    `select coalesce(sum((data ->> 'amount')::bigint), 0) as taken,
       coalesce(bool_or(data ->> 'status' in ('needs_response', 'under_review')), false) as undecided
     from sandbox.stripe_objects where object = 'dispute' and data ->> 'charge' = $1
       and data ->> 'status' not in ('won', 'warning_closed', 'warning_needs_response', 'warning_under_review')`,
    [charge],
  )
  return { taken: Number(rows[0]?.taken), undecided: rows[0]?.undecided ?? false }
}

/** The card's owner tells the bank that something is wrong with the charge; of an inquiry, the bank only asks. */
async function openDispute(
  session: Session,
  charge: Charge,
  { amount, reason, inquiry }: { amount: number; reason: string; inquiry: boolean },
): Promise<Dispute> {
  const dispute = await insert<Dispute>(session, {
    id: newId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: session.now,
    currency: charge.currency,
    evidence: {},
    evidence_details: {
      due_by: session.now + WEEK_S,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: inquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  })
  await save(session, { ...charge, disputed: true })
  if (inquiry) {
    await emit(session, 'charge.dispute.created', dispute)
    return dispute
  }
  const withdrawn = await withdraw(session, dispute)
  await emit(session, 'charge.dispute.created', withdrawn)
  await emit(session, 'charge.dispute.funds_withdrawn', withdrawn)
  return withdrawn
}

/**
 * Adds evidence; `winning_evidence`, `losing_evidence` and `escalate_inquiry_evidence` as its text are how Stripe lets
 * tests decide.
 */
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
  const submitted = params.evidence !== undefined && params.submit !== false
  const evidence = submitted ? changed.evidence.uncategorized_text : undefined
  const inquiry = isInquiry(dispute)
  if (inquiry && evidence === 'escalate_inquiry_evidence') return escalate(session, changed)
  if (evidence === 'winning_evidence')
    return inquiry ? end(session, changed, 'warning_closed') : win(session, changed)
  if (evidence === 'losing_evidence') return end(session, changed, inquiry ? 'warning_closed' : 'lost')
  const reviewed = { ...changed, status: inquiry ? 'warning_under_review' : 'under_review' }
  const updated = submitted ? await save<Dispute>(session, reviewed) : changed
  await emit(session, 'charge.dispute.updated', updated)
  return updated
}

/** Gives in: the dispute is lost. */
export async function closeDispute(session: Session, id: string): Promise<Dispute> {
  const dispute = await open(session, id)
  return end(session, dispute, isInquiry(dispute) ? 'warning_closed' : 'lost')
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

/** The inquiry becomes a chargeback: the same dispute, whose money is taken now. */
async function escalate(session: Session, inquiry: Dispute): Promise<Dispute> {
  const dispute = { ...inquiry, is_charge_refundable: false, status: 'needs_response' }
  const withdrawn = await withdraw(session, dispute)
  await emit(session, 'charge.dispute.updated', withdrawn)
  await emit(session, 'charge.dispute.funds_withdrawn', withdrawn)
  return withdrawn
}

async function withdraw(session: Session, dispute: Dispute): Promise<Dispute> {
  return moved(session, dispute, { amount: -dispute.amount, fee: DISPUTE_FEE_CENTS })
}

async function win(session: Session, dispute: Dispute): Promise<Dispute> {
  const returned = await moved(session, dispute, { amount: dispute.amount })
  const won = await end(session, returned, 'won')
  await emit(session, 'charge.dispute.funds_reinstated', won)
  return won
}

async function moved(
  session: Session,
  dispute: Dispute,
  money: { amount: number; fee?: number },
): Promise<Dispute> {
  const movement = await recordMoney(session, {
    type: 'adjustment',
    source: dispute.id,
    currency: dispute.currency,
    ...money,
  })
  return save(session, { ...dispute, balance_transactions: [...dispute.balance_transactions, movement] })
}

async function end(session: Session, dispute: Dispute, status: string): Promise<Dispute> {
  const closed = await save<Dispute>(session, { ...dispute, status })
  await emit(session, 'charge.dispute.closed', closed)
  return closed
}

function isInquiry({ status }: Dispute): boolean {
  return status.startsWith('warning_')
}

async function open(session: Session, id: string): Promise<Dispute> {
  const dispute = await take<Dispute>(session, 'dispute', id, 'dispute')
  if (['won', 'lost', 'warning_closed'].includes(dispute.status)) {
    throw invalidRequest('This dispute is already closed', { param: 'id' })
  }
  return dispute
}
