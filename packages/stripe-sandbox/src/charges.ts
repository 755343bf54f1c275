// Charges, made by PaymentIntents, and the platform's balance: https://docs.stripe.com/api/charges,
// https://docs.stripe.com/api/balance. A charge's money is pending for two days, as in Stripe's test mode.
import { z } from 'zod'
import type { Decline, TestCard } from './cards.ts'
import {
  type BalanceTransaction,
  type Charge,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  randomText,
} from './objects.ts'
import { expandable, listParams, mergeMetadata, metadata, text } from './params.ts'
import { emit, insert, list, type Session, save, take } from './store.ts'

const TWO_DAYS_S = 2 * 24 * 60 * 60

export const chargeListParams = listParams({
  customer: text.optional(),
  payment_intent: text.optional(),
  transfer_group: text.optional(),
})
export const chargeUpdateParams = z.strictObject({
  description: text.optional(),
  metadata: metadata.optional(),
  ...expandable,
})

/** Takes the money: a succeeded charge with its balance transaction. */
export async function chargeCard(
  session: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  card: Partial<TestCard>,
): Promise<Charge> {
  const charge = chargeObject(session, intent, method)
  // Stripe's fee for cards in Canada: 2.9 % and 30 cents.
  const transaction = await recordMoney(session, {
    type: 'charge',
    source: charge.id,
    amount: intent.amount,
    fee: Math.round(intent.amount * 0.029) + 30,
    currency: intent.currency,
    availableOn: card.availableAtOnce ? session.now : session.now + TWO_DAYS_S,
  })
  charge.balance_transaction = transaction.id
  await insert(session, charge)
  await emit(session, 'charge.succeeded', charge)
  return charge
}

/**
 * The reason of a declined card, and who declined it:
 * https://docs.stripe.com/api/charges/object#charge_object-outcome
 */
function outcomeOf(decline: Decline) {
  const reason = decline.decline_code ?? decline.code
  return reason === 'fraudulent'
    ? {
        network_status: 'not_sent_to_network',
        reason: 'highest_risk_level',
        risk_level: 'highest',
        seller_message: 'Stripe blocked this payment as too risky.',
        type: 'blocked',
      }
    : {
        network_status: 'declined_by_network',
        reason,
        risk_level: 'normal',
        seller_message: 'The bank did not return any further details with this decline.',
        type: 'issuer_declined',
      }
}

/** Records that the card was refused. */
export async function refuseCharge(
  session: Session,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
): Promise<Charge> {
  const charge: Charge = {
    ...chargeObject(session, intent, method),
    amount_captured: 0,
    captured: false,
    failure_code: decline.code,
    failure_message: decline.message,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      ...outcomeOf(decline),
    },
    paid: false,
    receipt_url: null,
    status: 'failed',
  }
  await insert(session, charge)
  await emit(session, 'charge.failed', charge)
  return charge
}

export async function updateCharge(
  session: Session,
  id: string,
  params: z.output<typeof chargeUpdateParams>,
): Promise<Charge> {
  const charge = await take<Charge>(session, 'charge', id, 'charge')
  return save(session, {
    ...charge,
    ...(params.description === undefined ? {} : { description: params.description || null }),
    metadata: mergeMetadata((charge.metadata ?? {}) as Record<string, string>, params.metadata),
  })
}

export function listCharges(
  session: Session,
  { customer, payment_intent, transfer_group, ...paging }: z.output<typeof chargeListParams>,
) {
  return list(session, 'charge', '/v1/charges', paging, { customer, payment_intent, transfer_group })
}

/** Writes a movement of money on the platform's balance, or on a connected account's. `fee` is taken off. */
export function recordMoney(
  session: Session,
  movement: {
    type: string
    source: string
    amount: number
    currency: string
    fee?: number
    availableOn?: number
    account?: string
  },
): Promise<BalanceTransaction> {
  const { type, source, amount, currency, fee = 0, availableOn = session.now, account } = movement
  return insert<BalanceTransaction>(session, {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: availableOn,
    created: session.now,
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details: fee
      ? [
          {
            amount: fee,
            application: null,
            currency,
            description: 'Stripe processing fees',
            type: 'stripe_fee',
          },
        ]
      : [],
    net: amount - fee,
    reporting_category: type,
    source,
    status: availableOn <= session.now ? 'available' : 'pending',
    type,
    ...(account ? { _account: account } : {}),
  })
}

/** The platform's money, or a connected account's, by currency: the available and the pending amount. */
export async function readBalance(session: Session, account: string | null) {
  const { rows } = await session.client.query<{ currency: string; available: string; pending: string }>(
    `select data ->> 'currency' as currency,
       coalesce(sum((data ->> 'net')::bigint) filter (where (data ->> 'available_on')::bigint <= $2), 0) as available,
       coalesce(sum((data ->> 'net')::bigint) filter (where (data ->> 'available_on')::bigint > $2), 0) as pending
     from sandbox.stripe_objects
     where object = 'balance_transaction' and data ->> '_account' is not distinct from $1
     group by 1 order by 1`,
    [account, session.now],
  )
  const currencies = rows.length > 0 ? rows : [{ currency: 'cad', available: '0', pending: '0' }]
  const amounts = (field: 'available' | 'pending') =>
    currencies.map((row) => ({
      amount: Number(row[field]),
      currency: row.currency,
      source_types: { card: Number(row[field]) },
    }))
  return {
    object: 'balance' as const,
    available: amounts('available'),
    livemode: false,
    pending: amounts('pending'),
  }
}

function chargeObject(session: Session, intent: PaymentIntent, method: PaymentMethod): Charge {
  const id = newId('ch')
  const receiptKey = randomText(32)
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'MEADOWLARK',
    captured: true,
    created: session.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description ?? null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: 'approved_by_network',
      reason: null,
      risk_level: 'normal',
      seller_message: 'Payment complete.',
      type: 'authorized',
    },
    paid: true,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: {
      card: {
        ...method.card,
        amount_authorized: intent.amount,
        installments: null,
        mandate: null,
        network: method.card?.brand ?? null,
        three_d_secure: null,
      },
      type: 'card',
    },
    receipt_email: intent.receipt_email ?? null,
    receipt_number: null,
    receipt_url: `${session.origin}/sandbox/stripe/receipts/${id}?key=${receiptKey}`,
    refunded: false,
    review: null,
    shipping: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: intent.transfer_group ?? `group_${intent.id}`,
    _receipt_key: receiptKey,
  }
}
