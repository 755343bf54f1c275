// The end of a series: stopped by either person with the sums that they saw, or over after its last day.
import { describe, expect, it } from 'vitest'
import { balances, cancel, move, pay, paymentOf, refusal, settleWithProvider } from './lives.ts'
import { runScheduled } from './offers.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { bringCloser, inDays, previewStop, seriesOf, stop, type Visit, visitsOf } from './series.ts'

const db = databaseWithCast()

/** Each test has its own weeks, so that its visits clash with no others. */
let week = 1

async function fiveVisits() {
  week += 6
  return seriesOf(db, { every: 'weekly', count: 5 }, { at: inDays(7 * week) })
}

describe('stopping a series', () => {
  it('as the giver drops unpaid visits without a fee and keeps the paid ones, unless they are to end, too', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    await pay(db, all[0])
    await pay(db, all[1])
    await bringCloser(db, all[0], hoursUntil(all[0]) - 12)
    const seen = await previewStop(db, all[0].series_id, cast.grace)
    expect(seen).toMatchObject({ status: 'active', fee_cents: 1500, refund_cents: 8100 })
    expect(seen.dropped.map(({ starts_at }) => new Date(starts_at))).toEqual(
      all.slice(2).map(({ starts_at }) => starts_at),
    )
    expect(seen.paid.map(({ fee_cents, refund_cents }) => [fee_cents, refund_cents])).toEqual([
      [1000, 3800],
      [500, 4300],
    ])
    expect(await stop(db, all[0].series_id, cast.grace, false, [3, 0, 0])).toEqual({
      outcome: 'stopped',
      dropped: 3,
      cancelled: 0,
      fee_cents: 0,
      refund_cents: 0,
    })
    expect(await states(all[0])).toEqual([
      'in_progress',
      'in_progress',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    expect(await told(cast.theo, all[0])).toEqual([['series_stopped', 3]])
    expect(await seriesRow(all[0])).toMatchObject({ status: 'stopped', stopped_by: cast.grace })
    expect(await move(db, all[0], cast.theo, 'completed')).toBe(1)
  })

  it('with the paid visits costs exactly what was shown, in the books, too', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    for (const visit of all.slice(0, 2)) await pay(db, visit)
    await bringCloser(db, all[0], hoursUntil(all[0]) - 12)
    const seen = await previewStop(db, all[0].series_id, cast.grace)
    const answer = await stop(db, all[0].series_id, cast.grace, true, [
      seen.dropped.length,
      seen.fee_cents,
      seen.refund_cents,
    ])
    expect(answer).toMatchObject({ cancelled: 2, fee_cents: 1500, refund_cents: 8100 })
    expect(await states(all[0])).toEqual(Array(5).fill('cancelled'))
    const payments = await Promise.all(all.slice(0, 2).map((visit) => paymentOf(db, visit)))
    expect(
      payments.map(({ cancellation_fee, refund_amount }) => [
        Number(cancellation_fee),
        Number(refund_amount),
      ]),
    ).toEqual([
      [10, 38],
      [5, 43],
    ])
    for (const visit of all.slice(0, 2)) {
      await settleWithProvider(db, visit)
      const { provider = 0, ...left } = await balances(db, visit)
      expect(Object.values(left).reduce((sum, cents) => sum + cents, provider)).toBe(0)
      expect([left.escrow, left.giver, left.tasker]).toEqual([undefined, undefined, undefined])
    }
  })

  it('as the tasker costs the giver nothing', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    await pay(db, all[0])
    const seen = await previewStop(db, all[0].series_id, cast.theo)
    expect([seen.fee_cents, seen.refund_cents]).toEqual([0, 4800])
    await stop(db, all[0].series_id, cast.theo, true, [4, 0, 4800])
    expect(
      (await told(cast.grace, all[0]))
        .map(([key]) => key)
        .filter((key) => key !== 'payment_held')
        .sort(),
    ).toEqual(['booking_cancelled_refund', 'series_stopped'])
  })

  it('is refused with other numbers than those of now, and changes nothing then', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    await pay(db, all[0])
    for (const numbers of [
      [5, 500, 4300],
      [4, 499, 4300],
      [4, 500, 4299],
      [4, 0, 0],
      [null, null, null],
    ] as [number, number, number][]) {
      await expect(stop(db, all[0].series_id, cast.grace, true, numbers)).rejects.toMatchObject({
        message: 'What stopping costs has changed. Please look at it again.',
      })
    }
    await expect(stop(db, all[0].series_id, cast.grace, false, [4, 500, 4300])).rejects.toThrow()
    await expect(stop(db, all[0].series_id, cast.sam, false, [4, 0, 0])).rejects.toMatchObject({
      message: 'These visits were not found',
    })
    await expect(previewStop(db, all[0].series_id, cast.sam)).rejects.toMatchObject({ hint: 'series_id' })
    expect(await states(all[0])).toEqual(['in_progress', 'accepted', 'accepted', 'accepted', 'accepted'])
  })

  it('in two windows at once happens once', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    const both = await Promise.all([
      stop(db, all[0].series_id, cast.grace, false, [5, 0, 0]),
      stop(db, all[0].series_id, cast.theo, false, [5, 0, 0]),
    ])
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['already_over', 'stopped'])
    expect((await told(cast.grace, all[0])).length + (await told(cast.theo, all[0])).length).toBe(1)
  })

  it('first closes a payment that was started, and sees it when it was paid meanwhile', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    const { rows } = await as(db, 'grace')('select public.prepare_payment($1) as due', [all[1].id])
    await asService(db)('select public.attach_payment_intent($1, $2)', [
      rows[0].due.payment_id,
      `pi_${all[1].id}`,
    ])
    expect(await refusal(stop(db, all[0].series_id, cast.grace, false, [5, 0, 0]))).toMatch(/payment/i)
    const open = await as(db, 'theo')('select * from public.open_intents_of_series($1)', [all[0].series_id])
    expect(open.rows).toEqual([{ payment_id: rows[0].due.payment_id, payment_intent_id: `pi_${all[1].id}` }])
    await expect(
      as(db, 'sam')('select * from public.open_intents_of_series($1)', [all[0].series_id]),
    ).rejects.toMatchObject({
      hint: 'series_id',
    })
    await asService(db)('select public.record_payment_intent($1, $2)', [
      rows[0].due.payment_id,
      JSON.stringify({
        id: `pi_${all[1].id}`,
        status: 'succeeded',
        amount: 4800,
        amount_received: 4800,
        currency: 'cad',
        latest_charge: 'ch_x',
      }),
    ])
    await expect(stop(db, all[0].series_id, cast.grace, false, [5, 0, 0])).rejects.toThrow(
      'What stopping costs has changed',
    )
    expect(await stop(db, all[0].series_id, cast.grace, false, [4, 0, 0])).toMatchObject({
      outcome: 'stopped',
      dropped: 4,
    })
  })

  it('leaves visits that are done, cancelled or in dispute as they are', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    for (const visit of all.slice(0, 3)) await pay(db, visit)
    await move(db, all[0], cast.theo, 'completed')
    await cancel(db, all[1], cast.theo)
    await owner(db)(`update public.payments set escrow_status = 'frozen' where booking_id = $1`, [all[2].id])
    const seen = await previewStop(db, all[0].series_id, cast.grace)
    expect([seen.dropped.length, seen.paid.length]).toEqual([2, 0])
    await stop(db, all[0].series_id, cast.grace, true, [2, 0, 0])
    expect(await states(all[0])).toEqual(['completed', 'cancelled', 'in_progress', 'cancelled', 'cancelled'])
  })
})

describe('the account of one of the two', () => {
  it('is deleted with its visits, and the other one is notified once', async () => {
    const tasker = await signUp(db, { role: 'task_doer' })
    const [first] = (await seriesOf(db, { every: 'weekly', count: 5 }, { at: inDays(7), tasker })) as [Visit]
    await owner(db)('delete from auth.users where id = $1', [tasker])
    const { rows } = await owner(db)(
      `select key, (params ->> 'count')::int as count from public.notifications
       where user_id = $1 and link like '%' || $2 || '%' and key not in ('application_received', 'application_received_unverified')`,
      [cast.grace, first.id],
    )
    expect(rows).toEqual([{ key: 'series_stopped', count: 5 }])
    expect(
      (await owner(db)('select 1 from public.task_series where id = $1', [first.series_id])).rows,
    ).toEqual([])
  })
})

describe('a series whose last day has passed', () => {
  it('ends by itself, and cannot be stopped or paid by itself any more', async () => {
    const all = (await fiveVisits()) as [Visit, Visit, Visit, Visit, Visit]
    await owner(db)(`update public.task_series set ends_on = current_date - 2 where id = $1`, [
      all[0].series_id,
    ])
    await runScheduled(db)
    expect((await seriesRow(all[0])).status).toBe('ended')
    expect(await stop(db, all[0].series_id, cast.grace, false, [5, 0, 0])).toMatchObject({
      outcome: 'already_over',
    })
    await expect(
      as(db, 'grace')('select public.set_series_auto_pay($1, true)', [all[0].series_id]),
    ).rejects.toMatchObject({
      message: 'These visits have ended',
    })
  })
})

const hoursUntil = ({ starts_at }: Visit) =>
  Math.round(((starts_at?.getTime() ?? 0) - Date.now()) / 3_600_000)

const states = async (visit: Visit) => (await visitsOf(db, visit)).map(({ status }) => status)

async function seriesRow({ series_id }: Visit) {
  return (await owner(db)('select * from public.task_series where id = $1', [series_id])).rows[0]
}

/** Keys and counts of that person's notifications about the series since it was agreed. */
async function told(person: string, first: Visit): Promise<[string, number | null][]> {
  const { rows } = await owner(db)(
    `select n.key, (n.params ->> 'count')::int as count from public.notifications n where n.user_id = $1
       and n.key not in ('series_accepted', 'task_started', 'application_received', 'application_received_unverified') and exists (
       select from public.bookings b where b.series_id = $2 and n.link like '%' || b.id || '%') order by n.created_at`,
    [person, first.series_id],
  )
  return rows.map(({ key, count }) => [key, count])
}
