// The sandbox's webhooks, received by a function that checks them with Stripe's own SDK.

import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fault, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { type Project, startProject } from '../functions/project.ts'

type Received = { event: Stripe.Event; at: number }
/** Where the function below, which runs in this process, leaves what it received. */
const received: Received[] = []
Object.assign(globalThis, { received })

let server: Project
beforeAll(async () => {
  server = await startProject(
    {
      'config.toml': '[functions.stripe-webhook]\nverify_jwt = false\n',
      'functions/stripe-webhook/handler.ts': `
      import Stripe from 'stripe'
      export default async (request, env) => {
        const stripe = new Stripe(env.STRIPE_SECRET_KEY)
        const header = request.headers.get('stripe-signature')
        const event = await stripe.webhooks.constructEventAsync(await request.text(), header, env.STRIPE_WEBHOOK_SECRET)
        if (event.type === globalThis.refused) {
          globalThis.refused = null
          return new Response('not now', { status: 500 })
        }
        globalThis.received.push({ event, at: Date.now() })
        return new Response('ok')
      }`,
    },
    { STRIPE_SANDBOX: 'true' },
  )
})
afterAll(() => server.stop())
beforeEach(() => {
  received.length = 0
})

const pay = () =>
  stripeFor(server).paymentIntents.create({
    amount: 5000,
    currency: 'cad',
    confirm: true,
    payment_method: 'pm_card_visa',
  })
const of = (type: string) => received.filter(({ event }) => event.type === type)

it('reports events, signed, with the request that caused them', async () => {
  const intent = await pay()
  await expect.poll(() => received.length).toBe(3)
  expect(received.map(({ event }) => event.type).sort()).toEqual([
    'charge.succeeded',
    'payment_intent.created',
    'payment_intent.succeeded',
  ])
  const [succeeded] = of('payment_intent.succeeded')
  expect(succeeded?.event).toMatchObject({
    object: 'event',
    livemode: false,
    data: { object: { id: intent.id, status: 'succeeded' } },
    request: { id: intent.lastResponse.requestId },
  })
  const known = await stripeFor(server).events.retrieve(String(succeeded?.event.id))
  expect(known.type).toBe('payment_intent.succeeded')
})

it('reports a declined card', async () => {
  await stripeFor(server)
    .paymentIntents.create({
      amount: 5000,
      currency: 'cad',
      confirm: true,
      payment_method: 'pm_card_chargeDeclined',
    })
    .catch(() => {})
  await expect.poll(() => of('payment_intent.payment_failed').length).toBe(1)
  await expect.poll(() => of('charge.failed').length).toBe(1)
})

it('tells again until it is heard', async () => {
  Object.assign(globalThis, { refused: 'customer.created' })
  const customer = await stripeFor(server).customers.create({})
  await expect.poll(() => of('customer.created').length).toBe(1)
  expect(of('customer.created')[0]?.event.data.object).toMatchObject({ id: customer.id })
  const statuses = async () => {
    const { rows } = await server.services.database.pool.query(
      'select status from sandbox.stripe_deliveries where event_id = $1 order by id',
      [of('customer.created')[0]?.event.id],
    )
    return rows.map((row) => row.status)
  }
  // It is heard before its answer is taken down.
  await expect.poll(statuses).toEqual([500, 200])
})

it('comes before the answer when asked to', async () => {
  await fault(server, 'POST /v1/payment_intents', 'webhook_before_answer')
  await pay()
  const answered = Date.now()
  expect(of('payment_intent.succeeded')).toHaveLength(1)
  expect(received.every(({ at }) => at <= answered)).toBe(true)
})

it('comes twice when asked to', async () => {
  await fault(server, 'POST /v1/payment_intents', 'webhook_twice')
  await pay()
  await expect.poll(() => of('payment_intent.succeeded').length).toBe(2)
  expect(new Set(of('payment_intent.succeeded').map(({ event }) => event.id)).size).toBe(1)
})

it('comes late when asked to', async () => {
  await fault(server, 'POST /v1/customers', 'webhook_late')
  const stripe = stripeFor(server)
  const first = await stripe.customers.create({})
  const second = await stripe.customers.create({})
  await expect.poll(() => of('customer.created').length).toBe(2)
  const order = of('customer.created').map(({ event }) => (event.data.object as Stripe.Customer).id)
  expect(order).toEqual([second.id, first.id])
})

describe('a project whose function has another name', () => {
  const files = {
    'config.toml': '[functions.payments]\nverify_jwt = false\n',
    'functions/payments/handler.ts': `
      export default async (request) => {
        globalThis.received.push({ event: await request.json(), at: Date.now() })
        return new Response('ok')
      }`,
  }
  const waiting = async ({ database }: Project) => {
    const { rows } = await database.pool.query(
      `select count(*)::int as count from graphile_worker.jobs where task_identifier = 'deliver_stripe_event'`,
    )
    return rows[0].count
  }

  /** The warnings, except those for a plain owner of the database. */
  const told = ({ warnings }: Project) => warnings.filter((line) => !line.includes('have a superuser run'))

  it('is sent them there', async () => {
    const named = await startProject(files, { STRIPE_SANDBOX: 'true', STRIPE_SANDBOX_WEBHOOK: 'payments' })
    try {
      expect(told(named)).toEqual([])
      await stripeFor(named).customers.create({})
      await expect.poll(() => of('customer.created').length).toBe(1)
    } finally {
      await named.stop()
    }
  })

  it('gets none at a missing function, but a warning at the start', async () => {
    const lacking = await startProject(files, { STRIPE_SANDBOX: 'true' })
    try {
      expect(told(lacking)).toEqual([
        expect.stringMatching(/^STRIPE_SANDBOX_WEBHOOK: the project has no function stripe-webhook/),
      ])
      await stripeFor(lacking).customers.create({})
      await expect.poll(() => waiting(lacking)).toBe(0)
      const { rows } = await lacking.database.pool.query('select from sandbox.stripe_deliveries')
      expect(rows).toEqual([])
    } finally {
      await lacking.stop()
    }
  })
})
