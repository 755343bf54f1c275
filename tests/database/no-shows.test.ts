// Somebody did not come: reports of both sides, their answers, the end without one, and objections that an admin decides.
import { describe, expect, it } from 'vitest'
import { arrive, bookingIn, photosOf, startIn } from './days.ts'
import {
  type Booking,
  balances,
  bookingAt,
  cancel,
  move,
  paymentOf,
  refusal,
  settleWithProvider,
} from './lives.ts'
import { bookingOf, keysOf, runScheduled, timeOfTask } from './offers.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { propose } from './proposals.ts'

const db = databaseWithCast()
const WORDS = 'I waited at the door for half an hour.'

async function reportBy(booking: Booking, person: string, words = WORDS, photos: string[] = []) {
  const { rows } = await as(db, person)(
    'insert into public.no_shows (booking_id, reported_by, words, photos) values ($1, $2, $3, $4) returning id',
    [booking.id, person, words, photos],
  )
  return rows[0].id as string
}
const answer = async (
  id: string,
  person: string,
  state: string,
  words: string | null = null,
  photos: string[] = [],
) =>
  (
    await as(db, person)(
      'update public.no_shows set state = $2, answer = $3, answer_photos = $4 where id = $1',
      [id, state, words, photos],
    )
  ).rowCount
const stateOf = async (id: string) =>
  (await owner(db)('select state from public.no_shows where id = $1', [id])).rows[0].state
const passHours = (id: string, hours: number) =>
  owner(db)('update public.no_shows set answer_by = answer_by - make_interval(hours => $2) where id = $1', [
    id,
    hours,
  ])
const onTime = async (person: string) =>
  (await owner(db)('select on_time_rate from private.profiles where id = $1', [person])).rows[0].on_time_rate

/** A tasker who arrived that many minutes ago, at the agreed time. */
async function arrivedBooking(minutes = 20) {
  const booking = await bookingIn(db, 0)
  await arrive(db, booking)
  await startIn(db, booking, -minutes)
  await owner(db)('update public.bookings set arrived_at = now() - make_interval(mins => $2) where id = $1', [
    booking.id,
    minutes,
  ])
  return booking
}
/** Everything has left escrow, and nothing is owed. */
async function expectSettled(booking: Booking) {
  await settleWithProvider(db, booking)
  const left = await balances(db, booking)
  for (const kept of ['provider', 'platform_fees', 'gst']) delete left[kept]
  expect(left).toEqual({})
}
const missedGiver = async () => {
  const booking = await arrivedBooking()
  const photos = await photosOf(db, booking, booking.tasker)
  return { booking, photos, id: await reportBy(booking, booking.tasker, WORDS, photos) }
}

describe('a report of the giver', () => {
  it('is made from half an hour after the agreed time, of paid work that is not done', async () => {
    const early = await bookingIn(db, -29)
    await expect(reportBy(early, early.giver)).rejects.toMatchObject({
      message: 'Wait 30 minutes after the agreed time, or after your arrival',
      hint: 'booking_id',
    })
    const timeless = await bookingIn(db, null)
    expect(await refusal(reportBy(timeless, timeless.giver))).toBe(
      'No time was agreed, so nobody can have missed it',
    )
    for (const state of ['accepted', 'completed'] as const) {
      const booking = await bookingAt(db, state, { scheduled: '200 hours', tasker: early.tasker })
      await startIn(db, booking, -60)
      expect(await refusal(reportBy(booking, booking.giver))).toBe(
        'This can be reported from payment until the work is marked complete',
      )
    }
    const booking = await bookingIn(db, -31)
    for (const [words, message] of [
      ['Gone', 'Say what happened in at least 10 characters'],
      ['x'.repeat(2001), 'Text too long (max 2000 characters)'],
    ] as const)
      await expect(reportBy(booking, booking.giver, words)).rejects.toMatchObject({ message, hint: 'words' })
    for (const stranger of [cast.sam, cast.ada, early.tasker])
      await expect(reportBy(booking, stranger)).rejects.toMatchObject({ code: '42501' })
    const id = await reportBy(booking, booking.giver)
    expect(await keysOf(db, booking.tasker, booking)).toContain('tasker_missed')
    expect(await refusal(reportBy(booking, booking.giver))).toBe(
      'A report that somebody did not come waits for an answer',
    )
    // Until it is answered nothing else moves.
    const waits = 'A report that somebody did not come waits for an answer'
    expect(await refusal(move(db, booking, booking.tasker, 'completed'))).toBe(waits)
    expect(await refusal(propose(db, booking, booking.tasker, 30))).toBe(waits)
    await arrive(db, booking)
    expect(await answer(id, booking.giver, 'withdrawn')).toBe(1)
    await move(db, booking, booking.tasker, 'completed')
  })

  it.each(['confirmed', 'lapsed'])(
    '%s: the booking is cancelled as by the tasker, with everything back',
    async (end) => {
      const booking = await bookingIn(db, -31)
      const id = await reportBy(booking, booking.giver)
      if (end === 'confirmed') await answer(id, booking.tasker, 'confirmed')
      else {
        await passHours(id, 11)
        await runScheduled(db)
        expect(await stateOf(id)).toBe('open')
        await passHours(id, 1)
        expect(await refusal(answer(id, booking.tasker, 'objected', WORDS))).toBe(
          'This report no longer waits for an answer',
        )
        await Promise.all([runScheduled(db), runScheduled(db)])
        expect(await keysOf(db, booking.tasker, booking)).toContain('no_show_lapsed')
      }
      expect(await stateOf(id)).toBe(end)
      expect(await bookingOf(db, booking)).toMatchObject({
        status: 'cancelled',
        cancelled_by: booking.tasker,
      })
      expect(await paymentOf(db, booking)).toMatchObject({
        escrow_status: 'refunded',
        refund_amount: '96.00',
      })
      expect((await timeOfTask(db, booking.taskId)).status).toBe('cancelled')
      expect(await onTime(booking.tasker)).toBe(0)
      await expectSettled(booking)
    },
  )

  it('with an objection goes to an admin, with the words and photos of both', async () => {
    const booking = await bookingIn(db, -31)
    const seen = await photosOf(db, booking, booking.giver)
    const id = await reportBy(booking, booking.giver, WORDS, seen)
    const proof = await photosOf(db, booking, booking.tasker, 2)
    await expect(answer(id, booking.tasker, 'objected', 'No')).rejects.toMatchObject({ hint: 'answer' })
    expect(await refusal(answer(id, booking.tasker, 'objected', WORDS, seen))).toMatch(
      /^A photo is not there/,
    )
    await answer(id, booking.tasker, 'objected', 'I rang three times, and nobody opened.', proof)
    const { rows } = await as(db, 'ada')('select * from public.complaints where booking_id = $1', [
      booking.id,
    ])
    expect(rows[0]).toMatchObject({
      giver_id: booking.giver,
      reason: WORDS,
      photos: seen,
      answer: 'I rang three times, and nobody opened.',
      answer_photos: proof,
      decision: null,
    })
    expect((await paymentOf(db, booking)).escrow_status).toBe('frozen')
    const keys = [await keysOf(db, booking.giver, booking), await keysOf(db, booking.tasker, booking)]
    expect(keys[0]).toContain('no_show_objected')
    expect(keys.flat()).not.toEqual(expect.arrayContaining(['complaint_opened']))
    expect(keys.flat()).not.toEqual(expect.arrayContaining(['task_marked_complete']))
    await as(db, 'ada')(`select public.decide_complaint($1, 'refund')`, [rows[0].id])
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'refunded', payout_amount: '0.00' })
    await expectSettled(booking)
  })
})

describe('a report of the tasker', () => {
  it('is made a quarter of an hour after the arrival, with a photo', async () => {
    const away = await bookingIn(db, -60)
    expect(await refusal(reportBy(away, away.tasker))).toBe('State your arrival first')
    const soon = await arrivedBooking(14)
    const wait = 'Wait 15 minutes after the agreed time, or after your arrival'
    expect(await refusal(reportBy(soon, soon.tasker))).toBe(wait)
    // After an early arrival, the wait begins at the agreed time.
    const early = await arrivedBooking(90)
    await startIn(db, early, -10)
    expect(await refusal(reportBy(early, early.tasker))).toBe(wait)
    const booking = await arrivedBooking(15)
    expect(await refusal(reportBy(booking, booking.tasker))).toBe('Add a photo from the place')
    const others = await photosOf(db, booking, booking.giver)
    expect(await refusal(reportBy(booking, booking.tasker, WORDS, others))).toMatch(/^A photo is not there/)
    await reportBy(booking, booking.tasker, WORDS, await photosOf(db, booking, booking.tasker))
    expect(await keysOf(db, booking.giver, booking)).toContain('giver_missed')
  })

  it.each(['confirmed', 'lapsed'])(
    '%s: the booking is cancelled as by the giver, with the fee of the last hour',
    async (end) => {
      const { booking, id } = await missedGiver()
      if (end === 'confirmed') await answer(id, booking.giver, 'confirmed')
      else {
        await passHours(id, 12)
        await runScheduled(db)
      }
      expect(await bookingOf(db, booking)).toMatchObject({ status: 'cancelled', cancelled_by: booking.giver })
      expect(await paymentOf(db, booking)).toMatchObject({
        cancellation_fee: '40.00',
        refund_amount: '56.00',
      })
      expect(Number((await paymentOf(db, booking)).payout_amount)).toBe(32)
      expect(await keysOf(db, booking.giver, booking)).not.toContain('application_accepted')
      expect(await onTime(booking.tasker)).toBe(100)
      await expectSettled(booking)
    },
  )

  it('with an objection goes to an admin as a complaint of the giver', async () => {
    const { booking, id, photos } = await missedGiver()
    await answer(id, booking.giver, 'objected', 'I was in the yard all morning.')
    const { rows } = await as(db, 'ada')('select * from public.complaints where booking_id = $1', [
      booking.id,
    ])
    expect(rows[0]).toMatchObject({
      reason: 'I was in the yard all morning.',
      answer: WORDS,
      answer_photos: photos,
    })
    await as(db, 'ada')(`select public.decide_complaint($1, 'split', 40)`, [rows[0].id])
    await expectSettled(booking)
  })
})

describe('an answer', () => {
  it('is given by the other person, and withdrawn by the one who reported', async () => {
    const { booking, id } = await missedGiver()
    for (const state of ['confirmed', 'objected', 'lapsed', 'ended'])
      expect(await refusal(answer(id, booking.tasker, state, WORDS))).toBe(
        'You can only withdraw your own report: the other person answers it',
      )
    for (const state of ['withdrawn', 'lapsed', 'nonsense'])
      expect(await refusal(answer(id, booking.giver, state, WORDS))).toBe(
        'You can confirm a report about you or object to it',
      )
    for (const stranger of [cast.sam, cast.ada]) expect(await answer(id, stranger, 'confirmed')).toBe(0)
    await answer(id, booking.tasker, 'withdrawn')
    expect((await bookingOf(db, booking)).status).toBe('in_progress')
    expect(await refusal(answer(id, booking.giver, 'confirmed'))).toBe(
      'This report no longer waits for an answer',
    )
  })

  it('twice, or next to the schedule and a cancellation, moves the money once', async () => {
    for (let time = 0; time < 5; time++) {
      const { booking, id } = await missedGiver()
      if (time % 2) await passHours(id, 12)
      await Promise.allSettled([
        answer(id, booking.giver, 'confirmed'),
        runScheduled(db),
        cancel(db, booking, booking.giver),
        answer(id, booking.giver, 'objected', WORDS),
      ])
      await runScheduled(db)
      const open = await owner(db)(
        `select 1 from public.complaints where booking_id = $1 and decision is null`,
        [booking.id],
      )
      const { status } = await bookingOf(db, booking)
      expect(status).toBe(open.rowCount ? 'completed' : 'cancelled')
      if (status === 'cancelled') {
        await expectSettled(booking)
      }
      // A report that was locked while the booking ended ends with its time.
      await passHours(id, 24)
      await runScheduled(db)
      expect(await stateOf(id)).not.toBe('open')
    }
  })

  it('waits while the money is frozen, and so does the end of the time', async () => {
    const { booking, id } = await missedGiver()
    await owner(db)(
      `update public.payments set escrow_status = 'frozen', open_disputes = 1 where booking_id = $1`,
      [booking.id],
    )
    expect(await refusal(answer(id, booking.giver, 'confirmed'))).toMatch(/frozen/)
    await passHours(id, 12)
    await runScheduled(db)
    expect(await stateOf(id)).toBe('open')
    await owner(db)(
      `update public.payments set escrow_status = 'held', open_disputes = 0 where booking_id = $1`,
      [booking.id],
    )
    await runScheduled(db)
    expect(await stateOf(id)).toBe('lapsed')
  })
})

it('a report is a pending item of the missing person, is in both exports, and its words leave with their author', async () => {
  const { booking, id } = await missedGiver()
  const items = async (person: string) =>
    (await as(db, person)('select kind, booking_id from public.my_action_items()')).rows.filter(
      (item) => item.kind === 'answer_no_show' && item.booking_id === booking.id,
    ).length
  expect([await items(booking.giver), await items(booking.tasker), await items('ada')]).toEqual([1, 0, 0])
  for (const person of [booking.giver, booking.tasker]) {
    const { rows } = await owner(db)('select public.data_of_person($1) as data', [person])
    expect(JSON.stringify(rows[0].data.no_shows)).toContain(id)
  }
  await cancel(db, booking, booking.tasker)
  expect(await stateOf(id)).toBe('ended')
  await owner(db)('select private.erase_person($1)', [booking.tasker])
  const { rows } = await owner(db)('select words from public.no_shows where id = $1', [id])
  expect(rows[0].words).toBe('Removed together with the account.')
})
