// Visits of a series: made when a tasker is accepted, paid, skipped and cancelled each by itself.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  apply,
  balances,
  bookingAt,
  cancel,
  move,
  pay,
  paymentOf,
  postTask,
  refusal,
  release,
} from './lives.ts'
import { acceptOption, offer, runScheduled } from './offers.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { bringCloser, inDays, postRepeat, seriesOf, type Visit, visitsOf } from './series.ts'

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

describe('an accepted series', () => {
  it('has all its visits at once: bookings with tasks like the first one, which nobody is offered', async () => {
    const at = nextAt()
    const task = await postRepeat(db, WEEKLY, { at })
    await as(db, 'grace')(
      `insert into public.task_addresses (task_id, address) values ($1, '12 Main Street')`,
      [task],
    )
    await as(db, 'grace')(
      'insert into public.task_points (task_id, latitude, longitude) values ($1, 52.13, -106.66)',
      [task],
    )
    const booking = await apply(db, task)
    expect(await visitsOf(db, booking)).toEqual([])
    await move(db, booking, booking.giver, 'accepted')
    const all = await visitsOf(db, booking)
    expect(
      all.map(({ number, status, task_status, starts_at }) => [
        number,
        status,
        task_status,
        starts_at?.toISOString(),
      ]),
    ).toEqual(
      [0, 7, 14, 21].map((days, nth) => [
        nth + 1,
        'accepted',
        'assigned',
        new Date(new Date(at).getTime() + days * 86_400_000).toISOString(),
      ]),
    )
    expect(first(all).id).toBe(booking.id)
    const { rows } = await owner(db)(
      `select count(distinct (title, description, category, location, pay_amount, duration_minutes, public_latitude)) as kinds,
         count(*) filter (where repeats is not null) as repeating, count(a.address) as addresses, count(p.latitude) as points
       from public.tasks t left join public.task_addresses a on a.task_id = t.id left join public.task_points p on p.task_id = t.id
       where t.series_id = $1`,
      [first(all).series_id],
    )
    expect(rows[0]).toEqual({ kinds: '1', repeating: '1', addresses: '4', points: '4' })
    const seen = async (person: 'sam' | 'theo' | 'anonymous') =>
      (await as(db, person)('select id from public.tasks where series_id = $1', [first(all).series_id])).rows
        .length
    expect([await seen('sam'), await seen('anonymous'), await seen('theo')]).toEqual([0, 0, 4])
  })

  it('notifies the tasker once, and counts as one posted task', async () => {
    const count = async () =>
      (
        await owner(db)(
          `select coalesce(sum(amount), 0)::int as n from private.figure_changes where kind = 'tasks'`,
        )
      ).rows[0].n
    const before = await count()
    const all = await visits()
    expect((await count()) - before).toBe(1)
    const { rows } = await owner(db)(
      `select key, message from public.notifications where user_id = $1 and link like '%' || $2 || '%'`,
      [cast.theo, first(all).id],
    )
    expect(rows).toEqual([
      {
        key: 'series_accepted',
        message: 'Grace Giver accepted your application for "Clean the office": 4 visits, $40.00 each.',
      },
    ])
    const { rows: others } = await owner(db)(
      `select count(*)::int as n from public.notifications where link like '%' || $1 || '%' or link like '%' || $2 || '%'`,
      [second(all).id, second(all).taskId],
    )
    expect(others[0].n).toBe(0)
  })

  it('has the agreed price of an offer for each visit', async () => {
    const booking = await offer(db, await postRepeat(db, WEEKLY, { at: nextAt() }), [
      { amount: 55 },
      { amount: 50 },
    ])
    await acceptOption(db, booking, 2, 50)
    expect((await visitsOf(db, booking)).map(({ amount }) => amount)).toEqual([50, 50, 50, 50])
  })

  it('keeps its tasker busy for each visit', async () => {
    const all = await visits()
    const other = await apply(db, await postTask(db, { minutes: 60 }))
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [
      other.taskId,
      third(all).starts_at,
    ])
    expect(await refusal(move(db, other, other.giver, 'accepted'))).toBe(
      'This tasker already has a booking at that time',
    )
    await expect(
      apply(db, await postRepeat(db, WEEKLY, { at: second(all).starts_at?.toISOString() ?? null })),
    ).rejects.toMatchObject({
      hint: 'task_id',
    })
  })

  it('does not raise the response rate of its giver', async () => {
    const giver = await signUp(db, { name: 'New Giver', role: 'task_giver' })
    const booking = await apply(db, await postRepeat(db, WEEKLY, { giver, at: nextAt() }))
    await owner(db)(`update public.bookings set created_at = now() - interval '3 days' where id = $1`, [
      booking.id,
    ])
    await move(db, booking, giver, 'accepted')
    const { rows } = await owner(db)('select response_rate from private.reputation($1)', [giver])
    expect(rows[0].response_rate).toBe(0)
  })

  it('is read by its two people and admins, and written by nobody', async () => {
    const all = await visits()
    const id = first(all).series_id
    const read = async (person: 'grace' | 'theo' | 'ada' | 'sam') =>
      (await as(db, person)('select status, visits from public.task_series where id = $1', [id])).rows
    for (const person of ['grace', 'theo', 'ada'] as const)
      expect(await read(person)).toEqual([{ status: 'active', visits: 4 }])
    expect(await read('sam')).toEqual([])
    for (const change of [`status = 'stopped'`, 'auto_pay_since = now()', 'visits = 1']) {
      expect(
        await refusal(as(db, 'grace')(`update public.task_series set ${change} where id = $1`, [id])),
      ).toMatch(/permission denied/)
    }
    for (const column of ['series_id', 'visit_number', 'pay_from', 'skipped']) {
      expect(
        await refusal(
          as(db, 'theo')(`update public.bookings set ${column} = null where id = $1`, [first(all).id]),
        ),
      ).toMatch(/permission denied/)
    }
    expect(
      await refusal(
        as(db, 'theo')(
          `insert into public.bookings (task_id, task_doer_id, status, series_id) values ($1, $2, 'accepted', $3)`,
          [first(all).taskId, cast.theo, id],
        ),
      ),
    ).toMatch(/permission denied/)
  })
})

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

describe('skipping', () => {
  it('is free for either until two days before, and leaves the other visits and the record as they are', async () => {
    const all = await visits()
    const late = async () =>
      (await owner(db)('select on_time_rate from private.reputation($1)', [cast.theo])).rows[0].on_time_rate
    const rate = await late()
    expect(await skip(second(all), cast.theo)).toMatchObject({
      outcome: 'not_paid',
      fee_cents: 0,
      listing: 'closed',
    })
    expect(await skip(third(all), cast.grace)).toMatchObject({ outcome: 'not_paid' })
    expect(await late()).toBe(rate)
    expect(
      (await visitsOf(db, first(all))).map(({ status, task_status, skipped }) => [
        status,
        task_status,
        skipped,
      ]),
    ).toEqual([
      ['accepted', 'assigned', false],
      ['cancelled', 'cancelled', true],
      ['cancelled', 'cancelled', true],
      ['accepted', 'assigned', false],
    ])
    expect(await keysAbout(cast.grace, second(all))).toEqual(['visit_skipped'])
    expect(await keysAbout(cast.theo, third(all))).toEqual(['visit_skipped'])
    await expect(skip(second(all), cast.theo)).rejects.toMatchObject({ hint: 'booking_id' })
    // The time is free again.
    const other = await apply(db, await postTask(db, { minutes: 60 }))
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [
      other.taskId,
      second(all).starts_at,
    ])
    expect(await move(db, other, other.giver, 'accepted')).toBe(1)
  })

  it('is refused later, once it is paid, outside of series and to others', async () => {
    const all = await visits()
    const visit = second(all)
    await bringCloser(db, visit, hoursUntil(visit) - 47)
    await expect(skip(visit, cast.grace)).rejects.toMatchObject({
      message: 'A visit can be skipped until 48 hours before it begins',
    })
    await pay(db, third(all))
    await expect(skip(third(all), cast.theo)).rejects.toMatchObject({
      message: 'This visit is paid: cancel it instead',
    })
    await expect(skip(await bookingAt(db, 'accepted'), cast.grace)).rejects.toMatchObject({
      message: 'This booking is not a visit of a series',
    })
    for (const id of [third(all).id, randomUUID()]) {
      await expect(skip({ id: id ?? '' }, cast.sam)).rejects.toMatchObject({ message: 'Booking not found' })
    }
  })
})

describe('cancelling', () => {
  it('an unpaid visit by the row, as the app did before, closes it alone', async () => {
    const all = await visits()
    await move(db, second(all), cast.theo, 'cancelled')
    expect(
      (await visitsOf(db, first(all))).map(({ status, task_status, skipped }) => [
        status,
        task_status,
        skipped,
      ]),
    ).toEqual([
      ['accepted', 'assigned', false],
      ['cancelled', 'cancelled', false],
      ['accepted', 'assigned', false],
      ['accepted', 'assigned', false],
    ])
    expect(await keysAbout(cast.grace, second(all))).toEqual(['visit_cancelled'])
  })

  it('a paid visit costs the normal fee and never lists it again', async () => {
    const all = await visits()
    const visit = first(all)
    await pay(db, visit)
    expect(await cancel(db, visit, cast.grace)).toMatchObject({
      fee_cents: 500,
      refund_cents: 4300,
      listing: 'closed',
    })
    expect((await visitsOf(db, visit)).map(({ status, task_status }) => [status, task_status])).toEqual([
      ['cancelled', 'cancelled'],
      ['accepted', 'assigned'],
      ['accepted', 'assigned'],
      ['accepted', 'assigned'],
    ])
    const { rows } = await owner(db)(
      `select coalesce(sum(e.amount), 0)::int as sum from public.ledger_entries e join public.payments p on p.id = e.payment_id where p.booking_id = $1`,
      [visit.id],
    )
    expect(rows[0].sum).toBe(0)
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
    await saveCard()
    await agree(cast.grace, true)
    const since = async () =>
      (await owner(db)('select auto_pay_since from public.task_series where id = $1', [series])).rows[0]
        .auto_pay_since
    expect(await since()).toBeInstanceOf(Date)
    await agree(cast.grace, false)
    expect(await since()).toBeNull()
  })

  it('charges the default card two days before, once, and not the first visit', async () => {
    await saveCard()
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
    await saveCard()
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

async function skip(visit: Pick<Visit, 'id'> | undefined, person: string) {
  return (await as(db, person)('select public.skip_visit($1) as answer', [visit?.id])).rows[0].answer
}

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

async function saveCard(): Promise<void> {
  await owner(db)(
    `insert into private.payment_customers (user_id, stripe_customer_id) values ($1, 'cus_grace') on conflict do nothing`,
    [cast.grace],
  )
  await owner(db)(
    `insert into public.payment_methods (user_id, stripe_payment_method_id, card_brand, card_last4, is_default)
     values ($1, 'pm_grace', 'visa', '4242', true) on conflict do nothing`,
    [cast.grace],
  )
}
