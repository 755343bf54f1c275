// Offers of another price for the tests, made and answered by the calls of the app.
import type { TestDatabase } from '../support/database.ts'
import type { Booking } from './lives.ts'
import { as, asService, cast, owner } from './personas.ts'

/** That many hours from now, as clients write it. */
export const inHours = (hours: number) =>
  new Date(Math.floor(Date.now() / 1000) * 1000 + hours * 3_600_000).toISOString()

/** Theo (or `tasker`) offers; `options` may have any form. */
export async function offer(
  db: TestDatabase,
  taskId: string,
  options: unknown,
  { tasker = cast.theo as string, reason = 'It takes two hours longer.' as string | null } = {},
): Promise<Booking> {
  const { rows } = await as(db, tasker)(
    `insert into public.bookings (task_id, task_doer_id, status, offer_options, offer_reason) values ($1, $2, 'pending', $3, $4)
     returning id, task_giver_id`,
    [taskId, tasker, JSON.stringify(options), reason],
  )
  return { id: rows[0].id, taskId, giver: rows[0].task_giver_id, tasker }
}

/** Updates those columns of the booking as that person. Returns the rows changed. */
export async function change(
  db: TestDatabase,
  { id }: Booking,
  person: string,
  columns: Record<string, unknown>,
) {
  const names = Object.keys(columns)
  const { rowCount } = await as(db, person)(
    `update public.bookings set ${names.map((name, at) => `${name} = $${at + 2}`).join(', ')} where id = $1`,
    [id, ...Object.values(columns)],
  )
  return rowCount ?? 0
}

/** Grace accepts that option at the price that she saw. */
export const acceptOption = (db: TestDatabase, booking: Booking, option: number | null, amount: number) =>
  change(db, booking, booking.giver, { status: 'accepted', accepted_option: option, agreed_amount: amount })

export const counter = (db: TestDatabase, booking: Booking, amount: number, startsAt: string | null = null) =>
  change(db, booking, booking.giver, {
    counter_amount: amount,
    counter_starts_at: startsAt,
    counter_message: 'It is a small drive.',
  })

export const acceptCounter = (db: TestDatabase, booking: Booking, amount: number) =>
  change(db, booking, booking.tasker, { status: 'accepted', agreed_amount: amount })

export const declineCounter = (db: TestDatabase, booking: Booking) =>
  change(db, booking, booking.tasker, { counter_state: 'declined' })

export async function bookingOf(db: TestDatabase, { id }: Booking) {
  const { rows } = await owner(db)(
    `select *, agreed_amount::float as agreed, extract(epoch from answer_by - now())::float / 3600 as hours_left from public.bookings where id = $1`,
    [id],
  )
  return rows[0]
}

/** Brings the end of the step that many hours closer. */
export async function passHours(db: TestDatabase, { id }: Booking, hours: number): Promise<void> {
  await owner(db)(
    `update public.bookings set answer_by = answer_by - make_interval(hours => $2) where id = $1`,
    [id, hours],
  )
}

/** Keys of the person's notifications that lead to the task or its latest booking, oldest first. */
export async function keysOf(db: TestDatabase, person: string, { taskId }: Booking): Promise<string[]> {
  const { rows } = await owner(db)(
    `select n.key from public.notifications n where n.user_id = $1 and (n.link like '%' || $2 || '%' or n.link like '%' || (
       select max(id::text) from public.bookings where task_id = $2::uuid) || '%') order by n.created_at, n.key`,
    [person, taskId],
  )
  return rows.map(({ key }) => key)
}

/** Does everything that is due. */
export async function runScheduled(db: TestDatabase): Promise<void> {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
}

export async function timeOfTask(db: TestDatabase, task: string) {
  return (await owner(db)('select scheduled_date, status from public.tasks where id = $1', [task])).rows[0]
}

/** Offers one or two prices, a second one at its own time. */
export function offerAny(db: TestDatabase, task: string, tasker: string, n: number, hours: number) {
  const options = [{ amount: 30 + n }, { amount: 26.05, starts_at: inHours(hours) }]
  return offer(db, task, options.slice(0, 1 + (n % 2)), { tasker })
}

/** An answer to an application or offer, at the price that its person sees; `n` picks option, price and time. */
export async function answerOffer(
  db: TestDatabase,
  booking: Booking,
  answer: 'accept' | 'counter' | 'accept counter' | 'decline counter',
  n: number,
): Promise<void> {
  const { offer_options: options, counter_amount: countered } = await bookingOf(db, booking)
  if (answer === 'counter') await counter(db, booking, 25.35 + n, n % 2 ? inHours(200 + n) : null)
  else if (answer === 'accept counter') await acceptCounter(db, booking, countered)
  else if (answer === 'decline counter') await declineCounter(db, booking)
  else if (options)
    await acceptOption(db, booking, (n % options.length) + 1, options[n % options.length].amount)
  else await change(db, booking, booking.giver, { status: 'accepted' })
}
