// A chargeback from the bank's first word to its last, through the sandbox's signed events; and that the provider and the
// ledger agree afterwards.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failure, openDispute, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { reconcile, sandboxObjects } from '../../../scripts/reconcile.mjs'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  acceptedJob,
  becomes,
  cancel,
  clientSecretOf,
  complete,
  confirm,
  intentOf,
  type Job,
  ledger,
  moved,
  openPayoutAccount,
  paidJob,
  paymentOf,
  release,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await openPayoutAccount(server)
})
afterAll(() => server.stop())

/** A job paid with a card whose owner disputes it at once; answers the dispute's id. */
async function disputedJob(): Promise<{ job: Job; dispute: string }> {
  const job = await acceptedJob(server)
  const secret = await clientSecretOf(job)
  await confirm(server, secret, 'pm_card_createDispute')
  await becomes(server, job, { escrow_status: 'frozen', open_disputes: 1 })
  const { data } = await stripeFor(server).disputes.list({ payment_intent: intentOf(secret) })
  return { job, dispute: String(data[0]?.id) }
}
/** A job paid with a good card whose owner then disputes so many cents; answers the dispute's id. */
async function dispute(job: Job, amount: number, more: Record<string, string> = {}): Promise<string> {
  const { stripe_payment_intent_id: payment_intent } = await paymentOf(server, job)
  return (await openDispute(server, { payment_intent, amount: String(amount), ...more })).id
}
const decideLoss = async (job: Job, decision: 'carry_on' | 'refund') => {
  const ada = await signedIn(server, 'ada')
  await server.database.pool.query(
    `insert into public.user_roles (user_id, role) select id, 'admin' from public.profiles where email like 'ada@%'
     on conflict do nothing`,
  )
  const { id } = await paymentOf(server, job)
  await ada.rpc('decide_loss', { payment_id: id, decision }).throwOnError()
}
const evidence = (dispute: string, uncategorized_text: string) =>
  stripeFor(server).disputes.update(dispute, { evidence: { uncategorized_text }, submit: true })
const statusOf = async (job: Job) =>
  (await server.database.pool.query('select status from public.bookings where id = $1', [job.bookingId]))
    .rows[0].status
const agrees = async () => {
  const { pool } = server.database
  expect((await reconcile(pool, sandboxObjects(pool))).differences).toEqual([])
}

describe('a chargeback', () => {
  it('that is won lets the job go on and be paid', async () => {
    const { job, dispute } = await disputedJob()
    await expect(cancel(job.grace, job.bookingId)).rejects.toThrow(
      'until the bank has decided on a chargeback',
    )
    await complete(job)
    await expect(release(job)).rejects.toMatchObject({
      message: 'The payment is frozen until the bank has decided on a chargeback',
    })
    await evidence(dispute, 'winning_evidence')
    await becomes(server, job, { escrow_status: 'held', open_disputes: 0 })
    await release(job)
    await becomes(server, job, { payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
    await agrees()
  })

  it('that is lost ends the booking, and nobody is paid', async () => {
    const { job, dispute } = await disputedJob()
    await evidence(dispute, 'losing_evidence')
    await becomes(server, job, { escrow_status: 'refunded', lost_amount: '120.00', payout_status: 'none' })
    expect(await statusOf(job)).toBe('cancelled')
    expect(await ledger(server, job)).toEqual({ accounts: {}, sum: 0 })
    expect((await failure(stripeFor(server).disputes.close(dispute))).message).toMatch(/already closed/)
    await agrees()
  })

  it('that is given in after the work was done closes the task', async () => {
    const { job, dispute } = await disputedJob()
    await complete(job)
    expect((await stripeFor(server).disputes.close(dispute)).status).toBe('lost')
    await becomes(server, job, { escrow_status: 'refunded' })
    expect(await statusOf(job)).toBe('completed')
    const { data } = await job.theo.from('notifications').select('key').eq('key', 'chargeback_lost')
    expect(data?.length).toBeGreaterThan(0)
    expect(await paymentOf(server, job)).toMatchObject({ payout_amount: '0.00', refunded_amount: '120.00' })
    await agrees()
  })

  it('is one of two on a charge: the small one is won, and nothing is paid while the large one is open', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await confirm(server, secret, 'pm_card_createMultipleDisputes')
    await becomes(server, job, { escrow_status: 'frozen', open_disputes: 2 })
    await complete(job)
    const { data } = await stripeFor(server).disputes.list({ payment_intent: intentOf(secret) })
    const [one, other] = data.map(({ id }) => id) as [string, string]
    await evidence(one, 'winning_evidence')
    await becomes(server, job, { escrow_status: 'frozen', open_disputes: 1 })
    await expect(release(job)).rejects.toMatchObject({
      message: 'The payment is frozen until the bank has decided on a chargeback',
    })
    await evidence(other, 'winning_evidence')
    await becomes(server, job, { escrow_status: 'held', open_disputes: 0 })
    // Won, and charged back again: for all of it this time.
    const again = await dispute(job, 12_000)
    await becomes(server, job, { escrow_status: 'frozen', open_disputes: 1 })
    await evidence(again, 'losing_evidence')
    await becomes(server, job, { escrow_status: 'refunded', lost_amount: '120.00', payout_status: 'none' })
    expect(await moved(server, job)).toEqual({ charge: [12_000] })
    await agrees()
  })

  it('that is lost in part waits for an admin, and the rest goes where they say', async () => {
    for (const decision of ['carry_on', 'refund'] as const) {
      const job = await paidJob(server)
      await complete(job)
      await evidence(await dispute(job, 11_999), 'losing_evidence')
      await becomes(server, job, { escrow_status: 'frozen', open_disputes: 0, unsettled_loss: '119.99' })
      await decideLoss(job, decision)
      if (decision === 'carry_on') {
        await becomes(server, job, { escrow_status: 'held' })
        await release(job)
        await becomes(server, job, { payout_status: 'sent' })
        expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
      } else {
        await becomes(server, job, { refund_status: 'sent' })
        expect(await moved(server, job)).toEqual({ charge: [12_000], refund: [1] })
      }
      await agrees()
    }
  })

  it('that begins as an inquiry freezes the money once it is one', async () => {
    const job = await acceptedJob(server)
    const secret = await clientSecretOf(job)
    await confirm(server, secret, 'pm_card_createDisputeInquiry')
    await becomes(server, job, { escrow_status: 'held', open_disputes: 0 })
    const { data } = await stripeFor(server).disputes.list({ payment_intent: intentOf(secret) })
    const inquiry = String(data[0]?.id)
    expect(data[0]).toMatchObject({ status: 'warning_needs_response', balance_transactions: [] })
    await evidence(inquiry, 'escalate_inquiry_evidence')
    await becomes(server, job, { escrow_status: 'frozen', open_disputes: 1 })
    await agrees()
    await evidence(inquiry, 'winning_evidence')
    await becomes(server, job, { escrow_status: 'held' })
    await agrees()
  })

  it('of a cancelled booking holds the refund back, which the bank may make itself', async () => {
    const job = await paidJob(server)
    const id = await dispute(job, 12_000, { inquiry: 'true' })
    await cancel(job.theo, job.bookingId)
    await becomes(server, job, { refund_status: 'sent' })
    await evidence(id, 'losing_evidence')
    await agrees()
    const { stripe_payment_intent_id: payment_intent } = await paymentOf(server, job)
    const nothingLeft = await failure(stripeFor(server).refunds.create({ payment_intent }))
    expect(nothingLeft).toMatchObject({ code: 'charge_already_refunded' })
  })
})
