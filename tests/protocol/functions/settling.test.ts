// Money that leaves escrow: releases become transfers, cancellations become refunds, each once, whatever the provider
// does.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  bankAccount,
  fault,
  stripeFor,
  whoIsPaid,
} from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  acceptedJob,
  becomes,
  cancel,
  complete,
  failuresOf,
  type Job,
  ledger,
  moved,
  openPayoutAccount,
  paidJob,
  paymentOf,
  release,
  soon,
} from './paid-job.ts'

let server: TestServer
let account: string
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  account = await openPayoutAccount(server)
})

/** The payouts in the queue, with why they failed. */
async function payouts() {
  const { rows } = await server.database.pool.query(
    `select error from pgmq.q_effects left join private.failed_effects on id = msg_id
     where message ->> 'function' = 'release-payout'`,
  )
  return rows
}

describe('release', () => {
  it('sends the tasker 80 % of the amount, from the booking’s own charge', async () => {
    const job = await paidJob(server, { amount: 100 })
    await complete(job)
    await release(job)
    await becomes(server, job, { escrow_status: 'released', payout_status: 'sent' })
    const { stripe_transfer_id, stripe_charge_id } = await paymentOf(server, job)
    expect(await stripeFor(server).transfers.retrieve(stripe_transfer_id)).toMatchObject({
      amount: 8000,
      currency: 'cad',
      destination: account,
      source_transaction: stripe_charge_id,
    })
    expect(await ledger(server, job)).toEqual({
      accounts: { provider: 40, platform_fees: -30, gst: -10 },
      sum: 0,
    })
  })

  it('pays once, however often the job runs or the giver releases', async () => {
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await release(job)
    const { id } = await paymentOf(server, job)
    await Promise.all(
      [1, 2, 3].map(() =>
        server.database.pool.query(
          `select private.enqueue_function('release-payout', jsonb_build_object('payment_id', $1::uuid))`,
          [id],
        ),
      ),
    )
    await becomes(server, job, { payout_status: 'sent' })
    await expect.poll(payouts, soon).toEqual([])
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
  })

  it('waits for a payout account and pays when there is one', async () => {
    await server.database.pool.query('delete from public.payout_accounts')
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { escrow_status: 'released', payout_status: 'waiting' })
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
    const { data: notices } = await job.theo.from('notifications').select('key').eq('key', 'payout_waiting')
    expect(notices?.length).toBeGreaterThan(0)

    await openPayoutAccount(server)
    await becomes(server, job, { payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
  })

  it('hears from the provider that an account became active', async () => {
    const stripe = stripeFor(server)
    const made = await stripe.accounts.create({
      type: 'custom',
      capabilities: { transfers: { requested: true } },
    })
    await server.database.pool.query(
      `update public.payout_accounts set stripe_account_id = $1, account_status = 'pending', provider_updated_at = null`,
      [made.id],
    )
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { payout_status: 'waiting' })
    await stripe.accounts.update(made.id, { ...whoIsPaid, external_account: bankAccount as never })
    await becomes(server, job, { payout_status: 'sent' })
  })

  it('ends with one transfer when the provider acts and does not answer', async () => {
    const job = await paidJob(server)
    await complete(job)
    await fault(server, 'POST /v1/transfers', 'timeout_after_acting', 4)
    await release(job)
    await becomes(server, job, { payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
  })

  it('finds its transfer again after the provider has forgotten the idempotency key', async () => {
    const job = await paidJob(server)
    await complete(job)
    await fault(server, 'POST /v1/transfers', 'timeout_after_acting', 4)
    await release(job)
    await expect.poll(payouts, soon).toMatchObject([{ error: expect.stringContaining('502') }])
    expect(await paymentOf(server, job)).toMatchObject({ payout_status: 'queued' })
    await server.database.pool.query('delete from sandbox.stripe_idempotency')
    await becomes(server, job, { payout_status: 'sent' })
    expect((await moved(server, job)).transfer).toEqual([8000])
  })
})

describe('refusals of the provider', () => {
  const heard = async (job: Job) =>
    (
      await job.theo
        .from('notifications')
        .select('params')
        .eq('key', 'payout_failed')
        .order('created_at', { ascending: false })
        .limit(1)
        .throwOnError()
    ).data?.[0]?.params.reason

  // First: what others leave failed is tried again, and would find the account closed before.
  it('a transfer to a closed account: new bank details open another, and the money is sent to it', async () => {
    await stripeFor(server).accounts.del(account)
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { payout_status: 'waiting' })
    expect(await failuresOf(job.theo, job, 'code')).toEqual(['account_invalid'])
    expect(await heard(job)).toMatch(/^The payment provider has closed your payout account/)
    const { object: _, ...numbers } = bankAccount
    const token = await stripeFor(server, 'publishable').tokens.create({ bank_account: numbers })
    const { data } = await job.theo.functions.invoke('save-payout-account', {
      body: {
        token: token.id,
        termsAccepted: true,
        person: {
          firstName: 'Theo',
          lastName: 'Tasker',
          dateOfBirth: '1990-02-01',
          address: '12 Elm St',
          city: 'Saskatoon',
          postalCode: 'S7K 1N1',
        },
      },
    })
    expect(data).toMatchObject({ status: 'active' })
    await becomes(server, job, { payout_status: 'sent' })
    expect(await failuresOf(job.theo, job)).toEqual([])
  })

  it('a transfer by a key that knows nothing of ours: nobody’s account is taken for closed', async () => {
    const job = await paidJob(server)
    await complete(job)
    await server.database.pool.query(
      `update public.payments set stripe_charge_id = 'ch_of_another' where booking_id = $1`,
      [job.bookingId],
    )
    const { rows } = await server.database.pool.query(
      'select stripe_account_id as id from public.payout_accounts',
    )
    await server.database.pool.query(
      `update public.payout_accounts set stripe_account_id = 'acct_of_another'`,
    )
    await release(job)
    await becomes(server, job, { payout_status: 'failed' })
    expect(await failuresOf(job.theo, job, 'code')).toEqual(['resource_missing'])
    const { rows: kept } = await server.database.pool.query('select account_type from public.payout_accounts')
    expect(kept).not.toContainEqual({ account_type: 'manual' })
    await server.database.pool.query('update public.payout_accounts set stripe_account_id = $1', [rows[0].id])
  })

  it('a transfer to an account without the capability: the tasker hears what is missing', async () => {
    const made = await stripeFor(server).accounts.create({
      type: 'custom',
      country: 'CA',
      capabilities: { transfers: { requested: true } },
    })
    await server.database.pool.query('update public.payout_accounts set stripe_account_id = $1', [made.id])
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { payout_status: 'failed' })
    expect(await failuresOf(job.theo, job, 'code')).toEqual(['insufficient_capabilities_for_transfer'])
    expect(await failuresOf(job.grace, job, 'code')).toEqual([])
    expect(await heard(job)).toMatch(/^Your payout account cannot take money yet/)
  })

  it('a transfer beyond our own balance: there is nothing to do', async () => {
    const job = await paidJob(server)
    await complete(job)
    // Without the booking's charge it draws on the balance, where card payments are still pending.
    await server.database.pool.query(
      'update public.payments set stripe_charge_id = null where booking_id = $1',
      [job.bookingId],
    )
    await release(job)
    await becomes(server, job, { payout_status: 'failed' })
    expect(await failuresOf(job.theo, job, 'code')).toEqual(['balance_insufficient'])
    expect(await heard(job)).toMatch(/^Our own balance/)
  })

  it('a refund: the giver may read the code, the tasker not', async () => {
    const job = await paidJob(server)
    await server.database.pool.query(
      `update public.payments set stripe_payment_intent_id = 'pi_of_nobody' where booking_id = $1`,
      [job.bookingId],
    )
    await cancel(job.theo, job.bookingId)
    await becomes(server, job, { refund_status: 'failed' })
    expect(await failuresOf(job.grace, job, 'code')).toEqual(['resource_missing'])
    expect(await failuresOf(job.theo, job, 'code')).toEqual([])
  })
})

describe('cancellation', () => {
  it.each([
    ['just within the hour', 0.98, 5000],
    ['just before the hour', 1.02, 2500],
    ['just within the day', 23.98, 2500],
    ['just before the day', 24.02, 500],
    ['without a time', undefined, 500],
  ])('by the giver %s (%s hours ahead) costs %i cents, and the rest goes back', async (_, hours, fee) => {
    const job = await paidJob(server, { amount: 100, ...(hours === undefined ? {} : { hours }) })
    const answer = await cancel(job.grace, job.bookingId, 'Plans changed')
    expect(answer).toMatchObject({ feeCents: fee, refundCents: 12_000 - fee })
    await becomes(server, job, { escrow_status: 'refunded', refund_status: 'sent', payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({
      charge: [12_000],
      refund: [12_000 - fee],
      transfer: [fee * 0.8],
    })
    expect((await ledger(server, job)).sum).toBe(0)
    expect((await ledger(server, job)).accounts).not.toHaveProperty('escrow')
  })

  it('by the tasker gives everything back', async () => {
    const job = await paidJob(server, { hours: 0.5 })
    expect(await cancel(job.theo, job.bookingId)).toMatchObject({ feeCents: 0, refundCents: 12_000 })
    await becomes(server, job, { refund_status: 'sent', payout_status: 'none' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], refund: [12_000] })
  })

  it('before paying costs nothing', async () => {
    const job = await acceptedJob(server)
    expect(await cancel(job.grace, job.bookingId)).toMatchObject({ feeCents: 0, refundCents: 0 })
    await expect(cancel(job.grace, job.bookingId)).rejects.toThrow('400')
  })

  it('ends with one refund when the provider acts and does not answer', async () => {
    const job = await paidJob(server)
    await fault(server, 'POST /v1/refunds', 'timeout_after_acting', 4)
    await cancel(job.theo, job.bookingId)
    await becomes(server, job, { refund_status: 'sent' })
    expect((await moved(server, job)).refund).toEqual([12_000])
  })

  it('of both at once happens once', async () => {
    const job = await paidJob(server)
    const tries = await Promise.allSettled([
      cancel(job.grace, job.bookingId),
      cancel(job.theo, job.bookingId),
      cancel(job.grace, job.bookingId),
    ])
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    await becomes(server, job, { refund_status: 'sent' })
    expect((await moved(server, job)).refund).toHaveLength(1)
  })

  it('is nobody else’s to make, and says what is wrong with a body', async () => {
    const job = await paidJob(server)
    const sam = await signedIn(server, 'sam')
    await expect(cancel(sam, job.bookingId)).rejects.toThrow('Booking not found')
    await expect(cancel(stranger(server), job.bookingId)).rejects.toThrow(
      '401: {"error":"Not authenticated","code":"account.not_authenticated"',
    )
    await expect(cancel(job.grace, 'nonsense')).rejects.toThrow('bookingId: must be the id of a booking')
    await expect(cancel(job.grace, job.bookingId, 'x'.repeat(1001))).rejects.toThrow(
      'reason: must have at most 1000',
    )
    await expect(cancel(job.grace, job.bookingId, 'a\0b')).rejects.toThrow('400')
    expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'held' })
  })
})

describe('the functions of the jobs', () => {
  it.each(['release-payout', 'refund-payment'])('%s answers the secret key only', async (name) => {
    const job = await paidJob(server)
    const { id } = await paymentOf(server, job)
    for (const client of [job.grace, job.theo, stranger(server)]) {
      const { error } = await client.functions.invoke(name, { body: { payment_id: id } })
      expect(error.context.status).toBe(401)
    }
    const trusted = stranger(server, server.secretKey)
    const { data } = await trusted.functions.invoke(name, { body: { payment_id: id } })
    expect(data).toMatchObject({ sent: false })
    const { error } = await trusted.functions.invoke(name, { body: { payment_id: 'x' } })
    expect(await error.context.json()).toEqual({
      error: 'payment_id: must be the id of a payment',
      field: 'payment_id',
    })
  })
})
