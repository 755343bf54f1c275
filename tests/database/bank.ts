// Acts of the card holder's bank on a payment, as Stripe's events report them, and an admin's decisions after them.
import type { TestDatabase } from '../support/database.ts'
import { type Booking, bookingAt, paymentOf, report, tryInsert } from './lives.ts'
import { as, type cast, owner } from './personas.ts'

export const frozen = 'The payment is frozen until the bank has decided on a chargeback'
export const undecided =
  'A part of the payment was taken back: it is frozen until an administrator has decided'

type Which = { nth?: number; cents?: number }

/** A dispute about the charge of a payment, as Stripe's events show it; cents of the dispute. */
export const dispute = (payment: string, status: string, { nth = 1, cents = 12_000 }: Which = {}) => ({
  id: `du_${nth}_${payment}`,
  object: 'dispute',
  amount: cents,
  currency: 'cad',
  charge: `ch_${payment}`,
  payment_intent: `pi_${payment}`,
  reason: 'product_not_received',
  status,
  evidence_details: { due_by: 1_800_000_000 },
})

let seconds = 1_700_000_000

/** The bank and the admin of a database; each of the bank's words comes a second after the one before. */
export function bankOf(db: TestDatabase) {
  const tell = async (payment: string, steps: string[], status: string, which: Which = {}) => {
    for (const step of steps)
      await report(db, `charge.dispute.${step}`, dispute(payment, status, which), undefined, ++seconds)
  }
  return {
    tell,
    open: (payment: string, which?: Which) =>
      tell(payment, ['created', 'funds_withdrawn'], 'needs_response', which),
    win: (payment: string, which?: Which) => tell(payment, ['closed', 'funds_reinstated'], 'won', which),
    lose: (payment: string, which?: Which) => tell(payment, ['closed'], 'lost', which),
    async paidBooking(state: 'in_progress' | 'completed' | 'released') {
      const booking = await bookingAt(db, state, { amount: 100 })
      return { booking, id: (await paymentOf(db, booking)).id as string }
    },
    /** A complaint that Theo has answered. */
    async complained(amount: number): Promise<{ booking: Booking; complaint: string }> {
      const booking = await bookingAt(db, 'completed', { amount })
      await tryInsert(db, 'grace', 'complaints', {
        booking_id: booking.id,
        reason: 'Half of the drive is still white.',
      })
      const { rows } = await as(db, 'theo')(
        `update public.complaints set answer = 'It snowed again at noon.' where booking_id = $1 returning id`,
        [booking.id],
      )
      return { booking, complaint: rows[0].id }
    },
    decide: (complaint: string, decision: string, returned: number | null = null) =>
      as(db, 'ada')('select public.decide_complaint($1, $2, $3)', [complaint, decision, returned]),
    decideLoss: (payment: string, decision: string, returned: number | null = null) =>
      as(db, 'ada')('select public.decide_loss($1, $2, $3) as sent', [payment, decision, returned]).then(
        ({ rows }) => rows[0].sent,
      ),
    /** The keys of a person's notifications, the latest last. */
    keysOf: async (person: keyof typeof cast) =>
      (await as(db, person)('select key from public.notifications order by created_at')).rows.map(
        (row) => row.key as string,
      ),
    stateOf: async (booking: Booking) =>
      (
        await owner(db)(
          `select b.status, t.status as task from public.bookings b join public.tasks t on t.id = b.task_id
           where b.id = $1`,
          [booking.id],
        )
      ).rows[0],
  }
}
