// A chargeback from the bank's first word to its last, through the sandbox's signed events; and that the provider and the
// ledger agree afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reconcile, sandboxObjects } from '../../../scripts/reconcile.mjs'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { failure, stripeFor } from '../sandbox/stripe-sdk.ts'
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
  await becomes(server, job, { escrow_status: 'frozen', dispute_status: 'open' })
  const { data } = await stripeFor(server).disputes.list({ payment_intent: intentOf(secret) })
  return { job, dispute: String(data[0]?.id) }
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
    await becomes(server, job, { escrow_status: 'held', dispute_status: 'won' })
    await release(job)
    await becomes(server, job, { payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
    await agrees()
  })

  it('that is lost ends the booking, and nobody is paid', async () => {
    const { job, dispute } = await disputedJob()
    await evidence(dispute, 'losing_evidence')
    await becomes(server, job, { escrow_status: 'refunded', dispute_status: 'lost', payout_status: 'none' })
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
})
