// The sandbox as a stranger uses it: the official SDK with nothing but a host and a port, and their own webhook.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'

let endpoint: Server
let sandbox: TestServer
let stripe: Stripe
const received: Stripe.Event[] = []

beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const signature = request.headers['stripe-signature'] as string
    received.push(stripe.webhooks.constructEvent(body, signature, sandbox.keys.webhookSecret))
    response.end()
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  sandbox = await startTestServer(`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`)
  const { port } = new URL(sandbox.url)
  stripe = new Stripe(sandbox.keys.secretKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false })
})
afterAll(async () => {
  await sandbox?.stop()
  endpoint?.close()
})

it('takes a payment, keeps it, and sends its events', async () => {
  const customer = await stripe.customers.create({ name: 'Grace' })
  const intent = await stripe.paymentIntents.create({
    amount: 5000,
    currency: 'cad',
    customer: customer.id,
    confirm: true,
    payment_method: 'pm_card_visa',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  })
  expect(intent.status).toBe('succeeded')
  expect((await stripe.paymentIntents.list({ customer: customer.id })).data.map(({ id }) => id)).toEqual([
    intent.id,
  ])
  await expect.poll(() => received.map(({ type }) => type)).toContain('payment_intent.succeeded')
})

it('answers as Stripe does to a key that is not its own', async () => {
  const { port } = new URL(sandbox.url)
  const other = new Stripe('sk_test_of_somebody_else', { host: '127.0.0.1', port, protocol: 'http' })
  await expect(other.balance.retrieve()).rejects.toMatchObject({ type: 'StripeAuthenticationError' })
})
