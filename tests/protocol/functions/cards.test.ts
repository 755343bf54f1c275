// Saved cards at the provider: one customer a person, only that person's cards, and what removal does.

import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failure, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { acceptedJob, becomes, clientSecretOf, confirm, intentOf, soon } from './paid-job.ts'

let server: TestServer
let grace: SupabaseClient
let sam: SupabaseClient
beforeAll(async () => {
  server = await startTestServer()
  grace = await signedIn(server, 'grace')
  sam = await signedIn(server, 'sam')
})
afterAll(() => server.stop())

/** The browser's part: a setup intent, confirmed with a test card. Resolves to its id. */
async function setUp(client: SupabaseClient, card = 'pm_card_visa'): Promise<string> {
  const { data } = await client.functions.invoke('create-setup-intent')
  const id = intentOf(data.clientSecret)
  await stripeFor(server, 'publishable').setupIntents.confirm(id, {
    client_secret: data.clientSecret,
    payment_method: card,
  } as never)
  return id
}

const save = (client: SupabaseClient, setupIntent: string) =>
  client.functions.invoke('save-payment-method', { body: { setupIntent } })

const cardsOf = async (client: SupabaseClient) =>
  (await client.from('payment_methods').select('*').order('created_at').throwOnError()).data

describe('saved cards', () => {
  it('belong to one customer a person, however many tabs save one, and the first is the default', async () => {
    const setups = await Promise.all([setUp(grace), setUp(grace, 'pm_card_mastercard')])
    for (const setup of setups) expect((await save(grace, setup)).error).toBeNull()
    for (const setup of setups) expect((await save(grace, setup)).error).toBeNull()
    const cards = await cardsOf(grace)
    expect(cards.map((card) => card.card_brand).sort()).toEqual(['mastercard', 'visa'])
    expect(cards.filter((card) => card.is_default)).toHaveLength(1)
    const { data: customers } = await stripeFor(server).customers.list()
    expect(customers).toHaveLength(1)
    const other = cards.find((card) => !card.is_default)
    await grace.rpc('set_default_payment_method', { id: other.id }).throwOnError()
    expect((await cardsOf(grace)).filter((card) => card.is_default).map((card) => card.id)).toEqual([
      other.id,
    ])
  })

  it('of somebody else are neither kept, listed, chosen nor charged', async () => {
    const [card] = await cardsOf(grace)
    const setup = await setUp(grace)
    expect((await save(sam, setup)).error.context.status).toBe(400)
    expect(await cardsOf(sam)).toEqual([])
    const { error } = await sam.rpc('set_default_payment_method', { id: card.id })
    expect(error?.message).toBe('Card not found')
    const { data: session } = await sam.auth.getUser()
    const named = (id: string) =>
      sam.from('payment_methods').insert({ user_id: session.user?.id, stripe_payment_method_id: id })
    expect((await named(card.stripe_payment_method_id)).error?.message).toBe(
      'Failed to create payment method',
    )
    expect(await cardsOf(sam)).toEqual([])
    // A row that names a card before its owner has saved it removes nothing at the provider, and yields to the owner.
    const { payment_method } = await stripeFor(server).setupIntents.retrieve(setup)
    await named(String(payment_method)).throwOnError()
    await setUp(sam) // makes Sam a customer
    await sam.from('payment_methods').delete().eq('user_id', session.user?.id).throwOnError()
    await named(String(payment_method)).throwOnError()
    expect((await save(grace, setup)).error).toBeNull()
    expect((await cardsOf(grace)).map((kept) => kept.stripe_payment_method_id)).toContain(payment_method)
    expect(await cardsOf(sam)).toEqual([])
    const jobs = async () =>
      (
        await server.database.pool.query(
          `select 1 from pgmq.q_effects where message ->> 'function' = 'detach-payment-method'`,
        )
      ).rows
    await expect.poll(jobs, soon).toEqual([])
    const stripe = stripeFor(server)
    expect((await stripe.paymentMethods.retrieve(card.stripe_payment_method_id)).customer).toMatch(/^cus_/)
    const intent = await stripe.paymentIntents.create({ amount: 5000, currency: 'cad' })
    const stolen = stripeFor(server, 'publishable').paymentIntents.confirm(intent.id, {
      client_secret: String(intent.client_secret),
      payment_method: card.stripe_payment_method_id,
    } as never)
    expect((await failure(stolen)).message).toContain('must attach it to a Customer first')
  })

  it('pay a booking of their owner, also when the first card was saved after the payment was begun', async () => {
    const job = await acceptedJob(server)
    const [card] = await cardsOf(grace)
    await confirm(server, await clientSecretOf(job), card.stripe_payment_method_id)
    await becomes(server, job, { escrow_status: 'held' })
  })

  it('are forgotten by the provider once removed', async () => {
    const [card, left] = await cardsOf(grace)
    await grace.from('payment_methods').delete().eq('id', card.id).throwOnError()
    expect((await cardsOf(grace)).find(({ id }) => id === left.id)?.is_default).toBe(true)
    const customer = async () =>
      (await stripeFor(server).paymentMethods.retrieve(card.stripe_payment_method_id)).customer
    await expect.poll(customer, soon).toBeNull()
  })

  it('that were not set up are not kept', async () => {
    const { data } = await grace.functions.invoke('create-setup-intent')
    expect((await save(grace, intentOf(data.clientSecret))).error.context.status).toBe(400)
    expect((await save(grace, 'seti_unknown')).error.context.status).toBe(400)
    expect((await save(grace, 'x')).error.context.status).toBe(400)
  })

  it('go with their customer when their owner leaves', async () => {
    const setup = await setUp(sam, 'pm_card_mastercard')
    expect((await save(sam, setup)).error).toBeNull()
    const stripe = stripeFor(server)
    const [card] = await cardsOf(sam)
    const { customer } = await stripe.paymentMethods.retrieve(card.stripe_payment_method_id)
    const { data } = await sam.auth.getUser()
    await server.database.pool.query('delete from auth.users where id = $1', [data.user?.id])
    const deleted = async () => (await stripe.customers.retrieve(String(customer))).deleted
    await expect.poll(deleted, soon).toBe(true)
  })

  it('and payouts refuse a token that outlives its account, with the reason', async () => {
    const refused = { code: '42501', message: 'Not authenticated', hint: null }
    for (const name of ['prepare_payment_customer', 'prepare_payout_account'])
      expect([name, (await sam.rpc(name)).error]).toMatchObject([name, refused])
    const body = { token: 'btok_of_somebody', returnTo: server.url }
    for (const name of ['create-setup-intent', 'continue-payout-setup', 'save-payout-account']) {
      const { error } = await sam.functions.invoke(name, { body })
      expect([name, error?.context.status, await error?.context.json()]).toEqual([
        name,
        403,
        { error: 'Not authenticated', code: 'account.not_authenticated', params: {} },
      ])
    }
  })
})
