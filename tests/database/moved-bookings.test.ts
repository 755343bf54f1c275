// Effects of another time for a booking: the cancellation fee, reminders, the time to pay, the release, and the time at which the
// task is listed again.
import { describe, expect, it } from 'vitest'
import { type Booking, bookingAt, cancel, move, postTask, refusal } from './lives.ts'
import { acceptOption, inHours, offer, runScheduled, timeOfTask } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { accept, answer, propose } from './proposals.ts'

const db = databaseWithCast()
const newTasker = () => signUp(db, { meta: { full_name: 'Una Tasker', role: 'task_doer' } })
const bookingIn = async (scheduled: string | null, state: 'accepted' | 'in_progress' = 'in_progress') =>
  bookingAt(db, state, { amount: 80, scheduled, minutes: 60, tasker: await newTasker() })
const agree = async (booking: Booking, at: number | string) =>
  accept(db, await propose(db, booking, booking.giver, at), booking.tasker)
const told = async (booking: Booking, key: string) =>
  (
    await owner(db)(
      `select count(*)::int from public.notifications where user_id = $1 and key = $2 and link like '%' || $3 || '%'`,
      [booking.giver, key, booking.id],
    )
  ).rows[0].count

describe('the cancellation fee', () => {
  it('is that of the agreed time while another is proposed, declined or withdrawn', async () => {
    for (const end of [null, 'declined', 'withdrawn'] as const) {
      const booking = await bookingIn('30 minutes')
      const proposal = await propose(db, booking, booking.giver, 200)
      if (end) await answer(db, proposal, end === 'declined' ? booking.tasker : booking.giver, end)
      expect((await cancel(db, booking, booking.giver)).fee_cents).toBe(4000)
    }
  })

  it('is that of the new time once the other accepted it, in both directions', async () => {
    const later = await bookingIn('30 minutes')
    await agree(later, 200)
    expect((await cancel(db, later, later.giver)).fee_cents).toBe(500)
    const sooner = await bookingIn('100 hours')
    await agree(sooner, 0.5)
    expect((await cancel(db, sooner, sooner.giver)).fee_cents).toBe(4000)
  })

  it('is one of the two when cancelling and accepting meet, and the booking is cancelled in both', async () => {
    for (let time = 0; time < 8; time++) {
      const booking = await bookingIn('30 minutes')
      const proposal = await propose(db, booking, booking.giver, 200)
      const [cancelled, accepted] = await Promise.allSettled([
        cancel(db, booking, booking.giver),
        accept(db, proposal, booking.tasker),
      ])
      expect(cancelled.status).toBe('fulfilled')
      const fee = cancelled.status === 'fulfilled' ? cancelled.value.fee_cents : null
      expect(fee).toBe(accepted.status === 'fulfilled' ? 500 : 4000)
      if (accepted.status === 'rejected')
        expect(accepted.reason.message).toMatch(/from acceptance until the work is done|no longer waits/)
      const { rows } = await owner(db)('select status from public.bookings where id = $1', [booking.id])
      expect(rows[0].status).toBe('cancelled')
    }
  })
})

describe('a cancelled booking', () => {
  it('opens its task at the posted time, however often it was moved', async () => {
    const booking = await bookingIn('100 hours')
    const posted = (await timeOfTask(db, booking.taskId)).scheduled_date
    await agree(booking, 50)
    await agree(booking, 70)
    await cancel(db, booking, booking.tasker)
    expect(await timeOfTask(db, booking.taskId)).toEqual({ scheduled_date: posted, status: 'open' })
  })

  it('of an offer at another time, too', async () => {
    const task = await postTask(db, { scheduled: '100 hours' })
    const posted = (await timeOfTask(db, task)).scheduled_date
    const tasker = await newTasker()
    const booking = await offer(db, task, [{ amount: 80, starts_at: inHours(60) }], { tasker })
    await acceptOption(db, booking, 1, 80)
    const moved = inHours(75)
    await agree(booking, moved)
    expect((await timeOfTask(db, task)).scheduled_date.toISOString()).toBe(moved)
    await move(db, booking, booking.tasker, 'cancelled')
    expect((await timeOfTask(db, task)).scheduled_date).toEqual(posted)
  })

  it('closes its task if the posted time has passed', async () => {
    const booking = await bookingIn('2 hours')
    await agree(booking, 50)
    await owner(db)(
      `update public.time_proposals set before_starts_at = now() - interval '1 hour' where booking_id = $1`,
      [booking.id],
    )
    expect((await cancel(db, booking, booking.tasker)).listing).toBe('closed')
    expect((await timeOfTask(db, booking.taskId)).status).toBe('cancelled')
  })
})

describe('reminders', () => {
  it('of the work come a day before the new time, once for each time', async () => {
    const booking = await bookingIn('26 hours')
    await owner(db)(
      `update public.payments set held_at = held_at - interval '3 days' where booking_id = $1`,
      [booking.id],
    )
    const pass = async (hours: number) => {
      await owner(db)(
        'update public.tasks set scheduled_date = scheduled_date - make_interval(hours => $2) where id = $1',
        [booking.taskId, hours],
      )
      await runScheduled(db)
    }
    await agree(booking, 48)
    await pass(23)
    expect(await told(booking, 'work_reminder')).toBe(0)
    await pass(2)
    expect(await told(booking, 'work_reminder')).toBe(1)
    // An old reminder is not unread next to the new time, which comes within a day: they have just agreed on it.
    await agree(booking, 5)
    await runScheduled(db)
    const { rows } = await owner(db)(
      `select read from public.notifications where user_id = $1 and key = 'work_reminder' and link like '%' || $2 || '%'`,
      [booking.giver, booking.id],
    )
    expect(rows).toEqual([{ read: true }])
    await agree(booking, 60)
    await pass(40)
    expect(await told(booking, 'work_reminder')).toBe(2)
  })

  it('to pay, and the end of the time to pay, follow the new time', async () => {
    const booking = await bookingIn('60 hours', 'accepted')
    await owner(db)(`update public.bookings set accepted_at = now() - interval '2 days' where id = $1`, [
      booking.id,
    ])
    await agree(booking, 20)
    await runScheduled(db)
    expect(await told(booking, 'pay_reminder')).toBe(1)
    await agree(booking, 200)
    await runScheduled(db)
    await owner(db)("update public.tasks set scheduled_date = now() + interval '20 hours' where id = $1", [
      booking.taskId,
    ])
    await runScheduled(db)
    expect(await told(booking, 'pay_reminder')).toBe(2)
  })
})

it('the automatic release and complaints count from the new end', async () => {
  const booking = await bookingIn('2 hours')
  const at = inHours(50)
  await agree(booking, at)
  await move(db, booking, booking.tasker, 'completed')
  const { rows } = await owner(db)(
    'select private.confirmation_from(b) as at from public.bookings b where b.id = $1',
    [booking.id],
  )
  expect(rows[0].at.getTime()).toBe(Date.parse(at) + 3_600_000)
})

it('a moved task cannot be changed by its giver alone', async () => {
  const booking = await bookingIn('30 minutes')
  expect(
    await refusal(
      as(db, cast.grace)(`update public.tasks set scheduled_date = now() + interval '9 days' where id = $1`, [
        booking.taskId,
      ]),
    ),
  ).toBeTruthy()
  expect((await cancel(db, booking, booking.giver)).fee_cents).toBe(4000)
})
