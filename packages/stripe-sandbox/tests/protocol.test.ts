// The manners of Stripe's API that the sandbox keeps: keys, parameters, lists, idempotency, faults.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxStripeKeys } from '../src/keys.ts'
import { startTestServer, type TestServer } from './server.ts'
import { failure, fault, stripeFor } from './stripe-sdk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const raw = (path: string, init: RequestInit = {}) => fetch(`${server.url}/sandbox/stripe/v1/${path}`, init)

describe('keys', () => {
  it('wants one of ours', async () => {
    expect((await raw('customers')).status).toBe(401)
    const wrong = await raw('customers', { headers: { authorization: 'Bearer sk_test_of_somebody_else' } })
    expect(wrong.status).toBe(401)
    expect((await wrong.json()).error.message).toBe('Invalid API Key provided: sk_test_****else')
    const { secretKey } = sandboxStripeKeys(server.secretKey)
    const basic = await raw('customers', { headers: { authorization: `Basic ${btoa(`${secretKey}:`)}` } })
    expect(basic.status).toBe(200)
  })

  it('lets a publishable key do what a browser does, and nothing else', async () => {
    const browser = stripeFor(server, 'publishable')
    expect(await failure(browser.refunds.create({ charge: 'ch_1' }))).toMatchObject({
      code: 'secret_key_required',
    })
    const intent = await stripeFor(server).paymentIntents.create({ amount: 5000, currency: 'cad' })
    expect(await failure(browser.paymentIntents.retrieve(intent.id))).toMatchObject({
      param: 'client_secret',
    })
    const guess = { client_secret: `${intent.id}_secret_guess` }
    expect(await failure(browser.paymentIntents.retrieve(intent.id, guess))).toMatchObject({
      param: 'client_secret',
    })
    expect(await failure(browser.paymentIntents.confirm(intent.id, guess as never))).toMatchObject({
      param: 'client_secret',
    })
  })
})

describe('parameters', () => {
  it.each([
    [{ currency: 'cad' }, 'parameter_missing', 'amount'],
    [{ amount: 'many', currency: 'cad' }, 'parameter_invalid_integer', 'amount'],
    [{ amount: 49, currency: 'cad' }, 'amount_too_small', 'amount'],
    [{ amount: 5000, currency: 'cad', colour: 'blue' }, 'parameter_unknown', 'colour'],
    [{ amount: 5000, currency: 'dollars' }, undefined, 'currency'],
    [{ amount: 5000, currency: 'cad', payment_method: 'pm_none' }, 'resource_missing', 'payment_method'],
    [{ amount: 5000, currency: 'cad', return_url: 'javascript:alert(1)' }, 'url_invalid', 'return_url'],
  ])('names what is wrong with %j', async (params, code, param) => {
    const error = await failure(stripeFor(server).paymentIntents.create(params as never))
    expect(error).toMatchObject({ type: 'StripeInvalidRequestError', code, param })
  })

  it.each([
    ['POST', 'payment_methods', 'type=card&card[number]=%00&billing_details[name]=a%00b'],
    ['POST', 'payment_methods', `${'a['.repeat(50)}1`],
    ['POST', 'payment_methods', 'type[]=card&card=x'],
    ['POST', 'payment_methods', '%E0%A4%A&__proto__[x]=1&constructor[prototype][y]=1'],
    ['POST', 'payment_intents/pi_%00/confirm', 'client_secret=x'],
    ['GET', "payment_intents/pi_'%22;?client_secret=x&expand[]=a.b.c.d.e", ''],
    ['GET', 'payment_intents/%00', ''],
  ])('answers %s %s with a client error whatever it holds', async (method, path, body) => {
    const response = await raw(path, {
      method,
      headers: {
        authorization: `Bearer ${sandboxStripeKeys(server.secretKey).publishableKey}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(method === 'POST' ? { body } : {}),
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    expect((await response.json()).error.message).toBeTruthy()
  })

  it('answers for every address it does not know', async () => {
    const { secretKey } = sandboxStripeKeys(server.secretKey)
    const response = await raw('invoices', { headers: { authorization: `Bearer ${secretKey}` } })
    expect(response.status).toBe(404)
    expect((await response.json()).error.type).toBe('invalid_request_error')
  })

  it('expands what has something behind it', async () => {
    const stripe = stripeFor(server)
    const customer = await stripe.customers.create({ name: 'Grace' })
    const intent = await stripe.paymentIntents.create({
      amount: 5000,
      currency: 'cad',
      customer: customer.id,
      expand: ['customer'],
    })
    expect(intent.customer).toMatchObject({ name: 'Grace' })
    const listed = await stripe.paymentIntents.list({ customer: customer.id, expand: ['data.customer'] })
    expect(listed.data[0]?.customer).toMatchObject({ name: 'Grace' })
    const error = await failure(stripe.paymentIntents.retrieve(intent.id, { expand: ['amount.value'] }))
    expect(error.message).toContain('cannot be expanded')
  })
})

describe('lists', () => {
  it('pages both ways, newest first', async () => {
    const stripe = stripeFor(server)
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      made.unshift((await stripe.customers.create({ email: 'ada@example.com' })).id)
    }
    const email = 'ada@example.com'
    const first = await stripe.customers.list({ email, limit: 2 })
    expect(first).toMatchObject({ has_more: true, data: [{ id: made[0] }, { id: made[1] }] })
    const next = await stripe.customers.list({ email, limit: 2, starting_after: made[1] })
    expect(next.data.map((one) => one.id)).toEqual(made.slice(2, 4))
    const back = await stripe.customers.list({ email, limit: 2, ending_before: made[3] })
    expect(back.data.map((one) => one.id)).toEqual(made.slice(1, 3))
    const all: string[] = []
    for await (const customer of stripe.customers.list({ email, limit: 2 })) all.push(customer.id)
    expect(all).toEqual(made)
    expect(await failure(stripe.customers.list({ limit: 101 }))).toMatchObject({ param: 'limit' })
  })
})

describe('idempotency', () => {
  const create = (amount: number, idempotencyKey: string, retries = 0) =>
    stripeFor(server, 'secret', retries).paymentIntents.create(
      { amount, currency: 'cad' },
      { idempotencyKey },
    )

  it('replays the first answer to the same key', async () => {
    const first = await create(5000, 'one')
    const again = await create(5000, 'one')
    expect(again.id).toBe(first.id)
    const headers = again.lastResponse.headers as unknown as Headers
    expect(headers.get('idempotent-replayed')).toBe('true')
    expect(headers.get('original-request')).toBe(first.lastResponse.requestId)
  })

  it('refuses the key with other parameters', async () => {
    await create(5000, 'two')
    expect(await failure(create(6000, 'two'))).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    })
  })

  it('does the work once when the key comes many times at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => create(7000, 'three', 5)))
    expect(new Set(answers.map((one) => one.id)).size).toBe(1)
  })

  it('replays a declined card, too, and forgets what never began', async () => {
    const stripe = stripeFor(server)
    const pay = () =>
      failure(
        stripe.paymentIntents.create(
          { amount: 5000, currency: 'cad', confirm: true, payment_method: 'pm_card_chargeDeclined' },
          { idempotencyKey: 'four' },
        ),
      )
    const [first, again] = [await pay(), await pay()]
    expect(again.payment_intent?.id).toBe(first.payment_intent?.id)

    await failure(create(1, 'five'))
    expect((await create(5000, 'five')).status).toBe('requires_payment_method')
  })
})

describe('faults on request', () => {
  it('acts and then does not answer: the SDK asks again with its key and gets the one answer', async () => {
    await fault(server, 'POST /v1/payment_intents', 'timeout_after_acting')
    const intent = await stripeFor(server, 'secret', 2).paymentIntents.create({
      amount: 9100,
      currency: 'cad',
      confirm: true,
      payment_method: 'pm_card_visa',
    })
    expect(intent.status).toBe('succeeded')
    const { rows } = await server.database.pool.query(
      `select count(*)::int as charged from sandbox.stripe_objects where object = 'charge' and data ->> 'amount' = '9100'`,
    )
    expect(rows[0].charged).toBe(1)
  })

  it('fails before acting', async () => {
    await fault(server, 'POST /v1/customers', 'error_before_acting')
    expect(await failure(stripeFor(server).customers.create({ email: 'sam@example.com' }))).toMatchObject({
      type: 'StripeAPIError',
      statusCode: 500,
    })
    expect((await stripeFor(server).customers.list({ email: 'sam@example.com' })).data).toEqual([])
  })

  it('stays silent, and does nothing', async () => {
    await fault(server, 'POST /v1/customers', 'no_answer')
    const silent = stripeFor(server).customers.create({ email: 'theo@example.com' }, { timeout: 300 })
    expect(await failure(silent)).toMatchObject({ type: 'StripeConnectionError' })
    expect((await stripeFor(server).customers.list({ email: 'theo@example.com' })).data).toEqual([])
  })

  it('only for whoever holds the secret key', async () => {
    const response = await fetch(`${server.url}/sandbox/stripe/faults`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(401)
  })
})
