// Steps of a booking's life for the tests, each done by the person who does it, through the calls of the app.
import { randomUUID } from 'node:crypto'
import { isUnavailable } from '../../packages/server/src/sql/errors.ts'
import type { TestDatabase } from '../support/database.ts'
import { as, asService, cast, owner } from './personas.ts'

export interface Booking {
  id: string
  taskId: string
  giver: string
  tasker: string
}

interface TaskOptions {
  giver?: string
  amount?: number
  scheduled?: string | null
  minutes?: number | null
  /** The limit for expenses in dollars. */
  expenses?: number | null
}

/**
 * Grace (or `giver`) posts a task; `scheduled` is an SQL interval from now, as in '2 hours'. A task whose time has passed
 * ('-2 hours') was posted before. Returns its id.
 */
export async function postTask(db: TestDatabase, options: TaskOptions = {}): Promise<string> {
  const { giver = cast.grace, amount = 100, scheduled = null, minutes = null, expenses = null } = options
  const poster = scheduled?.startsWith('-') ? owner(db) : as(db, giver)
  const { rows } = await poster(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date,
       duration_minutes, expense_limit, status)
     values ($1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', $2,
       now() + $3::interval, $4, $5, 'open') returning id`,
    [giver, amount, scheduled, minutes, expenses],
  )
  return rows[0].id
}

/** Theo (or `tasker`) applies; returns the booking. */
export async function apply(db: TestDatabase, taskId: string, tasker: string = cast.theo): Promise<Booking> {
  const { rows } = await as(db, tasker)(
    `insert into public.bookings (task_id, task_doer_id, message, status) values ($1, $2, 'I have a blower.', 'pending')
     returning id, task_giver_id`,
    [taskId, tasker],
  )
  return { id: rows[0].id, taskId, giver: rows[0].task_giver_id, tasker }
}

/** Moves the booking as that person, by the row update that the app sends. */
export async function move(
  db: TestDatabase,
  booking: Booking,
  person: string,
  status: string,
): Promise<number> {
  const { rowCount } = await as(db, person)('update public.bookings set status = $2 where id = $1', [
    booking.id,
    status,
  ])
  return rowCount ?? 0
}

/** The giver prepares the payment and Stripe reports it as paid. Returns the payment's id. */
export async function pay(db: TestDatabase, booking: Booking): Promise<string> {
  const { rows } = await as(db, booking.giver)('select public.prepare_payment($1) as due', [booking.id])
  const { payment_id, total_cents } = rows[0].due
  const intent = `pi_${payment_id}`
  await asService(db)('select public.attach_payment_intent($1, $2)', [payment_id, intent])
  await report(db, 'payment_intent.succeeded', paidIntent(payment_id, intent, total_cents))
  return payment_id
}

/** A PaymentIntent as Stripe shows it once it succeeded. */
export function paidIntent(paymentId: string, intent: string, cents: number) {
  return {
    id: intent,
    object: 'payment_intent',
    amount: cents,
    amount_received: cents,
    currency: 'cad',
    latest_charge: `ch_${paymentId}`,
    metadata: { payment_id: paymentId },
  }
}

/**
 * Stripe sends an event about `object`, `created` in seconds, again where the connection ends. Returns what
 * record_stripe_event answered.
 */
export async function report(
  db: TestDatabase,
  type: string,
  object: object,
  id = `evt_${randomUUID()}`,
  created = Math.floor(Date.now() / 1000),
) {
  const event = JSON.stringify({ id, type, created, data: { object } })
  const send = () => asService(db)('select public.record_stripe_event($1) as answer', [event])
  const again = (error: Error): ReturnType<typeof send> => {
    if (!isUnavailable(error)) throw error
    return send().catch(again)
  }
  const { rows } = await send().catch(again)
  return rows[0].answer as { status: string; payment_id: string | null; note: string | null }
}

/** The same about an object of a connected account. Returns what record_stripe_event answered. */
export async function reportOf(db: TestDatabase, account: string, type: string, object: object) {
  const event = { id: `evt_${randomUUID()}`, type, account, created: Math.floor(Date.now() / 1000) }
  const { rows } = await asService(db)('select public.record_stripe_event($1) as answer', [
    JSON.stringify({ ...event, data: { object } }),
  ])
  return rows[0].answer as { status: string; note: string | null }
}

/** The giver confirms, by the row update that the app sends. Returns the rows changed. */
export async function release(db: TestDatabase, booking: Booking, person = booking.giver): Promise<number> {
  const { rowCount } = await as(db, person)(
    `update public.payments set escrow_status = 'released', released_at = now() where booking_id = $1 and task_id = $2`,
    [booking.id, booking.taskId],
  )
  return rowCount ?? 0
}

/** Cancels as that person; the answer of the function. */
export async function cancel(db: TestDatabase, booking: Booking, person: string, reason = 'Plans changed') {
  const { rows } = await as(db, person)('select public.cancel_booking($1, $2) as answer', [
    booking.id,
    reason,
  ])
  return rows[0].answer as {
    message: string
    fee_cents: number
    refund_cents: number
    listing: string | null
  }
}

/** A booking at the given state of its life, with everything that leads there. */
export async function bookingAt(
  db: TestDatabase,
  state: 'pending' | 'accepted' | 'rejected' | 'cancelled' | 'in_progress' | 'completed' | 'released',
  options: TaskOptions & { tasker?: string } = {},
): Promise<Booking> {
  const booking = await apply(db, await postTask(db, options), options.tasker)
  if (state === 'pending') return booking
  if (state === 'rejected' || state === 'cancelled') {
    await move(db, booking, state === 'rejected' ? booking.giver : booking.tasker, state)
    return booking
  }
  await move(db, booking, booking.giver, 'accepted')
  if (state === 'accepted') return booking
  await pay(db, booking)
  if (state === 'in_progress') return booking
  await move(db, booking, booking.tasker, 'completed')
  if (state === 'released') await release(db, booking)
  return booking
}

/** A payment with its amounts as numbers of cents. */
export async function paymentOf(db: TestDatabase, booking: Booking) {
  const { rows } = await owner(db)('select * from public.payments where booking_id = $1', [booking.id])
  return rows[0]
}

/** Balance of each account of a payment, in cents; accounts at zero are left out. */
export async function balances(db: TestDatabase, booking: Booking): Promise<Record<string, number>> {
  const { rows } = await owner(db)(
    `select account, (sum(e.amount) * 100)::int as cents from public.ledger_entries e
     join public.payments p on p.id = e.payment_id where p.booking_id = $1
     group by account having sum(e.amount) <> 0 order by account`,
    [booking.id],
  )
  return Object.fromEntries(rows.map((row) => [row.account, row.cents]))
}

/** Effects waiting in the queue: the functions they call, oldest first. */
export async function queued(db: TestDatabase, paymentId: string): Promise<string[]> {
  const { rows } = await owner(db)(
    `select message ->> 'function' as name from pgmq.q_effects
     where message -> 'body' ->> 'payment_id' = $1 order by msg_id`,
    [paymentId],
  )
  return rows.map((row) => row.name)
}

/** The message of the error that `act` ends in; fails when it succeeds. */
export async function refusal(act: Promise<unknown>): Promise<string> {
  try {
    await act
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was allowed')
}

/** An account that may receive payouts, for Theo or `tasker`; does nothing when there is one. */
export async function openPayoutAccount(db: TestDatabase, tasker: string = cast.theo): Promise<string> {
  const account = `acct_${tasker.replaceAll('-', '')}`
  await owner(db)(
    `insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type)
     values ($1, $2, '6789', 'active', 'custom') on conflict (user_id) do update set account_status = 'active'`,
    [tasker, account],
  )
  return account
}

/** Sends what is due for this booking's payment, as the two functions do, each asked twice. */
export async function settleWithProvider(db: TestDatabase, booking: Booking): Promise<void> {
  await openPayoutAccount(db, booking.tasker)
  const { id } = await paymentOf(db, booking)
  for (const kind of ['payout', 'refund']) {
    for (let time = 0; time < 2; time++) {
      const { rows } = await asService(db)(`select public.begin_${kind}($1) as order`, [id])
      if (rows[0].order.action !== 'send') continue
      const object = `${kind === 'payout' ? 'tr' : 're'}_${id}`
      await asService(db)(`select public.finish_${kind}($1, $2)`, [id, object])
    }
  }
}

/** Inserts a row as that person; null when it was accepted, the message of the refusal otherwise. */
export async function tryInsert(
  db: TestDatabase,
  person: string,
  table: string,
  row: Record<string, unknown>,
): Promise<string | null> {
  const names = Object.keys(row)
  const values = names.map((_, n) => `$${n + 1}`)
  const insert = `insert into public.${table} (${names.join(', ')}) values (${values.join(', ')})`
  return as(db, person)(insert, Object.values(row)).then(
    () => null,
    (error: Error) => error.message,
  )
}

/** Theo (or `tasker`) hands in a verification, without a picture of an ID. */
export async function handIn(db: TestDatabase, tasker: string = cast.theo): Promise<void> {
  await as(db, tasker)(
    `insert into public.verifications (user_id, terms_accepted, privacy_accepted, legal_name, date_of_birth, id_type)
     values ($1, true, true, 'Theodore Tasker', '1990-01-01', 'passport')`,
    [tasker],
  )
}

/** Theo (or `tasker`) puts up a picture of an ID, as the storage service enters it. */
export async function handInDocument(db: TestDatabase, tasker: string = cast.theo): Promise<void> {
  await as(db, tasker)(`insert into storage.objects (bucket_id, name) values ('identity-documents', $1)`, [
    `${tasker}/${randomUUID()}.png`,
  ])
}

/** Find Taskers lists Theo (or `tasker`), so that strangers see him. */
export async function list(db: TestDatabase, tasker: string = cast.theo): Promise<void> {
  await owner(db)('update private.profiles set id_verified = true where id = $1', [tasker])
}

/** Theo (or `tasker`) hands in a verification with a picture, and Ada approves it. */
export async function approve(db: TestDatabase, tasker: string = cast.theo): Promise<void> {
  await handIn(db, tasker)
  await handInDocument(db, tasker)
  await as(db, 'ada')(
    `update public.verifications set verification_status = 'verified', id_verified = true where user_id = $1`,
    [tasker],
  )
}
