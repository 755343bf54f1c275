// This repository's own functions, the very files that are deployed, run by Deno: paying, cancelling and the sandbox's
// signed events through supabase-js, as hosted Supabase would run them.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  becomes,
  cancel,
  complete,
  ledger,
  moved,
  openPayoutAccount,
  paidJob,
  release,
  soon,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FUNCTIONS_RUNTIME: 'deno' } })
})
afterAll(() => server.stop())

const names = readdirSync(repositoryFile('supabase/functions'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
  .map(({ name }) => name)

it.each(names)('%s starts and answers a preflight', async (name) => {
  const response = await fetch(`${server.url}/functions/v1/${name}`, { method: 'OPTIONS' })
  expect([name, response.status < 500]).toEqual([name, true])
  expect(response.headers.get('x-relay-error')).toBeNull()
})

it('get-stripe-config gives the key that the server was given', async () => {
  const { data, error } = await stranger(server).functions.invoke('get-stripe-config')
  expect(error).toBeNull()
  expect(JSON.stringify(data)).toContain('pk_test_')
})

it('create-payment-intent asks the database who may pay what', async () => {
  const { error } = await stranger(server).functions.invoke('create-payment-intent', {
    body: { bookingId: crypto.randomUUID() },
  })
  expect(error.name).toBe('FunctionsHttpError')
  expect(error.context.status).toBe(401)
  const grace = await signedIn(server, 'grace')
  const { data, error: refused } = await grace.functions.invoke('create-payment-intent', {
    body: { bookingId: 'x' },
  })
  expect(data).toBeNull()
  expect(await refused.context.json()).toMatchObject({ error: expect.stringContaining('bookingId') })
})

it('pays, holds, releases and pays out: every function of a job under Deno', async () => {
  await openPayoutAccount(server)
  const job = await paidJob(server, { amount: 100 })
  await complete(job)
  await release(job)
  await becomes(server, job, { escrow_status: 'released', payout_status: 'sent' })
  expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
  expect((await ledger(server, job)).sum).toBe(0)
})

it('cancels and refunds', async () => {
  const job = await paidJob(server, { amount: 100 })
  const { feeCents, refundCents } = await cancel(job.theo, job.bookingId)
  expect([feeCents, refundCents]).toEqual([0, 12_000])
  await becomes(server, job, { escrow_status: 'refunded' })
  await expect.poll(() => moved(server, job)).toEqual({ charge: [12_000], refund: [12_000] })
})

it('streams a data export from bucket to bucket', async () => {
  const sam = await signedIn(server, 'sam')
  await sam.rpc('request_data_export').throwOnError()
  const latest = async () => (await sam.from('data_exports').select('status, size').single()).data
  await expect.poll(latest, soon).toMatchObject({ status: 'ready', size: expect.any(Number) })
})
