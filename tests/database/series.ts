// Series of visits for the tests, made and ended by the calls of the app.
import type { TestDatabase } from '../support/database.ts'
import { apply, type Booking, move } from './lives.ts'
import { as, cast, owner } from './personas.ts'

interface RepeatOptions {
  giver?: string
  amount?: number
  /** The first visit, as an instant. */
  at?: string | null
  minutes?: number | null
  location?: string
}

/** Ten in the morning in Regina, that many days from now. */
export function inDays(days: number): string {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  return `${day}T16:00:00.000Z`
}

/** Grace (or `giver`) posts a task that repeats; returns its id. */
export async function postRepeat(
  db: TestDatabase,
  repeats: unknown,
  options: RepeatOptions = {},
): Promise<string> {
  const { giver = cast.grace, amount = 40, at = inDays(7), minutes = 60, location = 'Saskatoon' } = options
  const { rows } = await as(db, giver)(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date,
       duration_minutes, status, repeats)
     values ($1, 'Clean the office', 'Three rooms, the kitchen and the floor.', 'Cleaning', $2, $3, $4, $5, 'open', $6) returning id`,
    [giver, location, amount, at, minutes, JSON.stringify(repeats)],
  )
  return rows[0].id
}

export interface Visit extends Booking {
  number: number
  status: string
  task_status: string
  starts_at: Date | null
  skipped: boolean
  series_id: string
  amount: number
}

/** The visits of the series that the booking belongs to, in order. */
export async function visitsOf(db: TestDatabase, booking: Pick<Booking, 'id'>): Promise<Visit[]> {
  const { rows } = await owner(db)(
    `select b.id, b.task_id as "taskId", b.task_giver_id as giver, b.task_doer_id as tasker, b.visit_number as number, b.status,
       t.status as task_status, t.scheduled_date as starts_at, b.skipped, b.series_id, b.agreed_amount::float as amount
     from public.bookings b join public.tasks t on t.id = b.task_id
     where b.series_id = (select series_id from public.bookings where id = $1) order by b.visit_number`,
    [booking.id],
  )
  return rows
}

/** A series that Grace and Theo (or `tasker`) have agreed on; returns its visits. */
export async function seriesOf(
  db: TestDatabase,
  repeats: unknown,
  options: RepeatOptions & { tasker?: string } = {},
): Promise<Visit[]> {
  const booking = await apply(db, await postRepeat(db, repeats, options), options.tasker)
  await move(db, booking, booking.giver, 'accepted')
  return visitsOf(db, booking)
}

/** The consequences of stopping for that person. */
export async function previewStop(db: TestDatabase, series: string, person: string) {
  const { rows } = await as(db, person)('select public.stop_series_preview($1) as answer', [series])
  return rows[0].answer as {
    status: string
    dropped: { starts_at: string }[]
    paid: { starts_at: string; fee_cents: number; refund_cents: number }[]
    fee_cents: number
    refund_cents: number
  }
}

/** Stops with those numbers: dropped visits, fee and refund in cents. */
export async function stop(
  db: TestDatabase,
  series: string,
  person: string,
  cancelPaid: boolean,
  [dropped, fee, refund]: [number, number, number],
) {
  const { rows } = await as(db, person)('select public.stop_series($1, $2, $3, $4, $5) as answer', [
    series,
    cancelPaid,
    dropped,
    fee,
    refund,
  ])
  return rows[0].answer as {
    outcome: string
    dropped: number
    cancelled: number
    fee_cents: number
    refund_cents: number
  }
}

/** Brings a visit that many hours closer. */
export async function bringCloser(db: TestDatabase, visit: Visit, hours: number): Promise<void> {
  await owner(db)(
    `update public.tasks set scheduled_date = scheduled_date - make_interval(hours => $2) where id = $1`,
    [visit.taskId, hours],
  )
}

/** Grace has a default card. */
export async function saveCard(db: TestDatabase): Promise<void> {
  await owner(db)(
    `insert into private.payment_customers (user_id, stripe_customer_id) values ($1, 'cus_grace') on conflict do nothing`,
    [cast.grace],
  )
  await owner(db)(
    `insert into public.payment_methods (user_id, stripe_payment_method_id, card_brand, card_last4, is_default)
     values ($1, 'pm_grace', 'visa', '4242', true) on conflict do nothing`,
    [cast.grace],
  )
}
