// The payment of visits: when it is due, reminders, and the charge of the default card.
import { describe, expect, it } from 'vitest'
import { balances, move, pay, paymentOf, refusal, release } from './lives.ts'
import { runScheduled } from './offers.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { bringCloser, inDays, saveCard, seriesOf, type Visit, visitsOf } from './series.ts'

const db = databaseWithCast()

const WEEKLY = { every: 'weekly', count: 4 }
/** Each test has its own weeks, so that its visits clash with no others. */
let week = 1
const nextAt = () => {
  week += 6
  return inDays(7 * week)
}

async function visits(repeats: unknown = WEEKLY, options: Parameters<typeof seriesOf>[2] = {}) {
  return seriesOf(db, repeats, { at: nextAt(), ...options })
}
const first = (all: Visit[]) => all[0] as Visit
const second = (all: Visit[]) => all[1] as Visit
const third = (all: Visit[]) => all[2] as Visit

describe('the payment of a visit', () => {
  it('is due twelve hours before the visit, and that of the first one as of any booking', async () => {
    const all = await visits()
    const { rows } = await owner(db)(
      `select b.visit_number as n, round(extract(epoch from t.scheduled_date - private.payment_deadline(b, t.scheduled_date)) / 3600)::int as before,
         private.payment_deadline(b, t.scheduled_date) = private.pay_by(b.accepted_at, t.scheduled_date) as as_any
       from public.bookings b join public.tasks t on t.id = b.task_id where b.series_id = $1 order by 1`,
      [first(all).series_id],
    )
    expect(rows.map(({ before, as_any }) => as_any || before)).toEqual([true, 12, 12, 12])
  })

  it('is asked for three days before, and the visit ends without it, alone', async () => {
    const all = await visits()
    const items = async () =>
      (
        await as(db, 'grace')(
          'select booking_id from public.my_action_items() where kind = $1 and booking_id = any ($2)',
          ['pay', all.map(({ id }) => id)],
        )
      ).rows.map(({ booking_id }) => all.findIndex(({ id }) => id === booking_id) + 1)
    expect(await items()).toEqual([1])
    await pay(db, first(all))
    expect(await items()).toEqual([])
    const visit = second(all)
    await owner(db)(
      `update public.bookings set accepted_at = now() - interval '30 days', pay_from = now() - interval '30 days' where id = $1`,
      [visit.id],
    )
    await bringCloser(db, visit, hoursUntil(visit) - 71)
    await runScheduled(db)
    await runScheduled(db)
    expect(await items()).toEqual([2])
    expect(await keysAbout(cast.grace, visit)).toEqual(['visit_due'])
    await bringCloser(db, visit, 40)
    await runScheduled(db)
    expect(await keysAbout(cast.grace, visit)).toEqual(['visit_due', 'pay_reminder'])
    await bringCloser(db, visit, 20)
    await runScheduled(db)
    expect(await keysAbout(cast.grace, visit)).toEqual(['visit_due', 'pay_reminder', 'booking_expired'])
    expect((await visitsOf(db, visit)).map(({ status, task_status }) => [status, task_status])).toEqual([
      ['in_progress', 'assigned'],
      ['cancelled', 'cancelled'],
      ['accepted', 'assigned'],
      ['accepted', 'assigned'],
    ])
  })

  it('is made at any time, visit by visit, each with its own escrow and release', async () => {
    const all = await visits()
    for (const visit of [third(all), second(all)]) await pay(db, visit)
    expect(await move(db, third(all), cast.theo, 'completed')).toBe(1)
    await release(db, third(all))
    expect((await visitsOf(db, first(all))).map(({ status }) => status)).toEqual([
      'accepted',
      'in_progress',
      'completed',
      'accepted',
    ])
    expect((await balances(db, second(all))).escrow).toBe(-4800)
    expect((await paymentOf(db, third(all))).escrow_status).toBe('released')
  })
})

describe('automatic payment', () => {
  it('is agreed by the giver alone, with a saved card', async () => {
    const all = await visits()
    const series = first(all).series_id
    const agree = (person: string, agreed: boolean | null) =>
      as(db, person)('select public.set_series_auto_pay($1, $2)', [series, agreed])
    await expect(agree(cast.theo, true)).rejects.toMatchObject({
      message: 'Only the task giver decides how the visits are paid',
    })
    await expect(agree(cast.sam, true)).rejects.toMatchObject({ message: 'These visits were not found' })
    await expect(agree(cast.grace, true)).rejects.toMatchObject({
      message: 'Save a card first, so that it can be charged',
    })
    await expect(agree(cast.grace, null)).rejects.toMatchObject({ hint: 'agreed' })
    await saveCard(db)
    await agree(cast.grace, true)
    const since = async () =>
      (await owner(db)('select auto_pay_since from public.task_series where id = $1', [series])).rows[0]
        .auto_pay_since
    expect(await since()).toBeInstanceOf(Date)
    await agree(cast.grace, false)
    expect(await since()).toBeNull()
  })

  it('charges the default card two days before, once, and not the first visit', async () => {
    await saveCard(db)
    const all = await visits()
    await as(db, 'grace')('select public.set_series_auto_pay($1, true)', [first(all).series_id])
    const visit = second(all)
    for (const near of [first(all), visit]) await bringCloser(db, near, hoursUntil(near) - 60)
    await runScheduled(db)
    expect(await chargesOf(visit)).toBe(0)
    expect(await keysAbout(cast.grace, visit)).toEqual(['visit_charge_soon'])
    for (const near of [first(all), visit]) await bringCloser(db, near, 13)
    await runScheduled(db)
    await runScheduled(db)
    expect([await chargesOf(first(all)), await chargesOf(visit), await chargesOf(third(all))]).toEqual([
      0, 1, 0,
    ])
    const begin = async () =>
      (await asService(db)('select public.begin_visit_charge($1) as due', [visit.id])).rows[0].due
    expect(await begin()).toMatchObject({
      action: 'charge',
      total_cents: 4800,
      payment_method: 'pm_grace',
      customer: 'cus_grace',
      booking_id: visit.id,
    })
    expect((await begin()).idempotency_key).toBe((await begin()).idempotency_key)
    for (let time = 0; time < 2; time++)
      await asService(db)(`select public.fail_visit_charge($1, 'Your card was declined.', 'card_declined')`, [
        visit.id,
      ])
    expect(await keysAbout(cast.grace, visit)).toEqual(['visit_charge_soon', 'visit_charge_failed'])
    expect(await begin()).toEqual({ action: 'none', reason: 'the card was refused' })
    await pay(db, visit)
    expect(await begin()).toEqual({ action: 'none', reason: 'the visit is paid or has ended' })
  })

  it('does not charge after the giver has changed their mind, or without a card', async () => {
    await saveCard(db)
    const all = await visits()
    const series = first(all).series_id
    const begin = async (visit: Visit | undefined) =>
      (await asService(db)('select public.begin_visit_charge($1) as due', [visit?.id])).rows[0].due
    await as(db, 'grace')('select public.set_series_auto_pay($1, true)', [series])
    await as(db, 'grace')('delete from public.payment_methods where user_id = $1', [cast.grace])
    expect(await begin(second(all))).toEqual({ action: 'none', reason: 'there is no card' })
    expect(await keysAbout(cast.grace, second(all))).toEqual(['visit_charge_failed'])
    await as(db, 'grace')('select public.set_series_auto_pay($1, false)', [series])
    expect(await begin(third(all))).toEqual({ action: 'none', reason: 'the giver pays' })
    expect(await refusal(as(db, 'grace')('select public.begin_visit_charge($1)', [third(all).id]))).toMatch(
      /permission denied/,
    )
  })
})

const hoursUntil = ({ starts_at }: Visit) =>
  Math.round(((starts_at?.getTime() ?? 0) - Date.now()) / 3_600_000)

async function keysAbout(person: string, { id }: Visit): Promise<string[]> {
  const { rows } = await owner(db)(
    `select key from public.notifications where user_id = $1 and link like '%' || $2 || '%' order by created_at, key`,
    [person, id],
  )
  return rows.map(({ key }) => key)
}

async function chargesOf({ id }: Visit): Promise<number> {
  const { rows } = await owner(db)(
    `select count(*)::int as n from pgmq.q_effects where message ->> 'function' = 'charge-visit' and message #>> '{body,booking_id}' = $1`,
    [id],
  )
  return rows[0].n
}
