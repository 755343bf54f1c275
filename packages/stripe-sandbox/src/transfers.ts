// Transfers to connected accounts and their reversals: https://docs.stripe.com/connect/separate-charges-and-transfers.
// Without source_transaction the available balance must cover them; with it, the charge must.
import { z } from 'zod'
import { readBalance, recordMoney } from './charges.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { type Account, type Charge, dollars, newId, type StripeObject, type Transfer } from './objects.ts'
import { currency, expandable, flag, listParams, mergeMetadata, metadata, positive, text } from './params.ts'
import { schedulePayout } from './payout-schedule.ts'
import { emit, find, insert, list, lookUp, type Session, save, take } from './store.ts'

export const transferCreateParams = z.strictObject({
  amount: positive,
  currency,
  description: text.optional(),
  destination: text,
  metadata: metadata.optional(),
  source_transaction: text.optional(),
  transfer_group: text.optional(),
  ...expandable,
})
export const transferUpdateParams = z.strictObject({
  description: text.optional(),
  metadata: metadata.optional(),
  ...expandable,
})
export const transferListParams = listParams({
  destination: text.optional(),
  transfer_group: text.optional(),
})
export const reversalCreateParams = z.strictObject({
  amount: positive.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
  refund_application_fee: flag.optional(),
  ...expandable,
})
export const reversalListParams = listParams({})

export async function createTransfer(
  session: Session,
  params: z.output<typeof transferCreateParams>,
): Promise<Transfer> {
  const account = await destinationAccount(session, params.destination)
  const source = params.source_transaction
    ? await chargeThatCovers(session, params.source_transaction, params)
    : await balanceThatCovers(session, params)
  const id = newId('tr')
  const payment = newId('py')
  const transferGroup = params.transfer_group ?? source.transfer_group
  const taken = await recordMoney(session, {
    type: 'transfer',
    source: id,
    amount: -params.amount,
    currency: params.currency,
    availableOn: source.availableOn,
  })
  const given = await recordMoney(session, {
    type: 'payment',
    source: payment,
    amount: params.amount,
    currency: params.currency,
    availableOn: source.availableOn,
    account: account.id,
  })
  await insert<StripeObject>(session, {
    id: payment,
    object: 'charge',
    amount: params.amount,
    amount_captured: params.amount,
    amount_refunded: 0,
    balance_transaction: given.id,
    captured: true,
    created: session.now,
    currency: params.currency,
    livemode: false,
    metadata: {},
    paid: true,
    payment_intent: null,
    refunded: false,
    source_transfer: id,
    status: 'succeeded',
    _account: account.id,
  })
  const transfer = await insert<Transfer>(session, {
    id,
    object: 'transfer',
    amount: params.amount,
    amount_reversed: 0,
    balance_transaction: taken.id,
    created: session.now,
    currency: params.currency,
    description: params.description || null,
    destination: account.id,
    destination_payment: payment,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    reversals: {
      object: 'list',
      data: [],
      has_more: false,
      total_count: 0,
      url: `/v1/transfers/${id}/reversals`,
    },
    reversed: false,
    source_transaction: params.source_transaction ?? null,
    source_type: 'card',
    transfer_group: transferGroup,
  })
  await emit(session, 'transfer.created', transfer)
  await schedulePayout(session, account.id, source.availableOn)
  return transfer
}

export async function updateTransfer(
  session: Session,
  id: string,
  params: z.output<typeof transferUpdateParams>,
): Promise<Transfer> {
  const transfer = await take<Transfer>(session, 'transfer', id, 'transfer')
  const changed = await save<Transfer>(session, {
    ...transfer,
    ...(params.description === undefined ? {} : { description: params.description || null }),
    metadata: mergeMetadata(transfer.metadata ?? {}, params.metadata),
  })
  await emit(session, 'transfer.updated', changed)
  return changed
}

export function listTransfers(
  session: Session,
  { destination, transfer_group, ...paging }: z.output<typeof transferListParams>,
) {
  return list(session, 'transfer', '/v1/transfers', paging, { destination, transfer_group })
}

/** Takes money of a transfer back, in part or whole. */
export async function createReversal(
  session: Session,
  transferId: string,
  params: z.output<typeof reversalCreateParams>,
): Promise<StripeObject> {
  const transfer = await take<Transfer>(session, 'transfer', transferId, 'transfer')
  const left = transfer.amount - transfer.amount_reversed
  const amount = params.amount ?? left
  if (left <= 0) throw invalidRequest(`Transfer ${transferId} is already fully reversed.`)
  if (amount > left) {
    throw invalidRequest(
      `Transfer reversal amount (${dollars(amount)}) is greater than unreversed amount on transfer (${dollars(left)})`,
      { param: 'amount' },
    )
  }
  const id = newId('trr')
  const { currency: code } = transfer
  const back = await recordMoney(session, { type: 'transfer_refund', source: id, amount, currency: code })
  await recordMoney(session, {
    type: 'payment_refund',
    source: id,
    amount: -amount,
    currency: code,
    account: transfer.destination,
  })
  const reversal = await insert<StripeObject>(session, {
    id,
    object: 'transfer_reversal',
    amount,
    balance_transaction: back.id,
    created: session.now,
    currency: code,
    destination_payment_refund: null,
    metadata: mergeMetadata({}, params.metadata),
    source_refund: null,
    transfer: transferId,
  })
  const changed = await save<Transfer>(session, {
    ...transfer,
    amount_reversed: transfer.amount_reversed + amount,
    reversed: amount === left,
    reversals: {
      ...transfer.reversals,
      data: [reversal, ...transfer.reversals.data].slice(0, 10),
      total_count: transfer.reversals.total_count + 1,
    },
  })
  await emit(session, 'transfer.reversed', changed, {
    previous: { amount_reversed: transfer.amount_reversed },
  })
  return reversal
}

export async function listReversals(
  session: Session,
  transferId: string,
  paging: z.output<typeof reversalListParams>,
) {
  await find(session, 'transfer', transferId, 'transfer')
  return list(session, 'transfer_reversal', `/v1/transfers/${transferId}/reversals`, paging, {
    transfer: transferId,
  })
}

/** The account that receives a transfer; it must have the capability. */
async function destinationAccount(session: Session, id: string): Promise<Account> {
  const account = (await lookUp(session, id)) as Account | undefined
  if (account?.object !== 'account' || account.deleted) throw noSuch('destination', id, 'destination')
  if (account.capabilities?.transfers !== 'active') {
    throw invalidRequest(
      'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
      { code: 'insufficient_capabilities_for_transfer' },
    )
  }
  return account
}

/** The charge a transfer draws on; it pays out no more than it took in, and when its own money is available. */
async function chargeThatCovers(
  session: Session,
  chargeId: string,
  wanted: { amount: number; currency: string },
): Promise<{ transfer_group: string | null; availableOn: number }> {
  const charge = await take<Charge>(session, 'charge', chargeId, 'source_transaction')
  if (charge.status !== 'succeeded') {
    throw invalidRequest('The charge given as source_transaction did not succeed.', {
      param: 'source_transaction',
    })
  }
  if (charge.currency !== wanted.currency) {
    throw invalidRequest(
      `The currency of source_transaction's balance transaction (${charge.currency}) must be the same as the transfer currency (${wanted.currency})`,
      {
        param: 'source_transaction',
      },
    )
  }
  const { rows } = await session.client.query<{ moved: string }>(
    `select coalesce(sum((data ->> 'amount')::bigint - (data ->> 'amount_reversed')::bigint), 0) as moved
     from sandbox.stripe_objects where object = 'transfer' and data ->> 'source_transaction' = $1`,
    [chargeId],
  )
  const left = charge.amount - Number(rows[0]?.moved)
  if (wanted.amount > left) {
    throw invalidRequest(
      `Cannot use this charge as the source_transaction: the transfer (${dollars(wanted.amount)}) is greater than what is left of the charge (${dollars(left)})`,
      { code: 'transfer_source_balance_insufficient', param: 'source_transaction' },
    )
  }
  const money = charge.balance_transaction ? await lookUp(session, charge.balance_transaction) : undefined
  return { transfer_group: charge.transfer_group, availableOn: Number(money?.available_on ?? session.now) }
}

async function balanceThatCovers(
  session: Session,
  wanted: { amount: number; currency: string },
): Promise<{ transfer_group: null; availableOn: number }> {
  // One at a time, or two transfers would spend the same money.
  await session.client.query(`select pg_advisory_xact_lock(hashtext('sandbox balance'))`)
  const balance = await readBalance(session, null)
  const available = balance.available.find((entry) => entry.currency === wanted.currency)?.amount ?? 0
  if (available < wanted.amount) {
    throw invalidRequest(
      'You have insufficient available funds in your Stripe account. Try adding funds directly to your available balance by creating Charges using the 4000000000000077 test card. See: https://stripe.com/docs/testing#available-balance',
      { code: 'balance_insufficient' },
    )
  }
  return { transfer_group: null, availableOn: session.now }
}
