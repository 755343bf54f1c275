// A job marked complete before it was to take place: the time for complaints, reviews and the release counts from the agreed end.
import { expect, it } from 'vitest'
import { bookingAt, paymentOf, release, tryInsert } from './lives.ts'
import { as, asService, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** Agreed for an hour on Sunday, marked complete on Thursday; `ago` moves the agreed end into the past. */
async function completedOnThursday(ago: string | null) {
  const booking = await bookingAt(db, 'completed', { scheduled: '3 days', minutes: 60 })
  if (ago === null) return booking
  await owner(db)(
    `update public.tasks set scheduled_date = now() - $2::interval - interval '1 hour' where id = $1`,
    [booking.taskId, ago],
  )
  await owner(db)(
    `update public.bookings b set completed_at = now() - interval '30 days', period = private.task_period(t)
     from public.tasks t where t.id = b.task_id and b.id = $1`,
    [booking.id],
  )
  return booking
}

const complain = (id: string) =>
  tryInsert(db, 'grace', 'complaints', { booking_id: id, reason: 'Nobody has come yet.' })

async function runScheduled(): Promise<void> {
  for (;;) {
    const { rows } = await asService(db)('select public.run_scheduled() as done')
    if (rows[0].done === 0) return
  }
}

it('the giver is asked whether it is really done, and reads the agreed time', async () => {
  const booking = await completedOnThursday(null)
  const { rows } = await as(db, 'grace')(
    `select key, message from public.notifications where link like '%' || $1 || '%' and key like 'task_marked%'`,
    [booking.id],
  )
  expect(rows).toEqual([
    {
      key: 'task_marked_complete_early',
      message: expect.stringMatching(/ which was agreed for \w+day, .*once you have seen/),
    },
  ])
})

it('the question is read once the giver has released or complained', async () => {
  const unread = async ({ id }: { id: string }) =>
    (
      await as(db, 'grace')(
        `select key from public.notifications where not read and key like 'task_marked%' and link like '%' || $1 || '%'`,
        [id],
      )
    ).rowCount
  const [released, disputed, open] = [
    await completedOnThursday(null),
    await completedOnThursday(null),
    await completedOnThursday(null),
  ]
  expect([await unread(released), await unread(disputed), await unread(open)]).toEqual([1, 1, 1])
  await release(db, released)
  expect(await complain(disputed.id)).toBe(null)
  expect([await unread(released), await unread(disputed), await unread(open)]).toEqual([0, 0, 1])
})

it('a complaint is possible until 24 hours after the agreed end', async () => {
  expect(await complain((await completedOnThursday('24 hours')).id)).toBe(
    'A complaint is possible within 24 hours of the agreed time',
  )
  expect(await complain((await completedOnThursday('23 hours 59 minutes')).id)).toBe(null)
  // Before the work was to begin.
  expect(await complain((await completedOnThursday(null)).id)).toBe(null)
})

it('without a duration the agreed start counts', async () => {
  const booking = await bookingAt(db, 'completed', { scheduled: '3 days' })
  await owner(db)(`update public.bookings set completed_at = now() - interval '2 days' where id = $1`, [
    booking.id,
  ])
  expect(await complain(booking.id)).toBe(null)
})

it('the money is released by itself seven days after the agreed end', async () => {
  const early = await completedOnThursday('6 days 23 hours')
  await runScheduled()
  expect(await paymentOf(db, early)).toMatchObject({ escrow_status: 'held', reminders: 3 })
  const silent = await completedOnThursday('7 days')
  await runScheduled()
  expect((await paymentOf(db, silent)).escrow_status).toBe('released')
  expect((await paymentOf(db, early)).escrow_status).toBe('held')
})

it('the giver reads until when, and may release at once', async () => {
  const booking = await completedOnThursday(null)
  const { rows } = await as(db, 'grace')(
    `select round(extract(epoch from due_at - now()) / 3600)::int as hours from public.my_action_items()
     where booking_id = $1 and kind = 'confirm'`,
    [booking.id],
  )
  expect(rows).toEqual([{ hours: 10 * 24 + 1 }])
  await release(db, booking)
  expect((await paymentOf(db, booking)).escrow_status).toBe('released')
})

it('a review is possible until 14 days after the agreed end', async () => {
  const review = async (ago: string) => {
    const booking = await completedOnThursday(ago)
    await release(db, booking)
    return tryInsert(db, 'grace', 'reviews', {
      booking_id: booking.id,
      reviewer_id: booking.giver,
      rating: 5,
    })
  }
  expect(await review('14 days')).toBe('A review can be written within 14 days of the agreed time')
  expect(await review('13 days 23 hours')).toBe(null)
})
