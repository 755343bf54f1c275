// Bank tokens, requirements, payouts and account links of the sandbox, through Stripe's own SDK; and the fields that
// Stripe's published fixtures have (stripe/openapi, openapi/fixtures3.json).
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'
import { bankAccount, failure, readyAccount, stripeFor, whoIsPaid } from './stripe-sdk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const { object: _, ...numbers } = bankAccount
const tokenOf = (account_number: string) =>
  stripeFor(server, 'publishable').tokens.create({ bank_account: { ...numbers, account_number } })

/** A connected account with that bank, and money on its balance that may be sent. */
async function accountWithMoney(account_number: string, amount = 5000): Promise<string> {
  const stripe = stripeFor(server)
  const { id } = await readyAccount(server)
  await stripe.accounts.update(id, { external_account: (await tokenOf(account_number)).id })
  const charge = await stripe.paymentIntents.create({
    amount,
    currency: 'cad',
    confirm: true,
    payment_method: 'pm_card_bypassPending',
    return_url: 'https://example.com',
  })
  await stripe.transfers.create({
    amount,
    currency: 'cad',
    destination: id,
    source_transaction: String(charge.latest_charge),
  })
  return id
}

const payoutsOf = async (stripeAccount: string) =>
  (await stripeFor(server).payouts.list({}, { stripeAccount })).data

describe('bank tokens', () => {
  it('are made with the publishable key, hold no account number and are used once', async () => {
    const stripe = stripeFor(server)
    const token = await tokenOf('000123456789')
    expect(token).toMatchObject({ type: 'bank_account', used: false, bank_account: { last4: '6789' } })
    const account = await stripe.accounts.create({
      type: 'custom',
      country: 'CA',
      external_account: token.id,
    })
    expect(account.external_accounts?.data[0]).toMatchObject({ id: token.bank_account?.id, last4: '6789' })
    expect((await stripe.tokens.retrieve(token.id)).used).toBe(true)
    expect(await failure(stripe.accounts.update(account.id, { external_account: token.id }))).toMatchObject({
      code: 'token_already_used',
    })
    const { rows } = await server.database.pool.query(
      `select 1 from sandbox.stripe_objects where data::text like '%000123456789%'`,
    )
    expect(rows).toEqual([])
    expect(await failure(stripeFor(server, 'publishable').tokens.retrieve(token.id))).toMatchObject({
      code: 'secret_key_required',
    })
  })

  it.each([
    [{ routing_number: '1234' }, 'routing_number_invalid', 'bank_account[routing_number]'],
    [{ account_number: '12' }, 'account_number_invalid', 'bank_account[account_number]'],
    [{ account_number: '987654321' }, 'account_number_invalid', 'bank_account[account_number]'],
  ])('name what is wrong with %j', async (wrong, code, param) => {
    const call = stripeFor(server, 'publishable').tokens.create({ bank_account: { ...numbers, ...wrong } })
    expect(await failure(call)).toMatchObject({ code, param })
  })
})

describe('requirements', () => {
  it('list the requirements, follow the published test values, and report every change', async () => {
    const stripe = stripeFor(server)
    const { id, requirements } = await stripe.accounts.create({
      type: 'custom',
      country: 'CA',
      capabilities: { transfers: { requested: true } },
    })
    expect(requirements?.currently_due).toEqual(
      expect.arrayContaining(['external_account', 'individual.dob.day', 'individual.address.postal_code']),
    )
    const { address, ...individual } = whoIsPaid.individual
    const say = (person: Stripe.AccountUpdateParams.Individual) =>
      stripe.accounts.update(id, {
        ...whoIsPaid,
        individual: { ...individual, address, ...person },
        external_account: bankAccount as never,
      })
    const refused = await say({ address: { ...address, line1: 'address_no_match' } })
    expect(refused.requirements).toMatchObject({
      currently_due: ['individual.address.line1'],
      errors: [{ code: 'verification_failed_address_match' }],
    })
    expect(await say({ dob: { day: 1, month: 1, year: 1900 } })).toMatchObject({
      capabilities: { transfers: 'pending' },
      requirements: { currently_due: [], disabled_reason: 'under_review' },
    })
    expect((await say({ id_number: '111111111' })).requirements?.currently_due).toEqual([
      'individual.verification.document',
    ])
    const ready = await say({ id_number: '000000000', dob: { day: 1, month: 1, year: 1901 } })
    expect(ready).toMatchObject({ payouts_enabled: true, capabilities: { transfers: 'active' } })
    expect(JSON.stringify(ready)).not.toContain('000000000')
    const { data } = await stripe.events.list({ type: 'account.updated', limit: 100 })
    expect(data.filter((event) => event.account === id)).toHaveLength(4)
  })

  it('are given on the page of an account link, which is opened once', async () => {
    const stripe = stripeFor(server)
    const { id } = await stripe.accounts.create({
      type: 'custom',
      country: 'CA',
      capabilities: { transfers: { requested: true } },
    })
    const addresses = { refresh_url: 'https://example.com/again', return_url: 'https://example.com/back' }
    const link = await stripe.accountLinks.create({ account: id, type: 'account_onboarding', ...addresses })
    expect(await (await fetch(link.url)).text()).toContain('external_account')
    const done = await fetch(link.url, { method: 'POST', redirect: 'manual' })
    expect(done.headers.get('location')).toBe(addresses.return_url)
    expect(await stripe.accounts.retrieve(id)).toMatchObject({ payouts_enabled: true })
    const again = await fetch(link.url, { redirect: 'manual' })
    expect(again.headers.get('location')).toBe(addresses.refresh_url)
    expect((await fetch(`${link.url}x`)).status).toBe(404)
  })
})

describe('payouts', () => {
  it('send what is available to the bank by themselves', async () => {
    const account = await accountWithMoney('000123456789')
    await expect
      .poll(() => payoutsOf(account))
      .toMatchObject([{ status: 'paid', amount: 5000, automatic: true }])
    expect(
      (await stripeFor(server).balance.retrieve({}, { stripeAccount: account })).available,
    ).toMatchObject([{ amount: 0 }])
  })

  it.each([
    ['000111111116', 'no_account'],
    ['000111111113', 'account_closed'],
    ['000222222227', 'insufficient_funds'],
    ['000333333335', 'debit_not_authorized'],
    ['000444444440', 'invalid_currency'],
  ])('to %s come back as %s, until there is another bank', async (number, code) => {
    const stripe = stripeFor(server)
    const id = await accountWithMoney(number)
    await expect.poll(() => payoutsOf(id)).toMatchObject([{ status: 'failed', failure_code: code }])
    await expect
      .poll(() => stripe.accounts.retrieve(id))
      .toMatchObject({ payouts_enabled: false, requirements: { currently_due: ['external_account'] } })
    await stripe.accounts.update(id, { external_account: (await tokenOf('000123456789')).id })
    await expect.poll(() => payoutsOf(id)).toMatchObject([{ status: 'paid' }, { status: 'failed' }])
  })

  it('are asked for in the name of an account, from what it has', async () => {
    const stripe = stripeFor(server)
    const { id } = await readyAccount(server)
    const ask = () => stripe.payouts.create({ amount: 100, currency: 'cad' }, { stripeAccount: id })
    expect(await failure(ask())).toMatchObject({ code: 'balance_insufficient' })
    const other = await accountWithMoney('000123456789')
    await expect.poll(() => payoutsOf(other)).toHaveLength(1)
    const [made] = await payoutsOf(other)
    expect(await failure(stripe.payouts.retrieve(String(made?.id), {}, { stripeAccount: id }))).toMatchObject(
      {
        code: 'resource_missing',
      },
    )
  })
})

/** The fields of Stripe's fixtures that are left out here: of features that the sandbox does not have. */
const fixtures = {
  account:
    'business_profile business_type capabilities charges_enabled controller country created default_currency details_submitted email external_accounts future_requirements id metadata object payouts_enabled requirements settings tos_acceptance type',
  bank_account:
    'account_holder_name account_holder_type account_type bank_name country currency fingerprint id last4 metadata object routing_number status',
  charge:
    'amount amount_captured amount_refunded application application_fee application_fee_amount balance_transaction billing_details calculated_statement_descriptor captured created currency customer description disputed failure_balance_transaction failure_code failure_message fraud_details id livemode metadata object on_behalf_of outcome paid payment_intent payment_method payment_method_details receipt_email receipt_number receipt_url refunded review shipping source_transfer statement_descriptor statement_descriptor_suffix status transfer_data transfer_group',
  payout:
    'amount arrival_date automatic balance_transaction created currency description destination failure_balance_transaction failure_code failure_message id livemode metadata method object original_payout reconciliation_status reversed_by source_type statement_descriptor status type',
  token: 'bank_account client_ip created id livemode object type used',
}

describe('shapes', () => {
  it('have every field of the published fixtures', async () => {
    const stripe = stripeFor(server)
    const account = await accountWithMoney('000123456789')
    await expect.poll(() => payoutsOf(account)).toHaveLength(1)
    const shown = {
      account: await stripe.accounts.retrieve(account),
      bank_account: (await stripe.accounts.listExternalAccounts(account)).data[0],
      charge: (await stripe.charges.list({ limit: 1 })).data[0],
      payout: (await payoutsOf(account))[0],
      token: await tokenOf('000123456789'),
    }
    for (const [name, fields] of Object.entries(fixtures)) {
      const missing = fields
        .split(' ')
        .filter((field) => !(field in Object(shown[name as keyof typeof shown])))
      expect([name, missing]).toEqual([name, []])
    }
  })

  it('charges have their failure, their outcome and their receipt', async () => {
    const stripe = stripeFor(server)
    const pay = (payment_method: string) =>
      stripe.paymentIntents.create({
        amount: 5000,
        currency: 'cad',
        confirm: true,
        payment_method,
        return_url: 'https://example.com',
      })
    const paid = await stripe.charges.retrieve(String((await pay('pm_card_visa')).latest_charge))
    expect(paid.outcome).toMatchObject({ type: 'authorized', network_status: 'approved_by_network' })
    expect(await (await fetch(String(paid.receipt_url))).text()).toContain('$50.00 CAD')
    expect((await fetch(String(paid.receipt_url).replace(/key=.*/, 'key=guess'))).status).toBe(404)
    const refusedBy = async (card: string) => {
      const { charge } = (await failure(pay(card))) as unknown as { charge: string }
      return stripe.charges.retrieve(charge)
    }
    expect(await refusedBy('pm_card_chargeDeclinedInsufficientFunds')).toMatchObject({
      failure_code: 'card_declined',
      outcome: { type: 'issuer_declined', reason: 'insufficient_funds' },
      receipt_url: null,
    })
    expect(await refusedBy('pm_card_radarBlock')).toMatchObject({
      outcome: { type: 'blocked', risk_level: 'highest', network_status: 'not_sent_to_network' },
    })
  })
})
