// Effects of time alone: moves events into the past and runs run_scheduled, often and in parallel.
import { describe, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, move, pay, paymentOf, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** Runs until nothing is due, as the function run-scheduled does; returns how much was done. */
async function runScheduled(): Promise<number> {
  for (let done = 0; ; ) {
    const { rows } = await asService(db)('select public.run_scheduled() as done')
    if (rows[0].done === 0) return done
    done += rows[0].done
  }
}

async function age(booking: Booking, column: string, interval: string): Promise<void> {
  await owner(db)(`update public.bookings set ${column} = now() - $2::interval where id = $1`, [
    booking.id,
    interval,
  ])
}

const told = async (person: keyof typeof cast, key: string) =>
  (await as(db, person)('select from public.notifications where key = $1', [key])).rowCount

describe('a silent giver', () => {
  it('is reminded after 1, 3 and 6 days and taken to agree after 7', async () => {
    const booking = await bookingAt(db, 'completed')
    const reminders: [string, number][] = [
      ['23 hours 59 minutes', 0],
      ['1 day', 1],
      ['2 days 23 hours 59 minutes', 1],
      ['3 days', 2],
      ['5 days 23 hours 59 minutes', 2],
      ['6 days', 3],
      ['6 days 23 hours', 3],
    ]
    for (const [interval, count] of reminders) {
      await age(booking, 'completed_at', interval)
      await runScheduled()
      await runScheduled()
      expect([interval, await told('grace', 'confirm_reminder')]).toEqual([interval, count])
      expect((await paymentOf(db, booking)).escrow_status).toBe('held')
    }
    const link = `select distinct link from public.notifications where key = 'confirm_reminder'`
    expect((await as(db, 'grace')(link)).rows).toEqual([
      { link: `/bookings?booking=${booking.id}&part=next` },
    ])
    await age(booking, 'completed_at', '7 days')
    await Promise.all([runScheduled(), runScheduled(), runScheduled()])
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'released' })
    expect(await told('theo', 'payment_released_by_time')).toBe(1)
    expect(await told('grace', 'confirmed_by_time')).toBe(1)
    expect(await runScheduled()).toBe(0)
  })

  it('a giver who complained is not', async () => {
    const booking = await bookingAt(db, 'completed')
    await tryInsert(db, 'grace', 'complaints', { booking_id: booking.id, reason: 'Not done, I am afraid.' })
    await age(booking, 'completed_at', '30 days')
    expect(await runScheduled()).toBe(0)
    expect((await paymentOf(db, booking)).escrow_status).toBe('frozen')
  })

  it('is woken up for: the moments are queued', async () => {
    const booking = await bookingAt(db, 'completed')
    const { rows } = await owner(db)(
      `select distinct round(extract(epoch from vt - now()) / 86400)::int as days from pgmq.q_effects
       where message ->> 'function' = 'run-scheduled' order by 1`,
    )
    expect(rows.map((row) => row.days)).toEqual(expect.arrayContaining([1, 3, 6, 7, 13, 14, 30]))
    await age(booking, 'completed_at', '7 days')
    await runScheduled()
  })
})

describe('a lonely review', () => {
  it('is announced and counted once its time is over', async () => {
    const booking = await bookingAt(db, 'released')
    await tryInsert(db, 'grace', 'reviews', { booking_id: booking.id, reviewer_id: cast.grace, rating: 4 })
    const rating = async () =>
      (await owner(db)('select rating, total_reviews from public.profiles where id = $1', [cast.theo]))
        .rows[0]
    await runScheduled()
    expect(await rating()).toEqual({ rating: '0.00', total_reviews: 0 })
    await owner(db)(`update public.reviews set visible_from = now() where booking_id = $1`, [booking.id])
    await runScheduled()
    expect(await rating()).toEqual({ rating: '4.00', total_reviews: 1 })
    expect(await told('theo', 'review_received')).toBe(1)
  })
})

describe('requests that nobody took up', () => {
  it('an application is closed after 30 days, and the tasker is notified', async () => {
    const booking = await bookingAt(db, 'pending')
    await age(booking, 'created_at', '29 days 23 hours')
    expect(await runScheduled()).toBe(0)
    await age(booking, 'created_at', '30 days')
    expect(await runScheduled()).toBe(1)
    expect(await status(booking)).toBe('cancelled')
    expect(await told('theo', 'application_expired')).toBe(1)
    await apply(db, booking.taskId)
  })

  it('an accepted booking is closed after 14 days without payment, and the task opens again', async () => {
    const booking = await bookingAt(db, 'accepted')
    await age(booking, 'accepted_at', '14 days')
    expect(await runScheduled()).toBe(1)
    expect(await status(booking)).toBe('cancelled')
    const { rows } = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
    expect(rows[0].status).toBe('open')
    expect(await told('theo', 'booking_expired')).toBe(1)
    expect(await told('grace', 'booking_expired')).toBe(1)
  })

  // The same cases as web/lib/payBy.test.ts has.
  it.each([
    ['without a time: 14 days', null, '2026-12-07T18:00:00Z'],
    ['work in a month: 14 days', '2026-12-24T18:00:00Z', '2026-12-07T18:00:00Z'],
    ['work in two days: when it begins', '2026-11-25T15:00:00Z', '2026-11-25T15:00:00Z'],
    ['work in an hour: two hours', '2026-11-23T19:00:00Z', '2026-11-23T20:00:00Z'],
    ['work whose time is over: two hours', '2026-11-23T09:00:00Z', '2026-11-23T20:00:00Z'],
  ])('a booking is to be paid in time: %s', async (_, scheduled, due) => {
    const { rows } = await owner(db)(`select private.pay_by('2026-11-23T18:00:00Z', $1) as due`, [scheduled])
    expect(rows[0].due).toEqual(new Date(due))
  })

  it('whoever accepted is reminded to pay once, a day before it is too late', async () => {
    const booking = await bookingAt(db, 'accepted')
    const reminded = () => told('grace', 'pay_reminder')
    for (const [interval, count] of [
      ['12 days 23 hours', 0],
      ['13 days', 1],
      ['13 days 22 hours', 1],
    ] as const) {
      await age(booking, 'accepted_at', interval)
      await Promise.all([runScheduled(), runScheduled(), runScheduled()])
      expect([interval, await reminded()]).toEqual([interval, count])
    }
    const { rows } = await as(
      db,
      'grace',
    )(`select message, link from public.notifications where key = 'pay_reminder'`)
    expect(rows[0].link).toBe(`/bookings?booking=${booking.id}&part=next`)
    expect(rows[0].message).toMatch(
      /^Pay \$120\.00 for "Clear the driveway" by \w+, \w+ \d+, \d+:\d\d [ap]\.m\., Saskatchewan time\. Otherwise the booking with Theo .* is closed\.$/,
    )
    expect(await told('theo', 'pay_reminder')).toBe(0)
    await move(db, booking, cast.grace, 'cancelled')
  })

  it.each(['in_progress', 'cancelled'])('the reminder to pay is read once the booking is %s', async (end) => {
    const booking = await bookingAt(db, 'accepted')
    await age(booking, 'accepted_at', '13 days')
    await runScheduled()
    const unread = async () =>
      (
        await as(db, 'grace')(
          `select count(*)::int from public.notifications
           where key = 'pay_reminder' and not read and link like '%' || $1 || '%'`,
          [booking.id],
        )
      ).rows[0].count
    expect(await unread()).toBe(1)
    if (end === 'cancelled') await move(db, booking, cast.grace, 'cancelled')
    else await pay(db, booking)
    expect(await unread()).toBe(0)
  })

  it.each([
    ['work in two days: a day before it', '-23 hours', '25 hours', 0],
    ['work tomorrow: a day before it', '-25 hours', '23 hours', 1],
    ['not before half the time is over', '-4 hours', '5 hours', 0],
    ['half the time is over', '-5 hours', '4 hours', 1],
    ['there were less than four hours', '-119 minutes', '2 hours', 0],
    ['less than an hour is left', '-3 days', '59 minutes', 0],
  ])('to pay soon: %s', async (_, accepted, scheduled, reminders) => {
    const booking = await bookingAt(db, 'accepted')
    const before = await told('grace', 'pay_reminder')
    await owner(db)('update public.tasks set scheduled_date = now() + $2::interval where id = $1', [
      booking.taskId,
      scheduled,
    ])
    await owner(db)('update public.bookings set accepted_at = now() + $2::interval where id = $1', [
      booking.id,
      accepted,
    ])
    await runScheduled()
    expect(((await told('grace', 'pay_reminder')) ?? 0) - (before ?? 0)).toBe(reminders)
    await move(db, booking, cast.grace, 'cancelled')
  })

  it('a giver who has paid, or cancelled, is not reminded to pay', async () => {
    const before = await told('grace', 'pay_reminder')
    const paid = await bookingAt(db, 'in_progress')
    await age(paid, 'accepted_at', '13 days')
    const cancelled = await bookingAt(db, 'accepted')
    await age(cancelled, 'accepted_at', '13 days')
    await move(db, cancelled, cast.grace, 'cancelled')
    await runScheduled()
    expect(await told('grace', 'pay_reminder')).toBe(before)
  })

  it('an unpaid booking ends when the work was to begin, and its task is open again', async () => {
    const booking = await bookingAt(db, 'accepted', { scheduled: '5 hours' })
    await age(booking, 'accepted_at', '3 hours')
    expect(await runScheduled()).toBe(0)
    await owner(db)('update public.tasks set scheduled_date = now() where id = $1', [booking.taskId])
    expect(await runScheduled()).toBe(1)
    expect(await status(booking)).toBe('cancelled')
    const { rows } = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
    expect(rows[0].status).toBe('open')
  })

  it('an unpaid booking and its task are closed together a day after the schedule', async () => {
    const booking = await bookingAt(db, 'accepted', { scheduled: '2 hours' })
    await age(booking, 'accepted_at', '2 hours')
    await owner(db)(`update public.tasks set scheduled_date = now() - interval '24 hours' where id = $1`, [
      booking.taskId,
    ])
    expect(await runScheduled()).toBe(2)
    expect(await status(booking)).toBe('cancelled')
    const { rows } = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
    expect(rows[0].status).toBe('cancelled')
  })

  it('an open task is closed a day after its time, and who applied is declined', async () => {
    const id = await postTask(db, { scheduled: '1 hour' })
    const booking = await apply(db, id)
    await owner(db)(`update public.tasks set scheduled_date = now() - interval '23 hours' where id = $1`, [
      id,
    ])
    expect(await runScheduled()).toBe(0)
    await owner(db)(`update public.tasks set scheduled_date = now() - interval '24 hours' where id = $1`, [
      id,
    ])
    expect(await runScheduled()).toBe(1)
    expect(await status(booking)).toBe('rejected')
    expect(await told('grace', 'task_expired')).toBe(2)
  })
})

async function status(booking: Booking): Promise<string> {
  return (await owner(db)('select status from public.bookings where id = $1', [booking.id])).rows[0].status
}
