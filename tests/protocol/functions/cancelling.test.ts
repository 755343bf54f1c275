// Cancelling while a payment is being made: the provider is asked before the booking goes, so that no card is charged
// for a booking that is no more and no fee is escaped.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import { failure, fault, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  acceptedJob,
  becomes,
  cancel,
  clientSecretOf,
  confirm,
  intentOf,
  type Job,
  ledger,
  moved,
  paymentOf,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const query = async (text: string, values: unknown[] = []) =>
  (await server.database.pool.query(text, values)).rows
const statusOf = async (job: Job) =>
  (await query('select status from public.bookings where id = $1', [job.bookingId]))[0].status

/** Withholds the news of what happens to this intent for two seconds. */
const lateNews = (secret: string) =>
  fault(server, `POST /v1/payment_intents/${intentOf(secret)}/confirm`, 'webhook_late')

describe('a payment that was started', () => {
  it('is closed at the provider before the booking is cancelled', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    expect(await cancel(job.grace, job.bookingId)).toEqual({
      outcome: 'not_paid',
      message: 'No fee applies, because nothing was paid.',
      feeCents: 0,
      refundCents: 0,
      listing: 'listed_again',
    })
    expect((await stripeFor(server).paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled')
    expect(await failure(confirm(server, secret))).toMatchObject({ code: 'payment_intent_unexpected_state' })
    expect(await paymentOf(server, job)).toMatchObject({
      escrow_status: 'pending',
      stripe_payment_intent_id: null,
    })
    expect(await moved(server, job)).toEqual({})
  })

  it('and waits for authentication in another tab can be confirmed there no more', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    expect((await confirm(server, secret, 'pm_card_authenticationRequired')).status).toBe('requires_action')
    expect(await cancel(job.theo, job.bookingId)).toMatchObject({ feeCents: 0, refundCents: 0 })
    await fetch(`${server.url}/sandbox/stripe/authenticate/${intentOf(secret)}`, {
      method: 'POST',
      body: new URLSearchParams({ client_secret: secret, outcome: 'complete' }),
    })
    expect((await stripeFor(server).paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled')
    expect(await moved(server, job)).toEqual({})
  })

  it('blocks every other way to cancel', async () => {
    const job = await acceptedJob(server)
    await clientSecretOf(job)
    for (const client of [job.grace, job.theo]) {
      const row = await client.from('bookings').update({ status: 'cancelled' }).eq('id', job.bookingId)
      const call = await client.rpc('cancel_booking', {
        booking_id: job.bookingId,
        reason: 'Changed my mind',
      })
      for (const { error } of [row, call]) {
        expect(error).toMatchObject({
          code: 'P0001',
          message: 'The payment of this booking was started: it is cancelled through handle-cancellation',
        })
      }
    }
    expect(await statusOf(job)).toBe('accepted')
  })

  it('is nobody else’s to close', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await expect(cancel(await signedIn(server, 'sam'), job.bookingId)).rejects.toThrow('Booking not found')
    await expect(cancel(stranger(server), job.bookingId)).rejects.toThrow('401')
    await expect(cancel(job.grace, job.bookingId, 'a\0b')).rejects.toThrow(
      '400: {"error":"reason: must not hold a null character"',
    )
    expect((await stripeFor(server).paymentIntents.retrieve(intentOf(secret))).status).toBe(
      'requires_payment_method',
    )
  })

  it('that was closed by itself is followed by a new one', async () => {
    const job = await acceptedJob(server)
    const first = await clientSecretOf(job)
    await stripeFor(server).paymentIntents.cancel(intentOf(first))
    const second = await clientSecretOf(job)
    expect(second).not.toBe(first)
    await confirm(server, second)
    await becomes(server, job, { escrow_status: 'held', stripe_payment_intent_id: intentOf(second) })
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
  })

  it('of which the provider knows nothing can be cancelled, or started anew', async () => {
    const forget = (job: Job) =>
      query(
        `delete from sandbox.stripe_objects where id = (select stripe_payment_intent_id from public.payments where booking_id = $1)`,
        [job.bookingId],
      )
    const cancelled = await acceptedJob(server)
    await clientSecretOf(cancelled)
    await forget(cancelled)
    expect(await cancel(cancelled.grace, cancelled.bookingId)).toMatchObject({ feeCents: 0 })
    const paid = await acceptedJob(server)
    await clientSecretOf(paid)
    await forget(paid)
    await confirm(server, await clientSecretOf(paid))
    await becomes(server, paid, { escrow_status: 'held' })
  })
})

describe('a payment that was charged, before its news has come', () => {
  it('costs the giver who cancels the true fee', async () => {
    const job = await acceptedJob(server, { amount: 100, hours: 0.5 })
    const secret = await clientSecretOf(job)
    await lateNews(secret)
    await confirm(server, secret)
    expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
    expect(await cancel(job.grace, job.bookingId)).toMatchObject({ feeCents: 5000, refundCents: 7000 })
    await becomes(server, job, { refund_status: 'sent' })
    // The late news changes nothing any more.
    await expect
      .poll(
        () =>
          query(
            `select type from public.stripe_events where type = 'payment_intent.succeeded' and payment_id =
            (select id from public.payments where booking_id = $1)`,
            [job.bookingId],
          ),
        { timeout: 15_000 },
      )
      .toHaveLength(1)
    expect(await moved(server, job)).toMatchObject({ charge: [12_000], refund: [7000] })
    expect((await ledger(server, job)).sum).toBe(0)
  })

  it('goes back whole when the tasker cancels, and counts against their record', async () => {
    const job = await acceptedJob(server, { hours: 0.5 })
    const secret = await clientSecretOf(job)
    await lateNews(secret)
    await confirm(server, secret)
    expect(await cancel(job.theo, job.bookingId)).toMatchObject({ feeCents: 0, refundCents: 12_000 })
    await becomes(server, job, { escrow_status: 'refunded', refund_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], refund: [12_000] })
  })

  it('ends in one of two ways when charging and cancelling happen at once, from both sides', async () => {
    for (let round = 0; round < amount({ gate: 3, soak: 60 }); round++) {
      const job = await acceptedJob(server, { amount: 100, hours: 0.5 })
      const secret = await clientSecretOf(job)
      const tries = await Promise.allSettled([
        confirm(server, secret),
        cancel(job.grace, job.bookingId),
        cancel(job.theo, job.bookingId),
        clientSecretOf(job),
      ])
      const [charged, ...cancelled] = tries.map((one) => one.status === 'fulfilled')
      expect(cancelled.slice(0, 2).filter(Boolean)).toHaveLength(1)
      expect(await statusOf(job)).toBe('cancelled')
      if (charged) {
        await becomes(server, job, { escrow_status: 'refunded', refund_status: 'sent' })
        const { charge, refund } = await moved(server, job)
        // Full when Theo was first, half of the amount less when Grace was.
        expect([charge, [[12_000], [7000]]]).toEqual([[12_000], expect.arrayContaining([refund])])
      } else {
        expect(await paymentOf(server, job)).toMatchObject({ escrow_status: 'pending' })
        expect(await moved(server, job)).toEqual({})
      }
      expect((await ledger(server, job)).sum).toBe(0)
    }
  })
})

describe('a provider', () => {
  it('that does not answer leaves the booking as it is', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/cancel`, 'error_before_acting', 4)
    await expect(cancel(job.grace, job.bookingId)).rejects.toThrow(
      '503: {"error":"The payment provider does not answer. Please try again in a few minutes.","code":"payment.provider_unavailable"',
    )
    expect(await statusOf(job)).toBe('accepted')
    expect(await paymentOf(server, job)).toMatchObject({ stripe_payment_intent_id: intentOf(secret) })
    await confirm(server, secret)
    await becomes(server, job, { escrow_status: 'held' })
  })

  it('that acts and does not answer is understood the next time', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/cancel`, 'timeout_after_acting', 4)
    await expect(cancel(job.grace, job.bookingId)).rejects.toThrow('503')
    expect(await statusOf(job)).toBe('accepted')
    expect(await cancel(job.grace, job.bookingId)).toMatchObject({ feeCents: 0 })
    expect(await moved(server, job)).toEqual({})
  })

  it('that is still charging the card is waited for', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    const become = (status: string) =>
      query(
        `update sandbox.stripe_objects set data = jsonb_set(data, '{status}', to_jsonb($2::text)) where id = $1`,
        [intentOf(secret), status],
      )
    await become('processing')
    await expect(cancel(job.grace, job.bookingId)).rejects.toThrow(
      '409: {"error":"The payment is being processed right now. Please try again in a few minutes.","code":"payment.processing"',
    )
    expect(await statusOf(job)).toBe('accepted')
    await become('requires_payment_method')
    expect(await cancel(job.grace, job.bookingId)).toMatchObject({ feeCents: 0 })
  })
})

it('the clock closes what was never finished before it ends the booking', async () => {
  const [old, paid] = [await acceptedJob(server), await acceptedJob(server)]
  const secrets = [await clientSecretOf(old), await clientSecretOf(paid)] as const
  await lateNews(secrets[1])
  await confirm(server, secrets[1])
  await query(`update public.bookings set accepted_at = now() - interval '15 days' where id = any ($1)`, [
    [old.bookingId, paid.bookingId],
  ])
  const { data } = await stranger(server, server.secretKey).functions.invoke('run-scheduled', { body: {} })
  expect(data.done).toBeGreaterThan(0)
  expect((await stripeFor(server).paymentIntents.retrieve(intentOf(secrets[0]))).status).toBe('canceled')
  expect(await statusOf(old)).toBe('cancelled')
  expect(await statusOf(paid)).toBe('in_progress')
  expect(await paymentOf(server, paid)).toMatchObject({ escrow_status: 'held' })
})
