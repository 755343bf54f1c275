// run-effects: what waits in the database's queue is done soon after its change, by the clock where nobody was woken, and again
// until it has succeeded.

import { tryAgain } from '@meadowlark/server/extensions/http.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { fault } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { becomes, complete, moved, openPayoutAccount, paidJob, release, soon } from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await openPayoutAccount(server)
})
afterAll(() => server.stop())

const sql = async (text: string) => (await server.database.pool.query(text)).rows
// The clock is stopped: each test sets its time.
beforeEach(() => sql('update cron.job set active = false'))

it('a payout is on its way as soon as it is released, without the clock', async () => {
  const job = await paidJob(server)
  await complete(job)
  await release(job)
  await becomes(server, job, { payout_status: 'sent' })
  expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
})

it('one that failed is done by the clock once its pause is over', async () => {
  const job = await paidJob(server)
  await complete(job)
  await fault(server, 'POST /v1/transfers', 'error_before_acting', 4)
  await release(job)
  const failed = () => sql('select error from private.failed_effects')
  await expect
    .poll(failed, soon)
    .toEqual([{ error: expect.stringMatching(/^release-payout answered 502: /) }])
  await sql('update pgmq.q_effects set vt = now() where read_ct > 0')
  await sql('select private.tick_effects()')
  await becomes(server, job, { payout_status: 'sent' })
  await expect.poll(failed, soon).toEqual([])
  expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
})

it('many are done, more than are taken at once, and one that cannot be stays with the reason', async () => {
  await sql(`select private.enqueue_function('run-scheduled', '{}') from generate_series(1, 12)`)
  await sql(`select private.enqueue_function('no-such-function', '{}')`)
  const left = () =>
    sql(`select message ->> 'function' as name, error from pgmq.q_effects
    left join private.failed_effects on id = msg_id where message ->> 'key' is null
    and message ->> 'function' in ('run-scheduled', 'no-such-function')`)
  await expect
    .poll(left, soon)
    .toEqual([{ name: 'no-such-function', error: expect.stringMatching(/^no-such-function answered 404: /) }])
})

it('a call that the database broke off is made later, and is nowhere recorded as abandoned', async () => {
  const jobs = () =>
    sql(`select attempts, max_attempts from graphile_worker.jobs where task_identifier = 'send_http'`)
  await sql(`create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
    create trigger refuse before delete on net.http_request_queue for each row execute function public.refuse()`)
  await sql(`select net.http_post('http://127.0.0.1:9/', '{}')`)
  await expect.poll(jobs, soon).toEqual([{ attempts: 1, max_attempts: 25 }])
  await sql(`drop function public.refuse() cascade`)
  // As earlier versions made them.
  await sql(`select graphile_worker.reschedule_jobs(array_agg(id), max_attempts := 1) from graphile_worker.jobs
    where task_identifier = 'send_http'`)
  await tryAgain(server.database.pool)
  await expect.poll(jobs, soon).toEqual([])
})

it('it answers the secret key only', async () => {
  for (const client of [stranger(server), await signedIn(server, 'grace')]) {
    const { error } = await client.functions.invoke('run-effects')
    expect(error.context.status).toBe(401)
  }
  const { data } = await stranger(server, server.secretKey).functions.invoke('run-effects')
  expect(data).toEqual({ begun: true })
})
