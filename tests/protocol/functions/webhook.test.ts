// The stripe-webhook function: what Stripe signed is applied once, in any order; what it did not sign never is.

import { sandboxStripeKeys } from '@meadowlark/stripe-sandbox/keys.ts'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fault } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import takeEvent from '../../../supabase/functions/stripe-webhook/handler.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  acceptedJob,
  becomes,
  clientSecretOf,
  confirm,
  failuresOf,
  intentOf,
  ledger,
  paidJob,
  paymentOf,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const stripe = new Stripe('sk_test_unused')

/** Sends an event as Stripe would; `secret` and `seconds` are for those that it would not. */
function send(event: object, options: { secret?: string; seconds?: number; header?: string | null } = {}) {
  const {
    secret = sandboxStripeKeys(server.secretKey).webhookSecret,
    seconds = Math.floor(Date.now() / 1000),
  } = options
  const payload = JSON.stringify(event)
  const signed = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds })
  const header = options.header === undefined ? signed : options.header
  return fetch(`${server.url}/functions/v1/stripe-webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(header === null ? {} : { 'stripe-signature': header }),
    },
    body: payload,
  })
}

const succeeded = (paymentId: string, intent: string, cents: number, id = `evt_${intent}`) => ({
  id,
  object: 'event',
  type: 'payment_intent.succeeded',
  created: Math.floor(Date.now() / 1000),
  data: {
    object: {
      id: intent,
      object: 'payment_intent',
      amount: cents,
      amount_received: cents,
      currency: 'cad',
      latest_charge: 'ch_1',
      metadata: { payment_id: paymentId },
    },
  },
})

it('holds the money for a signed event, once however often it comes', async () => {
  const job = await acceptedJob(server)
  const intent = intentOf(await clientSecretOf(job))
  const event = succeeded((await paymentOf(server, job)).id, intent, 12_000)
  const answers = await Promise.all([send(event), send(event), send(event)])
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
  const statuses = await Promise.all(answers.map(async (answer) => (await answer.json()).status))
  expect(statuses.sort()).toEqual(['applied', 'duplicate', 'duplicate'])
  await becomes(server, job, { escrow_status: 'held' })
  expect(await ledger(server, job)).toEqual({ accounts: { provider: 120, escrow: -120 }, sum: 0 })
})

it.each([
  ['signed with another secret', { secret: 'whsec_somebody_elses' }],
  ['signed an hour ago', { seconds: Math.floor(Date.now() / 1000) - 3600 }],
  ['not signed at all', { header: null }],
  ['signed with nonsense', { header: 't=1,v1=nonsense' }],
])('changes nothing for an event %s', async (_, options) => {
  const job = await acceptedJob(server)
  const intent = intentOf(await clientSecretOf(job))
  const response = await send(succeeded((await paymentOf(server, job)).id, intent, 12_000), options)
  expect(response.status).toBe(400)
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
})

it('does not hold money of the wrong amount', async () => {
  const job = await acceptedJob(server)
  const intent = intentOf(await clientSecretOf(job))
  await send(succeeded((await paymentOf(server, job)).id, intent, 100))
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
})

it('ends the same when the failure of the first card arrives after the success of the second', async () => {
  const job = await acceptedJob(server)
  const secret = await clientSecretOf(job)
  await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/confirm`, 'webhook_late')
  await confirm(server, secret, 'pm_card_chargeDeclined').catch(() => {})
  await confirm(server, secret)
  await becomes(server, job, { escrow_status: 'held' })
  await expect
    .poll(
      async () =>
        (
          await server.database.pool.query(
            `select from public.stripe_events where type = 'payment_intent.payment_failed' and payload::text like $1`,
            [`%${intentOf(secret)}%`],
          )
        ).rowCount,
      { timeout: 10_000 },
    )
    .toBe(1)
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held' })
  expect(await failuresOf(job.grace, job)).toEqual([])
})

it('takes events before and in twos', async () => {
  for (const name of ['webhook_before_answer', 'webhook_twice']) {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/confirm`, name)
    await confirm(server, secret)
    await becomes(server, job, { escrow_status: 'held' })
    expect((await ledger(server, job)).sum).toBe(0)
  }
})

it('answers what it cannot store with an error, so that Stripe sends it again', async () => {
  expect((await send({ id: 'evt_x', object: 'event' })).status).toBe(400)
  expect((await fetch(`${server.url}/functions/v1/stripe-webhook`)).status).toBe(405)
  const job = await paidJob(server)
  expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held' })
})

it('takes the signature of any of its endpoints, whose secrets are separated by commas', async () => {
  const env = {
    STRIPE_SECRET_KEY: 'sk_test_unused',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_platform, whsec_of_connected_accounts',
    SUPABASE_URL: server.url,
    SUPABASE_SERVICE_ROLE_KEY: server.secretKey,
  }
  const payload = JSON.stringify({
    id: 'evt_of_an_account',
    object: 'event',
    type: 'payout.created',
    account: 'acct_unknown',
    data: {
      object: { id: 'po_1', object: 'payout', amount: 100, currency: 'cad', status: 'pending', created: 1 },
    },
  })
  const statuses = await Promise.all(
    ['whsec_of_the_platform', 'whsec_of_connected_accounts', 'whsec_of_somebody_else'].map(async (secret) => {
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret })
      const headers = { 'stripe-signature': signature }
      return (await takeEvent(new Request(server.url, { method: 'POST', headers, body: payload }), env))
        .status
    }),
  )
  expect(statuses).toEqual([200, 200, 400])
})
