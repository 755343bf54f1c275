// Payouts, which take a connected account's balance to its bank: https://docs.stripe.com/api/payouts. One to a good test
// account is paid, one to the others comes back with that account's reason, and the account wants another bank.
import { z } from 'zod'
import { livingAccount, saveAccount, withBanks } from './accounts.ts'
import { bankFailure } from './bank-accounts.ts'
import { readBalance, recordMoney } from './charges.ts'
import { invalidRequest, noSuch } from './errors.ts'
import { type Account, newId, type Payout } from './objects.ts'
import { currency, expandable, listParams, mergeMetadata, metadata, positive, text } from './params.ts'
import { scheduleArrival } from './payout-schedule.ts'
import { emit, find, insert, list, type Session, save, take } from './store.ts'

export const payoutCreateParams = z.strictObject({
  amount: positive,
  currency,
  description: text.optional(),
  destination: text.optional(),
  metadata: metadata.optional(),
  method: z.literal('standard').optional(),
  statement_descriptor: text.optional(),
  ...expandable,
})
export const payoutUpdateParams = z.strictObject({ metadata: metadata.optional(), ...expandable })
export const payoutListParams = listParams({ destination: text.optional(), status: text.optional() })

/** A payout asked for by the platform in the name of an account (Stripe-Account). */
export async function createPayout(
  session: Session,
  params: z.output<typeof payoutCreateParams>,
): Promise<Payout> {
  const account = await livingAccount(session, accountOf(session))
  return send(session, account, params, false)
}

export async function retrievePayout(session: Session, id: string): Promise<Payout> {
  return ofThisAccount(session, await find<Payout>(session, 'payout', id, 'payout'))
}

export async function updatePayout(
  session: Session,
  id: string,
  params: z.output<typeof payoutUpdateParams>,
): Promise<Payout> {
  const payout = ofThisAccount(session, await take<Payout>(session, 'payout', id, 'payout'))
  return save(session, { ...payout, metadata: mergeMetadata(payout.metadata, params.metadata) })
}

export async function cancelPayout(session: Session, id: string): Promise<Payout> {
  const payout = ofThisAccount(session, await take<Payout>(session, 'payout', id, 'payout'))
  if (payout.status !== 'pending') {
    throw invalidRequest(`Payouts can only be canceled when they are pending. This one is ${payout.status}.`)
  }
  return giveBack(session, { ...payout, status: 'canceled' }, 'payout.canceled')
}

export function listPayouts(
  session: Session,
  { destination, status, ...paging }: z.output<typeof payoutListParams>,
) {
  accountOf(session)
  return list(session, 'payout', '/v1/payouts', paging, { destination, status })
}

/** The schedule's turn: all that is available goes to the account's bank, if it may. */
export async function sendBalance(session: Session, accountId: string): Promise<void> {
  const account = await livingAccount(session, accountId)
  if (!account.payouts_enabled) return
  for (const { amount, currency: code } of (await readBalance(session, accountId)).available) {
    if (amount > 0) await send(session, account, { amount, currency: code }, true)
  }
}

/** The bank's answer: paid, or sent back. */
export async function settlePayout(session: Session, id: string): Promise<void> {
  const payout = await take<Payout>(session, 'payout', id, 'payout')
  if (payout.status !== 'pending') return
  const account = await livingAccount(session, payout._account)
  const banks = account.external_accounts.data
  const bank = banks.find((one) => one.id === payout.destination)
  const failure = bank && bankFailure(bank)
  if (!failure) {
    const paid = await save<Payout>(session, { ...payout, status: 'paid' })
    await emit(session, 'payout.paid', paid, { account: account.id })
    return
  }
  await giveBack(
    session,
    { ...payout, status: 'failed', failure_code: failure.code, failure_message: failure.message },
    'payout.failed',
  )
  // https://docs.stripe.com/api/external_account_bank_accounts/object#account_bank_account_object-status
  const marked = banks.map((one) => (one.id === bank.id ? { ...one, status: 'errored' } : one))
  await saveAccount(session, withBanks(account, marked))
}

async function send(
  session: Session,
  account: Account,
  params: z.output<typeof payoutCreateParams>,
  automatic: boolean,
): Promise<Payout> {
  if (!account.payouts_enabled) {
    throw invalidRequest('Cannot create payouts: this account has payouts disabled.', {
      code: 'payouts_not_allowed',
    })
  }
  const banks = account.external_accounts.data
  const bank = banks.find(({ id, default_for_currency }) =>
    params.destination ? id === params.destination : default_for_currency,
  )
  if (!bank) throw noSuch('external account', params.destination ?? '', 'destination')
  const balance = await readBalance(session, account.id)
  const available = balance.available.find((entry) => entry.currency === params.currency)?.amount ?? 0
  if (available < params.amount) {
    throw invalidRequest('You have insufficient funds in your Stripe account for this transfer.', {
      code: 'balance_insufficient',
      param: 'amount',
    })
  }
  const id = newId('po')
  const taken = await recordMoney(session, {
    type: 'payout',
    source: id,
    amount: -params.amount,
    currency: params.currency,
    account: account.id,
  })
  const payout = await insert<Payout>(session, {
    id,
    object: 'payout',
    amount: params.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: session.now,
    automatic,
    balance_transaction: taken.id,
    created: session.now,
    currency: params.currency,
    description: params.description ?? (automatic ? 'STRIPE PAYOUT' : null),
    destination: bank.id,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: automatic ? 'completed' : 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: params.statement_descriptor ?? null,
    status: 'pending',
    trace_id: { status: 'pending', value: null },
    type: 'bank_account',
    _account: account.id,
  })
  await emit(session, 'payout.created', payout, { account: account.id })
  await scheduleArrival(session, id)
  return payout
}

/** The money is on the account's balance again. */
async function giveBack(session: Session, payout: Payout, event: string): Promise<Payout> {
  const back = await recordMoney(session, {
    type: payout.status === 'failed' ? 'payout_failure' : 'payout_cancel',
    source: payout.id,
    amount: payout.amount,
    currency: payout.currency,
    account: payout._account,
  })
  const ended = await save<Payout>(session, { ...payout, failure_balance_transaction: back.id })
  await emit(session, event, ended, { account: payout._account })
  return ended
}

function accountOf(session: Session): string {
  if (session.account) return session.account
  throw invalidRequest(
    'The sandbox keeps payouts of connected accounts only: name one in the Stripe-Account header.',
  )
}

function ofThisAccount(session: Session, payout: Payout): Payout {
  if (payout._account !== session.account) throw noSuch('payout', payout.id, 'payout')
  return payout
}
