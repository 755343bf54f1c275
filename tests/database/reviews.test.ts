// Reviews: one per side of a completed booking, blind until both are in or 14 days are over; and what they add up to.
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { type Booking, bookingAt, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, enterCast, owner } from './personas.ts'

const db = databaseWithCast()

function review(
  booking: Booking,
  person: 'grace' | 'theo' | 'sam' | 'ada',
  rating: number,
  reviewee?: string,
  where = db,
) {
  return tryInsert(where, person, 'reviews', {
    booking_id: booking.id,
    reviewer_id: cast[person],
    reviewee_id: reviewee ?? (person === 'grace' ? cast.theo : cast.grace),
    rating,
    comment: ' Fine work. ',
  })
}

describe('writing', () => {
  it('is for the two parties of a completed booking, once each', async () => {
    expect(await review(await bookingAt(db, 'in_progress'), 'grace', 5)).toBe(
      'Only a completed booking can be reviewed',
    )
    const booking = await bookingAt(db, 'completed')
    expect(await review(booking, 'sam', 1)).toBe('Only the two parties of a booking can review it')
    expect(await review(booking, 'ada', 1)).toBe('Only the two parties of a booking can review it')
    for (const foreign of [cast.sam, cast.grace, '00000000-0000-4000-8000-00000000ffff']) {
      expect(await review(booking, 'grace', 5, foreign)).toBe(
        'You can only review the other party of the booking',
      )
    }
    expect(
      await tryInsert(db, 'grace', 'reviews', {
        booking_id: booking.id,
        reviewer_id: cast.grace,
        task_id: (await bookingAt(db, 'pending')).taskId,
        rating: 5,
      }),
    ).toBe('The task is not that of the booking')
    expect(await review(booking, 'grace', 5)).toBe(null)
    const { rows } = await owner(db)('select * from public.reviews where booking_id = $1', [booking.id])
    expect(rows[0]).toMatchObject({ reviewee_id: cast.theo, task_id: booking.taskId, comment: 'Fine work.' })
    expect(await review(booking, 'grace', 1)).toBe('You have already reviewed this booking')
    expect(
      await tryInsert(db, 'grace', 'reviews', {
        booking_id: booking.id,
        reviewer_id: cast.theo,
        reviewee_id: cast.grace,
        rating: 5,
      }),
    ).toBe('You can only review as yourself')
    for (const change of [`update public.reviews set rating = 5`, 'delete from public.reviews']) {
      await expect(as(db, 'grace')(change)).rejects.toThrow(/permission denied/)
    }
  })

  it('ends after 14 days', async () => {
    const booking = await bookingAt(db, 'completed')
    const age = (interval: string) =>
      owner(db)(`update public.bookings set completed_at = now() - $2::interval where id = $1`, [
        booking.id,
        interval,
      ])
    await age('14 days')
    expect(await review(booking, 'grace', 5)).toBe('A review can be written within 14 days of completion')
    await age('13 days 23 hours 59 minutes')
    expect(await review(booking, 'grace', 5)).toBe(null)
  })
})

describe('reading', () => {
  it('is blind until the other side has written', async () => {
    const booking = await bookingAt(db, 'completed')
    const seen = async (person: string) =>
      (await as(db, person)('select from public.reviews where booking_id = $1', [booking.id])).rowCount
    await review(booking, 'grace', 4)
    expect(await seen('grace')).toBe(1)
    for (const person of ['theo', 'sam', 'anonymous']) expect(await seen(person)).toBe(0)
    await review(booking, 'theo', 5)
    for (const person of ['grace', 'theo', 'sam', 'anonymous']) expect(await seen(person)).toBe(2)
    const task = await as(db, 'anonymous')('select title from public.tasks where id = $1', [booking.taskId])
    expect(task.rowCount).toBe(1)
  })

  it('opens when the 14 days are over', async () => {
    const booking = await bookingAt(db, 'completed')
    await owner(db)(`update public.bookings set completed_at = now() - interval '13 days' where id = $1`, [
      booking.id,
    ])
    await review(booking, 'grace', 4)
    const read = () => as(db, 'theo')('select from public.reviews where booking_id = $1', [booking.id])
    expect((await read()).rowCount).toBe(0)
    await owner(db)(`update public.reviews set visible_from = now() where booking_id = $1`, [booking.id])
    expect((await read()).rowCount).toBe(1)
  })
})

describe('adding up', () => {
  it('counts both sides at once, also when they write at the same moment', async () => {
    const fresh = await createTestDatabase()
    try {
      await enterCast(fresh)
      const bookings = [
        await bookingAt(fresh, 'released'),
        await bookingAt(fresh, 'released'),
        await bookingAt(fresh, 'released'),
      ]
      await Promise.all(
        bookings.flatMap((booking, n) => [
          review(booking, 'grace', 5 - n, cast.theo, fresh),
          review(booking, 'theo', 5, cast.grace, fresh),
        ]),
      )
      const { rows } = await owner(fresh)(
        `select rating, total_reviews, completed_tasks from public.profiles where id = any ($1) order by full_name`,
        [[cast.grace, cast.theo]],
      )
      expect(rows).toEqual([
        { rating: '5.00', total_reviews: 3, completed_tasks: 0 },
        { rating: '4.00', total_reviews: 3, completed_tasks: 3 },
      ])
    } finally {
      await fresh.drop()
    }
  })
})
