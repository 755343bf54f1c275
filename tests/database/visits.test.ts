// Visits of a series: made when a tasker is accepted, skipped and cancelled each by itself.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apply, bookingAt, cancel, move, pay, postTask, refusal, release } from './lives.ts'
import { acceptOption, offer } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
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

  it('numbers its visits for both people, also those that were skipped, and for nobody else', async () => {
    const all = await visits()
    await skip(second(all), cast.theo)
    for (const person of [cast.grace, cast.theo, cast.ada])
      expect(await numbersOf(all, person)).toEqual(['1 of 4', '2 of 4', '3 of 4', '4 of 4'])
    expect(await numbersOf(all, cast.sam)).toEqual([])
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

describe('conversations and reviews', () => {
  it('are one for the whole series, until somebody writes about another visit', async () => {
    const all = await visits()
    const listed = async () =>
      (
        await as(db, 'theo')('select booking_id from public.conversations where booking_id = any ($1)', [
          all.map(({ id }) => id),
        ])
      ).rows.map(({ booking_id }) => all.findIndex(({ id }) => id === booking_id) + 1)
    expect(await listed()).toEqual([1])
    await as(db, 'theo')(
      `insert into public.messages (booking_id, sender_id, receiver_id, message) values ($1, $2, $3, 'Is the key there?')`,
      [third(all).id, cast.theo, cast.grace],
    )
    expect((await listed()).sort()).toEqual([1, 3])
  })

  it('are asked for once, after the first visit that was paid out', async () => {
    const all = await visits()
    const asked = async () =>
      (
        await owner(db)('select booking_id from private.review_requests where booking_id = any ($1)', [
          all.map(({ id }) => id),
        ])
      ).rows.map(({ booking_id }) => all.findIndex(({ id }) => id === booking_id) + 1)
    const items = async () =>
      (
        await as(db, 'grace')(
          `select booking_id from public.my_action_items() where kind = 'review' and booking_id = any ($1)`,
          [all.map(({ id }) => id)],
        )
      ).rows.length
    for (const visit of [first(all), second(all)]) {
      await pay(db, visit)
      await move(db, visit, cast.theo, 'completed')
      await release(db, visit)
    }
    expect(await asked()).toEqual([1])
    await as(db, 'grace')(
      `insert into public.reviews (booking_id, task_id, reviewer_id, reviewee_id, rating) values ($1, $2, $3, $4, 5)`,
      [first(all).id, first(all).taskId, cast.grace, cast.theo],
    )
    expect(await items()).toBe(0)
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

const hoursUntil = ({ starts_at }: Visit) =>
  Math.round(((starts_at?.getTime() ?? 0) - Date.now()) / 3_600_000)

async function skip(visit: Pick<Visit, 'id'> | undefined, person: string) {
  return (await as(db, person)('select public.skip_visit($1) as answer', [visit?.id])).rows[0].answer
}

/** The numbers of the visits as their pages show them to that person. */
async function numbersOf(all: Visit[], person: string): Promise<string[]> {
  const { rows } = await as(db, person)(
    `select b.visit_number || ' of ' || s.visits as text from public.bookings b join public.task_series s on s.id = b.series_id
     where b.task_id = any($1) and b.visit_number is not null order by b.visit_number`,
    [all.map(({ taskId }) => taskId)],
  )
  return rows.map(({ text }) => text)
}

async function keysAbout(person: string, { id }: Visit): Promise<string[]> {
  const { rows } = await owner(db)(
    `select key from public.notifications where user_id = $1 and link like '%' || $2 || '%' order by created_at, key`,
    [person, id],
  )
  return rows.map(({ key }) => key)
}
