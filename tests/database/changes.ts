// Changes of a price after the agreement for the tests, made, answered and paid by the calls of the app.
import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../support/database.ts'
import { type Booking, paidIntent, report } from './lives.ts'
import { as, asService, owner } from './personas.ts'

export type Kind = 'increase' | 'decrease' | 'expense' | 'tip'

/** The tasker (or `person`) proposes; an expense comes with a photo of its receipt. Returns the id of the change. */
export async function propose(
  db: TestDatabase,
  booking: Booking,
  kind: Kind,
  amount: number | string | null,
  {
    person = booking.tasker,
    reason = 'Two more rooms.' as string | null,
    photos = undefined as string[] | undefined,
  } = {},
): Promise<string> {
  const shown = photos ?? (kind === 'expense' ? [await receiptPhoto(db, booking)] : [])
  const { rows } = await as(db, person)('select public.propose_change($1, $2, $3, $4, $5) as id', [
    booking.id,
    kind,
    amount,
    reason,
    shown,
  ])
  return rows[0].id
}

/** A photo that the tasker (or `person`) has uploaded for the booking. Returns its name. */
export async function receiptPhoto(db: TestDatabase, booking: Booking, person = booking.tasker) {
  const name = `${booking.id}/${randomUUID()}.jpg`
  await as(db, person)(
    `insert into storage.objects (bucket_id, name, owner_id) values ('booking-photos', $1, $2)`,
    [name, person],
  )
  return name
}

/** The other side accepts at that amount, or declines without one. */
export async function answer(db: TestDatabase, change: string, person: string, amount: number | null = null) {
  const { rows } = await as(db, person)('select public.answer_change($1, $2, $3) as state', [
    change,
    amount !== null,
    amount,
  ])
  return rows[0].state as string
}

export const withdraw = (db: TestDatabase, change: string, person: string) =>
  as(db, person)('select public.withdraw_change($1)', [change])

export const setLimit = (db: TestDatabase, booking: Booking, amount: number | null, person = booking.giver) =>
  as(db, person)('select public.set_expense_limit($1, $2)', [booking.id, amount])

export async function tip(db: TestDatabase, booking: Booking, amount: number, person = booking.giver) {
  const { rows } = await as(db, person)('select public.give_tip($1, $2) as id', [booking.id, amount])
  return rows[0].id as string
}

/** The giver prepares the payment of an accepted change and attaches its intent. */
export async function startPaying(db: TestDatabase, booking: Booking, change: string) {
  const { rows } = await as(db, booking.giver)('select public.prepare_change_payment($1) as due', [change])
  const { payment_id: id, total_cents: cents, idempotency_key } = rows[0].due
  const intent = `pi_${idempotency_key}`
  await asService(db)('select public.attach_payment_intent($1, $2)', [id, intent])
  return { id, cents, intent } as { id: string; cents: number; intent: string }
}

/** Stripe reports the charge of an extra payment. */
export const chargeExtra = (
  db: TestDatabase,
  { id, cents, intent }: Awaited<ReturnType<typeof startPaying>>,
) => report(db, 'payment_intent.succeeded', paidIntent(id, intent, cents))

/** Accepts the change as the other side, and pays it where it is to be paid. Returns the id of the extra payment. */
export async function agree(db: TestDatabase, booking: Booking, change: string, amount: number) {
  const { proposed_by } = await changeOf(db, change)
  await answer(db, change, proposed_by === booking.tasker ? booking.giver : booking.tasker, amount)
  const paid = await startPaying(db, booking, change)
  await chargeExtra(db, paid)
  return paid.id
}

/** Proposes and agrees at once. Returns the id of the extra payment. */
export const extra = async (
  db: TestDatabase,
  booking: Booking,
  kind: 'increase' | 'expense',
  amount: number,
) => agree(db, booking, await propose(db, booking, kind, amount), amount)

export async function changeOf(db: TestDatabase, change: string) {
  const { rows } = await owner(db)(
    'select *, amount::float as dollars from public.booking_changes where id = $1',
    [change],
  )
  return rows[0]
}

export async function paymentById(db: TestDatabase, id: string) {
  return (await owner(db)('select * from public.payments where id = $1', [id])).rows[0]
}

/** Balance of each account over all payments of a booking, in cents; accounts at zero are left out. */
export async function allBalances(db: TestDatabase, { id }: Booking): Promise<Record<string, number>> {
  const { rows } = await owner(db)(
    `select account, (sum(e.amount) * 100)::int as cents from public.ledger_entries e
     join public.payments p on p.id = e.payment_id where private.booking_of_payment(p) = $1
     group by account having sum(e.amount) <> 0 order by account`,
    [id],
  )
  return Object.fromEntries(rows.map((row) => [row.account, row.cents]))
}

/** Sends what is due for the payment with that id, as the two functions do, each asked twice. */
export async function sendDue(db: TestDatabase, id: string): Promise<void> {
  for (const kind of ['payout', 'refund']) {
    for (let time = 0; time < 2; time++) {
      const { rows } = await asService(db)(`select public.begin_${kind}($1) as order`, [id])
      if (rows[0].order.action === 'send')
        await asService(db)(`select public.finish_${kind}($1, $2)`, [
          id,
          `${kind === 'payout' ? 'tr' : 're'}_${id}`,
        ])
    }
  }
}
