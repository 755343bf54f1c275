// Chargebacks: the card holder's bank takes the money back, and keeps it or returns it, whatever order it is told in.
import { describe, expect, it } from 'vitest'
import {
  type Booking,
  balances,
  bookingAt,
  cancel,
  paidIntent,
  paymentOf,
  refusal,
  release,
  report,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { brokenRules } from './rules.ts'

const db = databaseWithCast()

/** A complaint that Theo has answered. */
async function complained(amount: number): Promise<{ booking: Booking; complaint: string }> {
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
}

const decide = (complaint: string, decision: string, returned: number | null = null) =>
  as(db, 'ada')('select public.decide_complaint($1, $2, $3)', [complaint, decision, returned])

const keysOf = async (person: keyof typeof cast) =>
  (await as(db, person)('select key from public.notifications order by created_at')).rows.map(
    (row) => row.key,
  )

describe('a chargeback', () => {
  const dispute = (id: string, status: string) => ({
    id: `dp_${id}`,
    object: 'dispute',
    amount: 12_000,
    currency: 'cad',
    charge: `ch_${id}`,
    payment_intent: `pi_${id}`,
    status,
    evidence_details: { due_by: 1_800_000_000 },
  })
  const orders = [
    ['created', 'funds_withdrawn', 'closed'],
    ['closed', 'created', 'funds_withdrawn'],
    ['funds_withdrawn', 'closed', 'created'],
  ]

  it.each(orders)('that is lost takes the held money, heard of as %s, %s, %s', async (...order) => {
    const booking = await bookingAt(db, 'completed', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    for (const step of [...order, ...order]) await report(db, `charge.dispute.${step}`, dispute(id, 'lost'))
    expect(await balances(db, booking)).toEqual({})
    expect(await paymentOf(db, booking)).toMatchObject({
      escrow_status: 'refunded',
      refunded_amount: '120.00',
      payout_status: 'none',
      dispute_status: 'lost',
    })
  })

  it('that is won gives everything back, and the money is held again', async () => {
    const booking = await bookingAt(db, 'completed', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    await report(db, 'charge.dispute.created', dispute(id, 'needs_response'))
    await report(db, 'charge.dispute.funds_withdrawn', dispute(id, 'needs_response'))
    const frozen = 'The payment is frozen until the bank has decided on a chargeback'
    expect(await refusal(release(db, booking))).toBe(frozen)
    expect(await keysOf('theo')).toContain('chargeback_opened')
    expect(await paymentOf(db, booking)).toMatchObject({
      dispute_id: `dp_${id}`,
      dispute_due_at: new Date(1_800_000_000_000),
    })
    await report(db, 'charge.dispute.funds_reinstated', dispute(id, 'won'))
    await report(db, 'charge.dispute.closed', dispute(id, 'won'))
    expect(await balances(db, booking)).toEqual({ provider: 12_000, escrow: -12_000 })
    expect(await release(db, booking)).toBe(1)
    expect(await keysOf('theo')).toContain('chargeback_won')
  })

  it('that is lost before the work was done ends the booking and the task', async () => {
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    await report(db, 'charge.dispute.created', dispute(id, 'needs_response'))
    await report(db, 'charge.dispute.funds_withdrawn', dispute(id, 'needs_response'))
    expect(await refusal(cancel(db, booking, cast.grace))).toBe(
      'The payment is frozen until the bank has decided on a chargeback',
    )
    await report(db, 'charge.dispute.closed', dispute(id, 'lost'))
    const { rows } = await owner(db)(
      'select b.status, t.status as task from public.bookings b join public.tasks t on t.id = b.task_id where b.id = $1',
      [booking.id],
    )
    expect(rows[0]).toEqual({ status: 'cancelled', task: 'cancelled' })
    expect(await balances(db, booking)).toEqual({})
    for (const person of ['grace', 'theo'] as const) expect(await keysOf(person)).toContain('chargeback_lost')
    expect(await brokenRules(db)).toEqual([])
  })

  it('and a complaint about one payment: the bank first, then the admin, or the bank alone', async () => {
    for (const outcome of ['won', 'lost']) {
      const { booking, complaint } = await complained(100)
      const { id } = await paymentOf(db, booking)
      await report(db, 'charge.dispute.funds_withdrawn', dispute(id, 'needs_response'))
      expect(await refusal(decide(complaint, 'release'))).toMatch(/until the bank has decided/)
      if (outcome === 'won') await report(db, 'charge.dispute.funds_reinstated', dispute(id, outcome))
      await report(db, 'charge.dispute.closed', dispute(id, outcome))
      const { rows } = await owner(db)('select decision from public.complaints where id = $1', [complaint])
      expect(rows[0].decision).toBe(outcome === 'won' ? null : 'refund')
      if (outcome === 'won') await decide(complaint, 'split', 40)
      else expect(await refusal(decide(complaint, 'release'))).toBe('This complaint is already decided')
    }
    expect(await brokenRules(db)).toEqual([])
  })

  it('that is heard of before the charge freezes or ends what the charge begins', async () => {
    for (const [status, escrow, stage] of [
      ['needs_response', 'frozen', 'in_progress'],
      ['lost', 'refunded', 'cancelled'],
      ['won', 'held', 'in_progress'],
    ] as const) {
      const booking = await bookingAt(db, 'accepted', { amount: 100 })
      const { rows } = await as(db, 'grace')('select public.prepare_payment($1) as due', [booking.id])
      const { payment_id: id } = rows[0].due
      await asService(db)('select public.attach_payment_intent($1, $2)', [id, `pi_${id}`])
      if (status !== 'needs_response') await report(db, 'charge.dispute.closed', dispute(id, status))
      await report(db, 'charge.dispute.funds_withdrawn', dispute(id, status))
      if (status === 'won') await report(db, 'charge.dispute.funds_reinstated', dispute(id, status))
      await report(db, 'payment_intent.succeeded', paidIntent(id, `pi_${id}`, 12_000))
      const { rows: after } = await owner(db)('select status from public.bookings where id = $1', [
        booking.id,
      ])
      expect([status, (await paymentOf(db, booking)).escrow_status, after[0].status]).toEqual([
        status,
        escrow,
        stage,
      ])
    }
    expect(await brokenRules(db)).toEqual([])
  })

  it('of a part that is lost is the platform’s loss, and the money is held again', async () => {
    const booking = await bookingAt(db, 'completed', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    const part = { ...dispute(id, 'lost'), amount: 5000 }
    for (const step of ['created', 'funds_withdrawn', 'closed'])
      await report(db, `charge.dispute.${step}`, part)
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held', dispute_status: 'lost' })
    expect(await balances(db, booking)).toEqual({ provider: 7000, escrow: -12_000, disputes: 5000 })
  })

  it('after the payout is the platform’s loss', async () => {
    const booking = await bookingAt(db, 'released', { amount: 100 })
    await settleWithProvider(db, booking)
    const { id } = await paymentOf(db, booking)
    await report(db, 'charge.dispute.funds_withdrawn', dispute(id, 'lost'))
    await report(db, 'charge.dispute.closed', dispute(id, 'lost'))
    const { disputes, ...others } = await balances(db, booking)
    expect(disputes).toBe(12_000)
    expect(Object.values(others).reduce((a, b) => a + b, 0)).toBe(-12_000)
  })
})
