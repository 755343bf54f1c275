// Refunds, connected accounts, transfers and the balance of the sandbox, through Stripe's own SDK.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'
import { bankAccount, failure, readyAccount, stripeFor, whoIsPaid } from './stripe-sdk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const pay = (amount: number, card = 'pm_card_visa') =>
  stripeFor(server).paymentIntents.create({ amount, currency: 'cad', confirm: true, payment_method: card })

const chargeOf = async (amount: number, card?: string) => String((await pay(amount, card)).latest_charge)

describe('refunds', () => {
  it('gives back in parts and never more than was paid', async () => {
    const stripe = stripeFor(server)
    const intent = await pay(10_000)
    const part = await stripe.refunds.create({
      payment_intent: intent.id,
      amount: 3000,
      metadata: { why: 'fee' },
    })
    expect(part).toMatchObject({ status: 'succeeded', amount: 3000, payment_intent: intent.id })
    const tooMuch = await failure(stripe.refunds.create({ payment_intent: intent.id, amount: 7001 }))
    expect(tooMuch.message).toBe(
      'Refund amount ($70.01) is greater than unrefunded amount on charge ($70.00)',
    )

    await stripe.refunds.create({ charge: String(intent.latest_charge) })
    expect(await stripe.charges.retrieve(String(intent.latest_charge))).toMatchObject({
      refunded: true,
      amount_refunded: 10_000,
    })
    expect(await failure(stripe.refunds.create({ payment_intent: intent.id }))).toMatchObject({
      code: 'charge_already_refunded',
    })
    expect((await stripe.refunds.list({ payment_intent: intent.id })).data.map((one) => one.amount)).toEqual([
      7000, 3000,
    ])
  })

  it('gives back once when two ask for all at the same time', async () => {
    const stripe = stripeFor(server)
    const intent = await pay(4000)
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => stripe.refunds.create({ payment_intent: intent.id })),
    )
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })

  it('comes back from the card that takes none, once it was made', async () => {
    const stripe = stripeFor(server)
    const intent = await pay(4000, 'pm_card_refundFail')
    const made = await stripe.refunds.create({ payment_intent: intent.id })
    expect(made.status).toBe('succeeded')
    expect(await stripe.refunds.retrieve(made.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    })
    expect(await stripe.charges.retrieve(String(intent.latest_charge))).toMatchObject({
      refunded: false,
      amount_refunded: 0,
    })
  })

  it('has nothing to give back before anything was paid', async () => {
    const stripe = stripeFor(server)
    const intent = await stripe.paymentIntents.create({ amount: 5000, currency: 'cad' })
    const error = await failure(stripe.refunds.create({ payment_intent: intent.id }))
    expect(error.message).toContain('does not have a successful charge to refund')
  })
})

describe('connected accounts', () => {
  it('can be paid once nothing is due, and say what is', async () => {
    const stripe = stripeFor(server)
    const made = await stripe.accounts.create({
      type: 'express',
      capabilities: { transfers: { requested: true } },
    })
    expect(made).toMatchObject({ payouts_enabled: false, capabilities: { transfers: 'inactive' } })
    expect(made.requirements?.currently_due).toContain('external_account')

    await stripe.accounts.createExternalAccount(made.id, {
      external_account: bankAccount as never,
    })
    const ready = await stripe.accounts.update(made.id, whoIsPaid)
    expect(ready).toMatchObject({ payouts_enabled: true, capabilities: { transfers: 'active' } })
    expect(ready.requirements?.currently_due).toEqual([])
  })

  it('keeps several bank accounts, one of them the default', async () => {
    const stripe = stripeFor(server)
    const account = await readyAccount(server)
    const [first] = account.external_accounts?.data ?? []
    const bank = { ...bankAccount, account_number: '000987654321' }
    const second = await stripe.accounts.createExternalAccount(account.id, {
      external_account: bank as never,
      default_for_currency: true,
    })
    expect(second).toMatchObject({ last4: '4321', default_for_currency: true })
    const listed = await stripe.accounts.listExternalAccounts(account.id)
    expect(listed.data.map((one) => one.default_for_currency)).toEqual([false, true])
    expect(await stripe.accounts.deleteExternalAccount(account.id, String(first?.id))).toMatchObject({
      deleted: true,
    })
    const wrong = { ...bank, routing_number: '123' }
    expect(
      await failure(stripe.accounts.createExternalAccount(account.id, { external_account: wrong as never })),
    ).toMatchObject({ code: 'routing_number_invalid' })
  })
})

describe('transfers', () => {
  it('draws on a charge at once, in parts, and never on more than the charge', async () => {
    const stripe = stripeFor(server)
    const account = await readyAccount(server)
    const source_transaction = await chargeOf(6000)
    const send = (amount: number) =>
      stripe.transfers.create({ amount, currency: 'cad', destination: account.id, source_transaction })
    const transfer = await send(4000)
    expect(transfer).toMatchObject({
      amount: 4000,
      destination: account.id,
      source_transaction,
      reversed: false,
    })
    expect(await failure(send(2001))).toMatchObject({ code: 'transfer_source_balance_insufficient' })
    await send(2000)
    const balance = await stripe.balance.retrieve({}, { stripeAccount: account.id })
    expect(balance.pending[0]).toMatchObject({ amount: 6000, currency: 'cad' })
  })

  it('without a charge is covered by the available balance or refused', async () => {
    const stripe = stripeFor(server)
    const account = await readyAccount(server)
    const before = (await stripe.balance.retrieve()).available[0]?.amount ?? 0
    const send = (amount: number) =>
      stripe.transfers.create({ amount, currency: 'cad', destination: account.id })
    expect(await failure(send(before + 50_000))).toMatchObject({ code: 'balance_insufficient' })
    await pay(100_000, 'pm_card_bypassPending')
    // Two at once may not spend the same money.
    const tries = await Promise.allSettled([send(before + 60_000), send(before + 60_000)])
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })

  it('goes only to accounts that may receive it', async () => {
    const stripe = stripeFor(server)
    const source_transaction = await chargeOf(5000)
    const send = (destination: string) =>
      stripe.transfers.create({ amount: 100, currency: 'cad', destination, source_transaction })
    expect((await failure(send('acct_nobody'))).message).toBe("No such destination: 'acct_nobody'")
    const { id } = await stripe.accounts.create({
      type: 'custom',
      capabilities: { transfers: { requested: true } },
    })
    expect(await failure(send(id))).toMatchObject({ code: 'insufficient_capabilities_for_transfer' })
  })

  it('comes back in parts and never more than was sent', async () => {
    const stripe = stripeFor(server)
    const account = await readyAccount(server)
    const transfer = await stripe.transfers.create({
      amount: 3000,
      currency: 'cad',
      destination: account.id,
      source_transaction: await chargeOf(5000),
      transfer_group: 'booking_9',
    })
    await stripe.transfers.createReversal(transfer.id, { amount: 1000 })
    expect((await failure(stripe.transfers.createReversal(transfer.id, { amount: 2001 }))).message).toContain(
      '$20.00',
    )
    await stripe.transfers.createReversal(transfer.id)
    expect(await stripe.transfers.retrieve(transfer.id)).toMatchObject({
      reversed: true,
      amount_reversed: 3000,
    })
    expect((await stripe.transfers.list({ transfer_group: 'booking_9' })).data).toHaveLength(1)
    expect((await stripe.transfers.listReversals(transfer.id)).data).toHaveLength(2)
  })
})

describe('saved cards', () => {
  it('keeps cards with a customer and refuses those that would be declined', async () => {
    const stripe = stripeFor(server)
    const customer = await stripe.customers.create({ email: 'grace@example.com', name: 'Grace' })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
    expect(
      await failure(stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id })),
    ).toMatchObject({ code: 'card_declined' })
    expect((await stripe.customers.listPaymentMethods(customer.id)).data.map((one) => one.id)).toEqual([
      card.id,
    ])

    const other = await stripe.customers.create({})
    const stolen = await failure(
      stripe.paymentIntents.create({
        amount: 5000,
        currency: 'cad',
        customer: other.id,
        confirm: true,
        payment_method: card.id,
      }),
    )
    expect(stolen.message).toContain('does not belong')
    await stripe.paymentMethods.detach(card.id)
    expect((await stripe.paymentMethods.list({ customer: customer.id })).data).toEqual([])
    expect(await stripe.customers.del(customer.id)).toMatchObject({ deleted: true })
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true })
  })

  it('sets a card up once authenticated, after which it pays off session', async () => {
    const stripe = stripeFor(server)
    const customer = await stripe.customers.create({})
    const setup = await stripe.setupIntents.create({
      customer: customer.id,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
    })
    expect(setup.status).toBe('requires_action')
    const response = await fetch(`${server.url}/sandbox/stripe/authenticate/${setup.id}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_secret: setup.client_secret ?? '', outcome: 'complete' }),
    })
    expect(await response.json()).toMatchObject({ status: 'succeeded' })
    const paid = await stripe.paymentIntents.create({
      amount: 5000,
      currency: 'cad',
      customer: customer.id,
      confirm: true,
      off_session: true,
      payment_method: String((await stripe.setupIntents.retrieve(setup.id)).payment_method),
    })
    expect(paid.status).toBe('succeeded')
  })
})
