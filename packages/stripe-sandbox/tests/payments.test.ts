// Cards and PaymentIntents of the sandbox, through Stripe's own SDK.
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestCard, testCards } from '../src/cards.ts'
import { startTestServer, type TestServer } from './server.ts'
import { failure, stripeFor } from './stripe-sdk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const cad = { amount: 6000, currency: 'cad' } as const

describe('paying', () => {
  it('charges a good card at once and answers the charge where asked', async () => {
    const intent = await stripeFor(server).paymentIntents.create({
      ...cad,
      confirm: true,
      payment_method: 'pm_card_visa',
      transfer_group: 'booking_1',
      metadata: { booking: 'one' },
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      expand: ['latest_charge.balance_transaction'],
    })
    expect(intent).toMatchObject({
      object: 'payment_intent',
      status: 'succeeded',
      amount_received: 6000,
      transfer_group: 'booking_1',
      metadata: { booking: 'one' },
      latest_charge: {
        object: 'charge',
        paid: true,
        transfer_group: 'booking_1',
        balance_transaction: { amount: 6000, fee: 204, net: 5796, status: 'pending' },
      },
    })
    expect(intent.lastResponse.requestId).toMatch(/^req_/)
  })

  it('goes through every state: made, given a card, confirmed in the browser', async () => {
    const stripe = stripeFor(server)
    const made = await stripe.paymentIntents.create(cad)
    expect(made.status).toBe('requires_payment_method')
    const ready = await stripe.paymentIntents.update(made.id, { payment_method: 'pm_card_mastercard' })
    expect(ready.status).toBe('requires_confirmation')

    const browser = stripeFor(server, 'publishable')
    const paid = await browser.paymentIntents.confirm(made.id, {
      client_secret: made.client_secret ?? '',
    } as never)
    expect(paid.status).toBe('succeeded')
    // A browser does not see what only the server should.
    expect(paid).not.toHaveProperty('metadata')
    expect((await stripe.paymentIntents.retrieve(made.id)).latest_charge).toMatch(/^ch_/)
  })

  it.each([
    { metadata: { payment_id: 'another' } },
    { customer: 'cus_other' },
    { description: 'Another' },
    { transfer_group: 'another' },
    { statement_descriptor: 'Another' },
    { amount: 50 },
    { off_session: true },
    { error_on_requires_action: true },
    { allowed_payment_method_types: ['card'] },
    { payment_method_data: { type: 'card', card: { token: 'tok_visa' }, metadata: { a: 'b' } } },
    { expand: ['customer'] },
  ])('lets a browser say which card, and not %j', async (more) => {
    const stripe = stripeFor(server)
    const made = await stripe.paymentIntents.create({ ...cad, metadata: { payment_id: 'mine' } })
    const says = { client_secret: made.client_secret ?? '', payment_method: 'pm_card_visa', ...more }
    const browser = stripeFor(server, 'publishable')
    const [param] = Object.keys(more) as [string]
    const error = await failure(browser.paymentIntents.confirm(made.id, says as never))
    expect(error.statusCode).toBe(400)
    expect(error.param).toMatch(param)
    const after = await stripe.paymentIntents.retrieve(made.id)
    expect(after).toMatchObject({
      status: 'requires_payment_method',
      metadata: { payment_id: 'mine' },
      amount: cad.amount,
    })
    const setup = await stripe.setupIntents.create({ metadata: { of: 'mine' } })
    const setupSays = { ...says, client_secret: setup.client_secret ?? '' }
    expect((await failure(browser.setupIntents.confirm(setup.id, setupSays as never))).statusCode).toBe(400)
  })

  it('takes the number of a test card and never keeps it', async () => {
    const browser = stripeFor(server, 'publishable')
    const method = await browser.paymentMethods.create({
      type: 'card',
      card: { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2040, cvc: '123' },
      billing_details: { name: 'Grace' },
    })
    expect(method.card).toMatchObject({ brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 })
    const { rows } = await server.database.pool.query(
      `select count(*)::int as kept from sandbox.stripe_objects where data::text like '%424242424242%'`,
    )
    expect(rows[0].kept).toBe(0)
  })

  it.each([
    ['4000000000000002', 'card_declined', 'generic_decline'],
    ['4000000000009995', 'card_declined', 'insufficient_funds'],
    ['4000000000000069', 'expired_card', 'expired_card'],
    ['4000000000000127', 'incorrect_cvc', 'incorrect_cvc'],
    ['4000000000000119', 'processing_error', 'processing_error'],
  ])(
    'refuses %s with %s (%s), remembers it, and lets another card pay',
    async (number, code, declineCode) => {
      const stripe = stripeFor(server)
      const intent = await stripe.paymentIntents.create(cad)
      const error = await failure(
        stripe.paymentIntents.confirm(intent.id, {
          payment_method_data: {
            type: 'card',
            card: { number, exp_month: 1, exp_year: 2040, cvc: '123' },
          } as never,
        }),
      )
      expect(error).toMatchObject({
        type: 'StripeCardError',
        statusCode: 402,
        code,
        decline_code: declineCode,
      })
      expect(error.payment_intent).toMatchObject({ id: intent.id, status: 'requires_payment_method' })

      const after = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] })
      expect(after).toMatchObject({
        status: 'requires_payment_method',
        last_payment_error: { code },
        latest_charge: { status: 'failed', failure_code: code },
      })
      const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })
      expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null })
    },
  )

  it('treats every test card as the list describes it, by its number and by each of its names', async () => {
    const stripe = stripeFor(server)
    const tryCard = async ({ number, names, brand, decline, authentication }: TestCard) => {
      const typed = { type: 'card', card: { number, exp_month: 1, exp_year: 2040, cvc: '1234' } } as never
      const outcome = stripe.paymentIntents
        .create({ ...cad, confirm: true, payment_method_data: typed, expand: ['latest_charge'] })
        .then(({ status, latest_charge }) => ({ status, charge: latest_charge as Stripe.Charge | null }))
        .catch(({ code, decline_code }) => ({ code, decline_code }))
      if (authentication) expect(await outcome, number).toMatchObject({ status: 'requires_action' })
      else if (decline) expect(await outcome, number).toMatchObject({ code: decline.code })
      else {
        const charge = { payment_method_details: { card: { brand, last4: number.slice(-4) } } }
        expect(await outcome, number).toMatchObject({ status: 'succeeded', charge })
      }
      for (const name of names) {
        const method = await stripe.paymentMethods.retrieve(`pm_card_${name}`)
        expect(method.card, name).toMatchObject({ brand, last4: number.slice(-4) })
      }
    }
    await Promise.all(testCards.map(tryCard))
  })

  it.each([
    [{ number: '4242424242424241', exp_month: 1, exp_year: 2040 }, 'incorrect_number'],
    [{ number: '4242424242424242', exp_month: 13, exp_year: 2040 }, 'invalid_expiry_month'],
    [{ number: '4242424242424242', exp_month: 1, exp_year: 2020 }, 'invalid_expiry_year'],
    [{ number: '4242424242424242', exp_month: 1, exp_year: 2040, cvc: '1' }, 'invalid_cvc'],
    [{ number: '4111111111111111', exp_month: 1, exp_year: 2040 }, 'card_declined'],
  ])('does not accept %j: %s', async (card, code) => {
    const error = await failure(
      stripeFor(server, 'publishable').paymentMethods.create({ type: 'card', card }),
    )
    expect(error).toMatchObject({ type: 'StripeCardError', code })
  })

  it('cancels what is not paid, and nothing else', async () => {
    const stripe = stripeFor(server)
    const intent = await stripe.paymentIntents.create(cad)
    expect((await stripe.paymentIntents.cancel(intent.id)).status).toBe('canceled')
    const confirmed = await failure(
      stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }),
    )
    expect(confirmed).toMatchObject({ code: 'payment_intent_unexpected_state', statusCode: 400 })
    const paid = await stripe.paymentIntents.create({ ...cad, confirm: true, payment_method: 'pm_card_visa' })
    expect(await failure(stripe.paymentIntents.cancel(paid.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    })
  })

  it('charges once when two confirm at the same time', async () => {
    const stripe = stripeFor(server)
    const intent = await stripe.paymentIntents.create(cad)
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })),
    )
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1)
  })
})

describe('authentication', () => {
  const answer = (url: string, outcome: string) =>
    fetch(url.split('?')[0] ?? '', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        client_secret: new URL(url).searchParams.get('client_secret') ?? '',
        outcome,
      }),
    })

  it('is asked for, and the payment goes through once it is given', async () => {
    const stripe = stripeFor(server)
    const waiting = await stripe.paymentIntents.create({
      ...cad,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
      return_url: `${server.url}/bookings`,
    })
    expect(waiting.status).toBe('requires_action')
    expect(waiting.next_action?.type).toBe('redirect_to_url')
    const url = waiting.next_action?.redirect_to_url?.url ?? ''
    const shown = await fetch(url)
    expect(await shown.text()).toContain('$60.00')

    const done = await answer(url, 'complete')
    expect(await done.json()).toMatchObject({ id: waiting.id, status: 'succeeded' })
    expect(await stripe.paymentIntents.retrieve(waiting.id)).toMatchObject({ amount_received: 6000 })
  })

  it('sends a browser back where it came from', async () => {
    const waiting = await stripeFor(server).paymentIntents.create({
      ...cad,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
      return_url: `${server.url}/bookings?tab=all`,
    })
    const response = await fetch(`${server.url}/sandbox/stripe/authenticate/${waiting.id}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ client_secret: waiting.client_secret ?? '', outcome: 'complete' }),
    })
    expect(response.status).toBe(303)
    const back = new URL(response.headers.get('location') ?? '')
    expect(back.origin + back.pathname).toBe(`${server.url}/bookings`)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      tab: 'all',
      payment_intent: waiting.id,
      redirect_status: 'succeeded',
    })
  })

  it('may fail, and then the card is not accepted', async () => {
    const stripe = stripeFor(server)
    const waiting = await stripe.paymentIntents.create({
      ...cad,
      confirm: true,
      payment_method: 'pm_card_threeDSecure2Required',
    })
    const url = String(waiting.next_action?.use_stripe_sdk?.stripe_js)
    expect(await (await answer(url, 'fail')).json()).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    })
    expect((await stripe.charges.list({ payment_intent: waiting.id })).data).toHaveLength(0)
  })

  it('is refused to whoever does not know the client secret', async () => {
    const waiting = await stripeFor(server).paymentIntents.create({
      ...cad,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
    })
    const response = await answer(
      `${server.url}/sandbox/stripe/authenticate/${waiting.id}?client_secret=guess`,
      'complete',
    )
    expect(response.status).toBe(404)
  })

  it('cannot be had off session', async () => {
    const error = await failure(
      stripeFor(server).paymentIntents.create({
        ...cad,
        confirm: true,
        off_session: true,
        payment_method: 'pm_card_authenticationRequired',
      }),
    )
    expect(error).toMatchObject({ code: 'authentication_required', statusCode: 402 })
  })
})
