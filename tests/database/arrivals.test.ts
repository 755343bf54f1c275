// The day of the work: on the way, arrived, photos before it, the reminder an hour before, and the rate that follows.
import { expect, it } from 'vitest'
import { arrive, bookingIn, photosOf, startIn } from './days.ts'
import { bookingAt, move, refusal } from './lives.ts'
import { bookingOf, change, keysOf, runScheduled } from './offers.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { accept, propose } from './proposals.ts'

const db = databaseWithCast()
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const windowOf = (from: number, until: number) => ({
  arrives_from: inMinutes(from),
  arrives_until: inMinutes(until),
})

it('on the way: a window of two hours at most, which the giver sees and is notified of', async () => {
  const booking = await bookingIn(db, 40)
  const message = 'The arrival must lie ahead, within 120 minutes from the earliest to the latest time'
  for (const wrong of [
    windowOf(30, 20),
    windowOf(10, 10),
    windowOf(10, 131),
    windowOf(-30, 10),
    windowOf(700, 800),
    { arrives_from: inMinutes(10) },
    { arrives_until: inMinutes(10) },
    { arrives_from: '-infinity', arrives_until: 'infinity' },
  ])
    await expect(change(db, booking, booking.tasker, wrong)).rejects.toMatchObject({
      message,
      hint: 'arrives_until',
    })
  await change(db, booking, booking.tasker, windowOf(10, 40))
  expect(await keysOf(db, booking.giver, booking)).toContain('tasker_on_the_way')
  // Held up: a later window.
  await change(db, booking, booking.tasker, windowOf(60, 90))
  const { rows } = await as(db, 'grace')('select arrives_until from public.bookings where id = $1', [
    booking.id,
  ])
  expect(rows[0].arrives_until > new Date(Date.now() + 80 * 60_000)).toBe(true)
  await expect(
    change(db, booking, booking.tasker, { arrives_from: null, arrives_until: null }),
  ).rejects.toMatchObject({
    message,
  })
})

it('arrived: once, by the tasker, at the time of the database', async () => {
  const booking = await bookingIn(db, 5)
  for (const person of [booking.giver, cast.ada])
    await change(db, booking, person, { arrived_at: inMinutes(0) }).then(
      (count) => expect(count).toBe(0),
      (error) =>
        expect(error.message).toBe('Only the tasker states the arrival and adds photos before the work'),
    )
  await change(db, booking, booking.tasker, { arrived_at: '2020-01-01T00:00:00Z' })
  const { arrived_at: at } = await bookingOf(db, booking)
  expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(60_000)
  expect(await keysOf(db, booking.giver, booking)).toContain('tasker_arrived')
  for (const again of [{ arrived_at: inMinutes(0) }, { arrived_at: null }, windowOf(5, 20)])
    expect(await refusal(change(db, booking, booking.tasker, again))).toBe(
      'You have stated your arrival already',
    )
})

it.each([
  ['twelve hours before', 12 * 60 + 5, true, true],
  ['from twelve hours on the way, not arrived', 11 * 60, false, true],
  ['two hours before', 119, false, false],
  ['late', -600, false, false],
  ['at any time', null, false, false],
])('the day begins %s', async (_, minutes, wayRefused, arrivalRefused) => {
  const booking = await bookingIn(db, minutes)
  const way = change(db, booking, booking.tasker, windowOf(5, 30))
  if (wayRefused) expect(await refusal(way)).toBe('This is possible from 12 hours before the agreed time')
  else await way
  if (arrivalRefused)
    expect(await refusal(arrive(db, booking))).toMatch(/^This is possible from (12|2) hours before/)
  else await arrive(db, booking)
})

it('none of it before the payment, after the work, or while the money is frozen', async () => {
  for (const state of ['pending', 'accepted', 'completed'] as const) {
    const booking = await bookingAt(db, state, {
      scheduled: '200 hours',
      tasker: (await bookingIn(db, null)).tasker,
    })
    await startIn(db, booking, 5)
    expect(await refusal(arrive(db, booking))).toBe(
      'This is possible from payment until the work is marked complete',
    )
  }
  const frozen = await bookingIn(db, 5)
  await owner(db)(
    `update public.payments set escrow_status = 'frozen', open_disputes = 1 where booking_id = $1`,
    [frozen.id],
  )
  expect(await refusal(arrive(db, frozen))).toBe(
    'The payment is frozen until the bank has decided on a chargeback',
  )
})

it('photos before the work are the tasker’s, from the arrival on, and both see them', async () => {
  const booking = await bookingIn(db, 5)
  const names = await photosOf(db, booking, booking.tasker, 2)
  const add = (photos: string[]) => change(db, booking, booking.tasker, { before_photos: photos })
  expect(await refusal(add(names))).toBe('State your arrival first')
  await arrive(db, booking)
  expect(await refusal(add(await photosOf(db, booking, booking.giver)))).toMatch(/^A photo is not there/)
  await add(names)
  const stored = (person: string) =>
    as(db, person)('select before_photos from public.bookings where id = $1', [booking.id])
  for (const person of [booking.giver, booking.tasker, 'ada'])
    expect((await stored(person)).rows).toEqual([{ before_photos: names }])
  const { rows } = await owner(db)(`select private.photo_is_kept('booking-photos', $1) as kept`, [names[0]])
  expect(rows).toEqual([{ kept: true }])
  await move(db, booking, booking.tasker, 'completed')
  expect(await refusal(add([]))).toBe('This is possible from payment until the work is marked complete')
})

it('another time begins the day anew', async () => {
  const booking = await bookingIn(db, 30)
  await change(db, booking, booking.tasker, windowOf(5, 30))
  await arrive(db, booking)
  await accept(db, await propose(db, booking, booking.giver, 24), booking.tasker)
  expect(await bookingOf(db, booking)).toMatchObject({
    arrived_at: null,
    arrives_from: null,
    arrives_until: null,
  })
})

it('both are reminded an hour before, once for each time', async () => {
  const booking = await bookingIn(db, 61)
  await owner(db)(`update public.payments set held_at = now() - interval '3 days' where booking_id = $1`, [
    booking.id,
  ])
  const reminded = async () =>
    Promise.all(
      [booking.giver, booking.tasker].map(
        async (person) => (await keysOf(db, person, booking)).filter((key) => key === 'work_soon').length,
      ),
    )
  await runScheduled(db)
  expect(await reminded()).toEqual([0, 0])
  await startIn(db, booking, 59)
  await Promise.all([runScheduled(db), runScheduled(db)])
  expect(await reminded()).toEqual([1, 1])
  await runScheduled(db)
  expect(await reminded()).toEqual([1, 1])
  // Moved within the hour, they know; moved to later, they are reminded again.
  await accept(db, await propose(db, booking, booking.giver, 0.5), booking.tasker)
  await runScheduled(db)
  expect(await reminded()).toEqual([1, 1])
  await accept(db, await propose(db, booking, booking.giver, 90), booking.tasker)
  await startIn(db, booking, 30)
  await runScheduled(db)
  expect(await reminded()).toEqual([2, 2])
})

it.each([
  ['fifteen minutes after the agreed time', 15, 100],
  ['sixteen minutes after it', 16, 0],
  ['early', -30, 100],
  ['not at all, but done in time', null, 100],
])('arrived %s: on time in %s %', async (_, late, rate) => {
  const booking = await bookingIn(db, 0)
  if (late !== null) {
    await arrive(db, booking)
    await owner(db)(
      `update public.bookings b set arrived_at = t.scheduled_date + make_interval(mins => $2) from public.tasks t
       where b.id = $1 and t.id = b.task_id`,
      [booking.id, late],
    )
  }
  await move(db, booking, booking.tasker, 'completed')
  const { rows } = await owner(db)('select on_time_rate from private.profiles where id = $1', [
    booking.tasker,
  ])
  expect(rows[0].on_time_rate).toBe(rate)
})
