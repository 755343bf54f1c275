// Visits of a series: the default card is charged two days before, whatever the provider does, and stopping closes payments that
// were started.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fault, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  becomes,
  clientSecretOf,
  confirm,
  failuresOf,
  intentOf,
  type Job,
  moved,
  paymentOf,
  soon,
} from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

type Visit = Job & { seriesId: string }

const query = async (text: string, values: unknown[] = []) =>
  (await server.database.pool.query(text, values)).rows

/** Each series has its own weeks, so that its visits clash with no others. */
let week = 1

/** Grace and Theo agree on three weekly visits; resolves to them in order. */
async function series(): Promise<[Visit, Visit, Visit]> {
  week += 4
  const [grace, theo] = await Promise.all([signedIn(server, 'grace'), signedIn(server, 'theo')])
  const [giver, tasker] = await Promise.all([grace.auth.getUser(), theo.auth.getUser()])
  const task = await grace
    .from('tasks')
    .insert({
      task_giver_id: giver.data.user?.id,
      title: 'Clean the office',
      description: 'Three rooms, the kitchen and the floor.',
      category: 'Cleaning',
      location: 'Saskatoon',
      pay_amount: 40,
      scheduled_date: new Date(Date.now() + week * 7 * 86_400_000).toISOString(),
      duration_minutes: 30,
      status: 'open',
      repeats: { every: 'weekly', count: 3 },
    })
    .select('id')
    .single()
    .throwOnError()
  const booking = await theo
    .from('bookings')
    .insert({ task_id: task.data.id, task_doer_id: tasker.data.user?.id, status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', booking.data.id).throwOnError()
  const rows = await query(
    `select id as "bookingId", task_id as "taskId", series_id as "seriesId" from public.bookings
     where series_id = (select series_id from public.bookings where id = $1) order by visit_number`,
    [booking.data.id],
  )
  return rows.map((row) => ({ ...row, grace, theo })) as [Visit, Visit, Visit]
}

/** Grace has saved that card, and it is her default. */
async function saveCard(grace: Visit['grace'], token: string): Promise<void> {
  const stripe = stripeFor(server)
  const { data } = await grace.auth.getUser()
  const [known] = await query(
    'select stripe_customer_id as id from private.payment_customers where user_id = $1',
    [data.user?.id],
  )
  const customer = known ?? (await stripe.customers.create({}))
  const method = await stripe.paymentMethods.attach(token, { customer: customer.id })
  await query('select public.record_payment_customer($1, $2)', [data.user?.id, customer.id])
  await query('delete from public.payment_methods where user_id = $1', [data.user?.id])
  await query('select public.record_payment_method($1, $2)', [data.user?.id, JSON.stringify(method)])
}

/** Brings the visit to 47 hours from now and does what is due. */
async function comeNear({ taskId }: Visit): Promise<void> {
  await query(`update public.tasks set scheduled_date = now() + interval '47 hours' where id = $1`, [taskId])
  while ((await query('select public.run_scheduled() as done'))[0].done > 0);
}

const agree = (visit: Visit, agreed = true) =>
  visit.grace.rpc('set_series_auto_pay', { series_id: visit.seriesId, agreed }).throwOnError()

async function stop(client: Visit['grace'], seriesId: string, body: object) {
  const { data, error } = await client.functions.invoke('stop-series', {
    body: { seriesId, cancelPaid: false, dropped: 3, feeCents: 0, refundCents: 0, ...body },
  })
  return error ? { status: error.context.status, ...(await error.context.json()) } : data
}

describe('the default card', () => {
  it('pays a visit two days before, once, and the money is held', async () => {
    const [, visit] = await series()
    await saveCard(visit.grace, 'pm_card_visa')
    await agree(visit)
    await comeNear(visit)
    await becomes(server, visit, { escrow_status: 'held', total: '48.00' })
    await comeNear(visit)
    expect(await moved(server, visit)).toEqual({ charge: [4800] })
  })

  it('is charged once although the provider charged and its answer was lost', async () => {
    const [, visit] = await series()
    await saveCard(visit.grace, 'pm_card_visa')
    await agree(visit)
    await fault(
      server,
      `POST /v1/payment_intents/${intentOf(await clientSecretOf(visit))}/confirm`,
      'timeout_after_acting',
    )
    await comeNear(visit)
    await becomes(server, visit, { escrow_status: 'held' })
    expect(await moved(server, visit)).toEqual({ charge: [4800] })
  })

  it.each([
    ['declined', 'pm_card_chargeCustomerFail', 'Your card was declined.'],
    ['asked to authenticate', 'pm_card_authenticationRequired', 'requires authentication'],
  ])('that is %s leaves the payment to its giver, who is notified', async (_, token, reason) => {
    const [, visit] = await series()
    await saveCard(visit.grace, token)
    await agree(visit)
    await comeNear(visit)
    const keys = async () =>
      (
        await query(`select key from public.notifications where link like '%' || $1 || '%' order by key`, [
          visit.bookingId,
        ])
      ).map(({ key }) => key)
    await expect.poll(keys, soon).toEqual(['visit_charge_failed', 'visit_charge_soon'])
    expect(await failuresOf(visit.grace, visit)).toEqual([expect.stringContaining(reason)])
    expect(await paymentOf(server, visit)).toMatchObject({ escrow_status: 'pending' })
    await confirm(server, await clientSecretOf(visit))
    await becomes(server, visit, { escrow_status: 'held' })
    expect(await moved(server, visit)).toEqual({ charge: [4800] })
  })

  it('is left alone after the giver has paid or no longer agrees', async () => {
    const [, paid, other] = await series()
    await saveCard(paid.grace, 'pm_card_visa')
    await agree(paid)
    await confirm(server, await clientSecretOf(paid))
    await becomes(server, paid, { escrow_status: 'held' })
    await comeNear(paid)
    await agree(paid, false)
    await comeNear(other)
    expect(await moved(server, paid)).toEqual({ charge: [4800] })
    expect(await paymentOf(server, other)).toBeUndefined()
  })
})

describe('stopping', () => {
  it('closes a payment that was started, so that no card pays a dropped visit', async () => {
    const visits = await series()
    const secret = await clientSecretOf(visits[1])
    expect(await stop(visits[0].theo, visits[0].seriesId, {})).toEqual({
      outcome: 'stopped',
      dropped: 3,
      cancelled: 0,
      feeCents: 0,
      refundCents: 0,
    })
    expect((await stripeFor(server).paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled')
    expect(await stop(visits[0].grace, visits[0].seriesId, {})).toMatchObject({ outcome: 'already_over' })
  })

  it('is refused if a visit turns out to be paid, and then costs what is shown', async () => {
    const visits = await series()
    const secret = await clientSecretOf(visits[0])
    await fault(server, `POST /v1/payment_intents/${intentOf(secret)}/confirm`, 'webhook_late')
    await confirm(server, secret)
    expect(await stop(visits[0].grace, visits[0].seriesId, {})).toMatchObject({
      status: 400,
      code: 'series.sums_changed',
    })
    expect(
      await stop(visits[0].grace, visits[0].seriesId, {
        cancelPaid: true,
        dropped: 2,
        feeCents: 500,
        refundCents: 4300,
      }),
    ).toEqual({ outcome: 'stopped', dropped: 2, cancelled: 1, feeCents: 500, refundCents: 4300 })
    await becomes(server, visits[0], { refund_status: 'sent', refunded_amount: '43.00' })
  })

  it('refuses invalid values and the series of others', async () => {
    const [visit] = await series()
    const ada = await signedIn(server, 'ada')
    for (const [client, body, status] of [
      [visit.grace, { seriesId: 'x' }, 400],
      [visit.grace, { dropped: -1 }, 400],
      [visit.grace, { feeCents: 0.5 }, 400],
      [visit.grace, { cancelPaid: 'yes' }, 400],
      [ada, {}, 400],
    ] as const)
      expect(await stop(client, visit.seriesId, body)).toMatchObject({ status })
  })
})

describe('skipping through handle-cancellation', () => {
  it('closes a started payment and costs nothing', async () => {
    const [, visit] = await series()
    await clientSecretOf(visit)
    const { data } = await visit.grace.functions.invoke('handle-cancellation', {
      body: { bookingId: visit.bookingId, skip: true },
    })
    expect(data).toMatchObject({ outcome: 'not_paid', feeCents: 0, refundCents: 0, listing: 'closed' })
    expect(
      await query('select status, skipped from public.bookings where id = $1', [visit.bookingId]),
    ).toEqual([{ status: 'cancelled', skipped: true }])
  })
})
