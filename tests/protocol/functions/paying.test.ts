// Paying for a booking, through supabase-js and the sandbox: once, of the right amount, by the right person.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failure, fault, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  acceptedJob,
  becomes,
  clientSecretOf,
  confirm,
  failuresOf,
  intentOf,
  ledger,
  moved,
  paidJob,
  paymentOf,
  soon,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const statusOf = async (bookingId: string) =>
  (await server.database.pool.query('select status from public.bookings where id = $1', [bookingId])).rows[0]
    .status

describe('get-stripe-config', () => {
  it('tells the browser its key and where test payments go', async () => {
    const grace = await signedIn(server, 'grace')
    const { data } = await grace.functions.invoke('get-stripe-config')
    expect(data).toEqual({ publishableKey: expect.stringMatching(/^pk_test_/), apiUrl: '/sandbox/stripe' })
  })
})

describe('create-payment-intent', () => {
  it('charges amount, fee and GST of the database, whatever the request says', async () => {
    const job = await acceptedJob(server, { amount: 100 })
    await confirm(server, await clientSecretOf(job, { amount: 1, payeeId: 'somebody else' }))
    await becomes(server, job, { escrow_status: 'held', total: '120.00' })
    expect(await statusOf(job.bookingId)).toBe('in_progress')
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
    expect(await ledger(server, job)).toEqual({ accounts: { provider: 120, escrow: -120 }, sum: 0 })
  })

  it('leaves the booking as it is after a declined card, and takes the next one', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    expect(await failure(confirm(server, secret, 'pm_card_chargeDeclinedInsufficientFunds'))).toMatchObject({
      decline_code: 'insufficient_funds',
    })
    // Why is for the payer: the tasker reads the payment, and not this.
    await expect.poll(() => failuresOf(job.grace, job), soon).toEqual(['Your card has insufficient funds.'])
    expect(await failuresOf(job.theo, job)).toEqual([])
    const { data: asTasker } = await job.theo.from('payments').select().eq('booking_id', job.bookingId)
    expect(asTasker).toHaveLength(1)
    expect(JSON.stringify(asTasker)).not.toContain('insufficient')
    await becomes(server, job, { escrow_status: 'pending' })
    expect(await statusOf(job.bookingId)).toBe('accepted')
    expect(await clientSecretOf(job)).toBe(secret)
    await confirm(server, secret)
    await becomes(server, job, { escrow_status: 'held' })
    expect(await failuresOf(job.grace, job)).toEqual([])
  })

  it('waits for authentication', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    const waiting = await confirm(server, secret, 'pm_card_authenticationRequired')
    expect(waiting.status).toBe('requires_action')
    expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
    await fetch(`${server.url}/sandbox/stripe/authenticate/${intentOf(secret)}`, {
      method: 'POST',
      body: new URLSearchParams({ client_secret: secret, outcome: 'complete' }),
    })
    await becomes(server, job, { escrow_status: 'held' })
  })

  it('makes one intent and one charge for two tabs at once', async () => {
    const job = await acceptedJob(server)
    const secrets = await Promise.all([1, 2, 3].map(() => clientSecretOf(job)))
    expect(new Set(secrets).size).toBe(1)
    const tries = await Promise.allSettled(secrets.map((secret) => confirm(server, secret)))
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    await becomes(server, job, { escrow_status: 'held' })
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
    await expect(clientSecretOf(job)).rejects.toThrow('400: {"error":"This booking is already paid"')
  })

  it('says so when it is paid and the webhook has not come yet', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/confirm`, 'webhook_late')
    await confirm(server, secret)
    await expect(clientSecretOf(job)).rejects.toThrow(
      '409: {"error":"This booking is already paid","code":"payment.already_paid"',
    )
    await becomes(server, job, { escrow_status: 'held' })
  })

  it('ends right when the provider acts and does not answer', async () => {
    const job = await acceptedJob(server)
    // More often than the SDK asks again: the function fails, and the next call finds the same intent.
    await fault(server, 'POST /v1/payment_intents', 'timeout_after_acting', 4)
    await expect(clientSecretOf(job)).rejects.toThrow(
      '502: {"error":"Failed to create payment intent","code":"payment.intent_failed"',
    )
    await confirm(server, await clientSecretOf(job))
    await becomes(server, job, { escrow_status: 'held' })
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
    const { rows } = await server.database.pool.query(
      `select count(*)::int as made from sandbox.stripe_objects where object = 'payment_intent' and data ->> 'transfer_group' = $1`,
      [job.bookingId],
    )
    expect(rows[0].made).toBe(1)
  })
})

describe('the right to pay, and the required body', () => {
  const call = (token: string | null, body: BodyInit, method = 'POST') =>
    fetch(`${server.url}/functions/v1/create-payment-intent`, {
      method,
      headers: { apikey: server.publishableKey, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(method === 'POST' ? { body } : {}),
    })
  const tokenOf = async (name: 'grace' | 'theo' | 'sam') =>
    (await (await signedIn(server, name)).auth.getSession()).data.session?.access_token ?? ''

  it('only the giver', async () => {
    const job = await acceptedJob(server)
    const body = JSON.stringify({ bookingId: job.bookingId })
    const nobody = await stranger(server).functions.invoke('create-payment-intent', {
      body: { bookingId: job.bookingId },
    })
    expect(nobody.error.context.status).toBe(401)
    expect(await nobody.error.context.json()).toEqual({
      error: 'Not authenticated',
      code: 'account.not_authenticated',
      params: {},
    })
    const theo = await call(await tokenOf('theo'), body)
    expect(theo.status).toBe(403)
    expect(await theo.json()).toMatchObject({
      error: 'Only the task giver can pay for a booking',
      code: 'payment.not_giver',
    })
    const sam = await call(await tokenOf('sam'), body)
    expect(sam.status).toBe(400)
    expect(await sam.json()).toEqual({
      error: 'Booking not found',
      code: 'booking.not_found',
      params: {},
      field: 'booking_id',
    })
    expect(await paymentOf(server, job)).toBeUndefined()
  })

  it.each([
    ['{', 400, 'The body must be JSON'],
    ['', 400, 'bookingId: must be the id of a booking'],
    ['[]', 400, 'The body must be a JSON object'],
    ['null', 400, 'The body must be a JSON object'],
    ['{"bookingId":7}', 400, 'bookingId: must be the id of a booking'],
    ['{"bookingId":"no-uuid"}', 400, 'bookingId: must be the id of a booking'],
    ['{"bookingId":"11111111-1111-4111-8111-111111111111"}', 400, 'Booking not found'],
  ])('%s is %i: %s', async (body, status, error) => {
    const response = await call(await tokenOf('grace'), body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error })
  })

  it('only by POST', async () => {
    expect((await call(await tokenOf('grace'), '', 'GET')).status).toBe(405)
  })
})

describe('a paid booking', () => {
  it('cannot be paid through the provider a second time', async () => {
    const job = await paidJob(server)
    const { stripe_payment_intent_id } = await paymentOf(server, job)
    const again = await failure(
      stripeFor(server).paymentIntents.confirm(stripe_payment_intent_id, { payment_method: 'pm_card_visa' }),
    )
    expect(again.code).toBe('payment_intent_unexpected_state')
  })
})

describe('create-payment-intent of a change of the price', () => {
  it('charges the accepted amount by a second intent of the booking, for its giver alone', async () => {
    const job = await paidJob(server, { amount: 100 })
    const { data: changeId } = await job.theo
      .rpc('propose_change', {
        booking_id: job.bookingId,
        kind: 'increase',
        amount: 20,
        reason: 'The walk, too',
      })
      .throwOnError()
    const body = { bookingId: job.bookingId, changeId }
    const ask = (person = job.grace) => person.functions.invoke('create-payment-intent', { body })
    expect((await ask()).error).not.toBeNull()
    await job.grace.rpc('answer_change', { change_id: changeId, accept: true, amount: 20 }).throwOnError()
    expect((await ask(job.theo)).error).not.toBeNull()
    const { data } = await ask()
    expect((await ask()).data).toEqual(data)
    await confirm(server, data.clientSecret)
    const change = async () =>
      (await job.grace.from('booking_changes').select('state').eq('id', changeId).single()).data?.state
    await expect.poll(change, soon).toBe('done')
    expect((await moved(server, job)).charge?.toSorted()).toEqual([12_000, 2400])
    expect((await ask()).error).not.toBeNull()
  })
})
