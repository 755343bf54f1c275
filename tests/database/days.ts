// The day of a booking for the tests: the clock moved to a moment before or after the agreed time, and photos of the place.
import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../support/database.ts'
import { type Booking, bookingAt } from './lives.ts'
import { as, owner, signUp } from './personas.ts'

/** A paid booking of $80 and one hour with a new tasker; the agreed time is so many minutes from now, or none. */
export async function bookingIn(db: TestDatabase, minutes: number | null): Promise<Booking> {
  const tasker = await signUp(db, { meta: { full_name: 'Una Tasker', role: 'task_doer' } })
  const booking = await bookingAt(db, 'in_progress', {
    amount: 80,
    scheduled: minutes === null ? null : '200 hours',
    minutes: 60,
    tasker,
  })
  if (minutes !== null) await startIn(db, booking, minutes)
  return booking
}

/** Moves the agreed time, as passing time does. */
export async function startIn(db: TestDatabase, booking: Booking, minutes: number): Promise<void> {
  await owner(db)(
    'update public.tasks set scheduled_date = now() + make_interval(mins => $2) where id = $1',
    [booking.taskId, minutes],
  )
  await owner(db)(
    `update public.bookings b set period = private.task_period(t) from public.tasks t where b.id = $1 and t.id = b.task_id`,
    [booking.id],
  )
}

/** So many photos in the folder of the booking, put up by that person. */
export async function photosOf(
  db: TestDatabase,
  { id }: Booking,
  person: string,
  count = 1,
): Promise<string[]> {
  const names = Array.from({ length: count }, () => `${id}/${randomUUID()}.jpg`)
  for (const name of names)
    await as(db, person)(
      `insert into storage.objects (bucket_id, name, owner_id) values ('booking-photos', $1, $2)`,
      [name, person],
    )
  return names
}

/** The tasker states the arrival. */
export async function arrive(db: TestDatabase, { id, tasker }: Booking): Promise<number> {
  const { rowCount } = await as(db, tasker)('update public.bookings set arrived_at = now() where id = $1', [
    id,
  ])
  return rowCount ?? 0
}
