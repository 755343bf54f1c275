// A decline that the giver takes back: for how long, and when the tasker is notified.
import { beforeAll, describe, expect, it } from 'vitest'
import { apply, bookingAt, move, postTask, refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
})

describe('a decline', () => {
  const heard = async (key: string) =>
    (await as(db, 'theo')('select from public.notifications where key = $1', [key])).rowCount

  it('is taken back before the tasker has read about it, who then is never notified', async () => {
    await owner(db)(`delete from public.notifications where user_id = $1`, [cast.theo])
    const booking = await bookingAt(db, 'rejected')
    expect(await heard('application_declined')).toBe(1)
    await move(db, booking, cast.grace, 'pending')
    expect([await heard('application_declined'), await heard('decline_undone')]).toEqual([0, 0])
    await move(db, booking, cast.grace, 'accepted')
    const { rows } = await owner(db)('select status from public.bookings where id = $1', [booking.id])
    expect(rows).toEqual([{ status: 'accepted' }])
  })

  it('that was read is taken back in words', async () => {
    const booking = await bookingAt(db, 'pending')
    await move(db, booking, cast.grace, 'rejected')
    await as(db, 'theo')(`update public.notifications set read = true where key = 'application_declined'`)
    await move(db, booking, cast.grace, 'pending')
    expect(await heard('decline_undone')).toBe(1)
  })

  it('stands after ten minutes, or when the task was given to another', async () => {
    const booking = await bookingAt(db, 'rejected')
    await owner(db)(`update public.bookings set answered_at = now() - interval '11 minutes' where id = $1`, [
      booking.id,
    ])
    expect(await refusal(move(db, booking, cast.grace, 'pending'))).toBe(
      'A decline can be taken back for 10 minutes',
    )

    const task = await postTask(db)
    const declined = await apply(db, task)
    await move(db, declined, cast.grace, 'rejected')
    await move(db, await apply(db, task, una), cast.grace, 'accepted')
    expect(await refusal(move(db, declined, cast.grace, 'pending'))).toBe('This task is no longer open')
  })
})
