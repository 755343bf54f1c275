// Proposals of another time for the tests, made and answered by the calls of the app.
import type { TestDatabase } from '../support/database.ts'
import type { Booking } from './lives.ts'
import { inHours } from './offers.ts'
import { as, owner } from './personas.ts'

/** A proposal of that person, so many hours from now or at that moment. Returns its id. */
export async function propose(
  db: TestDatabase,
  booking: Booking,
  person: string,
  at: number | string,
  message: string | null = null,
): Promise<string> {
  const { rows } = await as(db, person)(
    `insert into public.time_proposals (booking_id, proposed_by, starts_at, message) values ($1, $2, $3, $4) returning id`,
    [booking.id, person, typeof at === 'number' ? inHours(at) : at, message],
  )
  return rows[0].id
}

/** The answer of that person; returns the rows changed. */
export async function answer(
  db: TestDatabase,
  proposal: string,
  person: string,
  state: string,
  seen?: string,
): Promise<number> {
  const { rowCount } = await as(db, person)(
    'update public.time_proposals set state = $2, starts_at = coalesce($3, starts_at) where id = $1',
    [proposal, state, seen ?? null],
  )
  return rowCount ?? 0
}

export const accept = (db: TestDatabase, proposal: string, person: string) =>
  answer(db, proposal, person, 'accepted')

export async function proposalOf(db: TestDatabase, id: string) {
  const { rows } = await owner(db)(
    `select *, extract(epoch from answer_by - now())::float / 3600 as hours_left from public.time_proposals where id = $1`,
    [id],
  )
  return rows[0]
}

/** The proposed, the agreed time and the deadline come that many hours closer. */
export async function passHoursOf(db: TestDatabase, proposal: string, hours: number): Promise<void> {
  await owner(db)(
    `update public.time_proposals set answer_by = answer_by - make_interval(hours => $2) where id = $1`,
    [proposal, hours],
  )
}
