// Changes of the price in random lives: the acts, and what each does to a booking by the calls of the app.
import type { TestDatabase } from '../support/database.ts'
import { answer, propose, setLimit, startPaying, tip, withdraw } from './changes.ts'
import { type Booking, paidIntent, report } from './lives.ts'
import { asService, owner } from './personas.ts'
import type { Provider } from './provider.ts'

export const changeActs = [
  'propose increase',
  'propose decrease',
  'add expense',
  'answer change',
  'pay change',
  'withdraw change',
  'set limit',
  'tip',
  'age changes',
] as const
export type ChangeAct = (typeof changeActs)[number]

/** The next step of a booking's changes while its money is held; null for none. */
export async function nextChange(db: TestDatabase, { id }: Booking, n: number): Promise<ChangeAct | null> {
  const { rows } = await owner(db)(
    `select state, expense_limit from public.bookings b left join public.booking_changes c
       on c.booking_id = b.id and c.state in ('proposed', 'accepted') where b.id = $1 order by c.created_at limit 1`,
    [id],
  )
  if (rows[0].state) return rows[0].state === 'proposed' ? 'answer change' : 'pay change'
  if (n % 4 === 0) return 'propose increase'
  if (n % 4 === 1) return rows[0].expense_limit ? 'add expense' : 'set limit'
  return n % 4 === 2 && n > 10 ? 'propose decrease' : null
}

/** All payments of a booking, the main one first. */
export async function paymentsOf(db: TestDatabase, { id }: Booking) {
  const { rows } = await owner(db)(
    `select p.* from public.payments p
     where p.booking_id = $1 or p.part_of = (select id from public.payments where booking_id = $1) order by p.created_at, p.id`,
    [id],
  )
  return rows
}

export async function changePrice(
  db: TestDatabase,
  provider: Provider,
  booking: Booking,
  act: ChangeAct,
  n: number,
): Promise<void> {
  const side = n % 2 ? booking.giver : booking.tasker
  if (act === 'set limit') await setLimit(db, booking, 20 + n)
  if (act === 'propose increase') await propose(db, booking, 'increase', 5.15 + n)
  if (act === 'propose decrease') await propose(db, booking, 'decrease', 1.35 + n / 10, { person: side })
  if (act === 'add expense') await propose(db, booking, 'expense', 3.05 + (n % 12))
  if (act === 'tip') await pay(db, provider, booking, await tip(db, booking, 2.37 + (n % 9)), n)
  if (act === 'age changes')
    await owner(db)(
      `update public.booking_changes set answer_by = answer_by - interval '49 hours' where booking_id = $1`,
      [booking.id],
    )
  const { rows: open } = await owner(db)(
    `select * from public.booking_changes where booking_id = $1 and state in ('proposed', 'accepted') order by created_at`,
    [booking.id],
  )
  const change = open[n % Math.max(1, open.length)]
  if (!change) return
  const other = change.proposed_by === booking.tasker ? booking.giver : booking.tasker
  if (act === 'answer change') await answer(db, change.id, other, n % 6 ? change.amount : null)
  if (act === 'withdraw change') await withdraw(db, change.id, change.proposed_by)
  if (act === 'pay change') await pay(db, provider, booking, change.id, n)
}

/** The giver pays the change; the event comes once, twice, or before the intent is known to be the payment's. */
async function pay(db: TestDatabase, provider: Provider, booking: Booking, change: string, n: number) {
  const { id, cents, intent } = await startPaying(db, booking, change)
  if (n % 5 === 1) return // the dialog is left open
  if (n % 5 === 2) {
    if (provider.close(intent))
      await asService(db)('select public.record_payment_intent($1, $2)', [
        id,
        JSON.stringify({ id: intent, status: 'canceled' }),
      ])
    return
  }
  if (!provider.charge(intent, id, cents)) return
  const paid = paidIntent(id, intent, cents)
  await Promise.all(
    Array.from({ length: 1 + (n % 3) }, (_, at) =>
      report(db, 'payment_intent.succeeded', paid, `evt_${intent}_${at % 2}`),
    ),
  )
}
