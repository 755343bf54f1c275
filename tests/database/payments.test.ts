// Paying, releasing and being paid: who may, once, in any order of what the payment provider says, also at once.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  apply,
  type Booking,
  balances,
  bookingAt,
  cancel,
  move,
  paidIntent,
  pay,
  paymentOf,
  postTask,
  queued,
  refusal,
  release,
  report,
  settleWithProvider,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast()
let booking: Booking

const prepare = (person: string, id = booking.id) =>
  as(db, person)('select public.prepare_payment($1) as due', [id])

describe('preparing a payment', () => {
  beforeEach(async () => {
    booking = await bookingAt(db, 'accepted', { amount: 100 })
  })

  it('gives the giver the amounts of the database, the same each time', async () => {
    const { due } = (await prepare('grace')).rows[0]
    expect(due).toMatchObject({
      amount_cents: 10_000,
      total_cents: 12_000,
      currency: 'CAD',
      payment_intent_id: null,
      payee_id: cast.theo,
    })
    await asService(db)(`select public.attach_payment_intent($1, 'pi_first')`, [due.payment_id])
    expect((await prepare('grace')).rows[0].due).toEqual({ ...due, payment_intent_id: 'pi_first' })
    expect(
      await refusal(asService(db)(`select public.attach_payment_intent($1, 'pi_other')`, [due.payment_id])),
    ).toBe('This payment has another payment intent')
    await owner(db)(`update public.payments set stripe_payment_intent_id = null where id = $1`, [
      due.payment_id,
    ])
  })

  it('is for the giver of an accepted booking alone', async () => {
    expect(await refusal(prepare('theo'))).toBe('Only the task giver can pay for a booking')
    expect(await refusal(prepare('sam'))).toBe('Booking not found')
    expect(await refusal(prepare('ada'))).toBe('Booking not found')
    await expect(prepare('anonymous')).rejects.toThrow(/permission denied/)
    const waiting = await bookingAt(db, 'pending')
    expect(await refusal(prepare('grace', waiting.id))).toBe('Only an accepted booking can be paid')
  })

  it('makes one payment for parallel tries', async () => {
    const tries = await Promise.all([prepare('grace'), prepare('grace'), prepare('grace')])
    expect(new Set(tries.map((t) => t.rows[0].due.payment_id)).size).toBe(1)
  })

  it('ignores values of clients for protected columns', async () => {
    await prepare('grace')
    for (const change of [
      `escrow_status = 'held'`,
      `escrow_status = 'released'`,
      `escrow_status = 'refunded'`,
      `escrow_status = 'frozen'`,
    ]) {
      await expect(
        as(db, 'grace')(`update public.payments set ${change} where booking_id = $1`, [booking.id]),
      ).rejects.toThrow(/The payment is not held yet|A payment can only be released/)
    }
    for (const column of [
      'amount = 1',
      'payout_amount = 1000',
      `payee_id = '${cast.grace}'`,
      `held_at = now()`,
    ]) {
      await expect(
        as(db, 'grace')(`update public.payments set ${column} where booking_id = $1`, [booking.id]),
      ).rejects.toThrow(/permission denied/)
    }
    for (const person of ['theo', 'sam', 'ada']) {
      const { rowCount } = await as(db, person)(
        `update public.payments set escrow_status = 'released' where booking_id = $1`,
        [booking.id],
      )
      expect(`${person} ${rowCount}`).toBe(`${person} 0`)
    }
  })
})

describe('reports of the provider', () => {
  beforeEach(async () => {
    booking = await bookingAt(db, 'accepted', { amount: 80 })
  })

  it('holds the money once, however often and in whatever order it comes', async () => {
    const { due } = (await prepare('grace')).rows[0]
    const intent = paidIntent(due.payment_id, `pi_${due.payment_id}`, due.total_cents)
    // Before the request's own answer: nothing is attached yet.
    const event = `evt_${due.payment_id}`
    expect(await report(db, 'payment_intent.succeeded', intent, event)).toMatchObject({
      status: 'applied',
      note: null,
    })
    expect(await report(db, 'payment_intent.succeeded', intent, event)).toEqual({ status: 'duplicate' })
    expect(await report(db, 'payment_intent.succeeded', intent)).toMatchObject({
      status: 'applied',
      note: null,
    })
    await report(db, 'payment_intent.payment_failed', {
      ...intent,
      last_payment_error: { message: 'Declined' },
    })
    await asService(db)('select public.attach_payment_intent($1, $2)', [due.payment_id, intent.id])
    expect(await paymentOf(db, booking)).toMatchObject({
      escrow_status: 'held',
      stripe_charge_id: intent.latest_charge,
    })
    expect(await balances(db, booking)).toEqual({ escrow: -9600, provider: 9600 })
    expect(await statusOf(booking)).toBe('in_progress')
  })

  it('takes parallel deliveries of one event once', async () => {
    const { due } = (await prepare('grace')).rows[0]
    const intent = paidIntent(due.payment_id, `pi_${due.payment_id}`, due.total_cents)
    const answers = await Promise.all(
      [1, 1, 2, 3].map((n) => report(db, 'payment_intent.succeeded', intent, `evt_${n}_${due.payment_id}`)),
    )
    expect(answers.filter((answer) => answer.status === 'duplicate')).toHaveLength(1)
    expect(await balances(db, booking)).toEqual({ escrow: -9600, provider: 9600 })
  })

  it('does not hold another amount, currency or intent', async () => {
    const { due } = (await prepare('grace')).rows[0]
    const intent = paidIntent(due.payment_id, `pi_${due.payment_id}`, due.total_cents)
    for (const wrong of [
      { amount_received: 1 },
      { currency: 'usd' },
      { amount_received: undefined, amount: undefined },
      { currency: undefined },
    ]) {
      expect((await report(db, 'payment_intent.succeeded', { ...intent, ...wrong })).note).toMatch(
        /amount charged/,
      )
    }
    await asService(db)('select public.attach_payment_intent($1, $2)', [due.payment_id, intent.id])
    expect((await report(db, 'payment_intent.succeeded', { ...intent, id: 'pi_else' })).note).toMatch(
      /another payment/,
    )
    expect(await statusOf(booking)).toBe('accepted')
    expect(await balances(db, booking)).toEqual({})
  })

  it('remembers a declined card until the next one works, for its owner and admins alone', async () => {
    const { due } = (await prepare('grace')).rows[0]
    const intent = paidIntent(due.payment_id, `pi_${due.payment_id}`, due.total_cents)
    await report(db, 'payment_intent.payment_failed', {
      ...intent,
      last_payment_error: { message: 'Your card was declined.' },
    })
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'pending' })
    const why = async (person: Persona) => {
      // Everything that this person can read of the payment, wherever it stands.
      const { rows } = await as(db, person)(
        `select f.message, to_jsonb(p) as payment from public.payments p
         left join public.payment_failures f on f.payment_id = p.id where p.id = $1`,
        [due.payment_id],
      )
      return JSON.stringify(rows).match(/Your card was declined\.|Please try/g) ?? []
    }
    for (const person of ['grace', 'ada'] as const)
      expect(await why(person)).toEqual(['Your card was declined.'])
    for (const person of ['theo', 'sam'] as const) expect(await why(person)).toEqual([])
    await report(db, 'payment_intent.succeeded', intent)
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held' })
    expect(await why('grace')).toEqual([])
  })

  it('refunds at once what was charged for a booking that was cancelled meanwhile', async () => {
    const { due } = (await prepare('grace')).rows[0]
    await cancel(db, booking, cast.theo)
    await report(db, 'payment_intent.succeeded', paidIntent(due.payment_id, 'pi_late', due.total_cents))
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'refunded', refund_amount: '96.00' })
    expect(await queued(db, due.payment_id)).toEqual(['refund-payment'])
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({})
  })

  it('ends right when the giver cancels and the charge succeeds at the same moment', async () => {
    for (let round = 0; round < 8; round++) {
      const racing = await bookingAt(db, 'accepted', { amount: 60 })
      const { due } = (await prepare('grace', racing.id)).rows[0]
      await Promise.allSettled([
        cancel(db, racing, cast.grace),
        report(
          db,
          'payment_intent.succeeded',
          paidIntent(due.payment_id, `pi_${due.payment_id}`, due.total_cents),
        ),
        move(db, racing, cast.theo, 'cancelled'),
      ])
      const payment = await paymentOf(db, racing)
      const state = await statusOf(racing)
      expect(['in_progress held', 'cancelled refunded']).toContain(`${state} ${payment.escrow_status}`)
      await settleWithProvider(db, racing)
      const sum = Object.values(await balances(db, racing)).reduce((a, b) => a + b, 0)
      expect(sum).toBe(0)
    }
  })

  it('answers strange events without harm', async () => {
    expect(await report(db, 'customer.created', { id: 'cus_1', object: 'customer' })).toMatchObject({
      note: null,
    })
    expect((await report(db, 'payment_intent.succeeded', paidIntent('nobody', 'pi_nobody', 100))).note).toBe(
      'no payment of ours',
    )
    for (const event of ['{}', '[]', '"x"', 'null', '{"id": "evt_x", "type": "a"}']) {
      expect(await refusal(asService(db)('select public.record_stripe_event($1)', [event]))).toBe(
        'A Stripe event has an id, a type and data.object',
      )
    }
    await expect(as(db, 'ada')(`select public.record_stripe_event('{}')`)).rejects.toThrow(
      /permission denied/,
    )
  })
})

describe('releasing', () => {
  it('happens once, after completion, by the giver, also at the same moment', async () => {
    booking = await bookingAt(db, 'in_progress')
    expect(await refusal(release(db, booking))).toBe(
      'The payment can be released once the tasker has marked the task complete',
    )
    await move(db, booking, cast.theo, 'completed')
    expect(await release(db, booking, cast.theo)).toBe(0)
    await Promise.all([release(db, booking), release(db, booking), release(db, booking)])
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'released' })
    const { rows } = await owner(db)(
      `select count(*)::int as n from public.ledger_entries e join public.payments p on p.id = e.payment_id
       where p.booking_id = $1 and kind = 'release' and account = 'tasker'`,
      [booking.id],
    )
    expect(rows[0].n).toBe(1)
  })

  it('sets its own time', async () => {
    booking = await bookingAt(db, 'completed')
    await as(db, 'grace')(
      `update public.payments set escrow_status = 'released', released_at = '2001-01-01' where booking_id = $1`,
      [booking.id],
    )
    expect((await paymentOf(db, booking)).released_at.getFullYear()).toBeGreaterThan(2020)
  })
})

describe('the ledger', () => {
  it('takes nothing back, nothing twice and nothing lopsided', async () => {
    booking = await bookingAt(db, 'in_progress')
    const { id } = await paymentOf(db, booking)
    for (const change of [
      'update public.ledger_entries set amount = 1',
      'delete from public.ledger_entries',
      'truncate public.ledger_entries',
    ]) {
      expect(await refusal(owner(db)(change))).toBe('The ledger is append-only')
    }
    const post = (movement: object, reference = 'x') =>
      owner(db)(`select private.post_ledger($1, 'test', $2, $3)`, [id, reference, JSON.stringify(movement)])
    expect(await refusal(post({ escrow: 1, provider: -2 }))).toMatch(/does not sum to zero/)
    await post({ escrow: 1, provider: -1 })
    expect(await refusal(post({ escrow: 1, provider: -1 }))).toMatch(/duplicate key/)
    for (const person of ['grace', 'theo', 'sam', 'ada']) {
      await expect(
        as(db, person)(
          `insert into public.ledger_entries (transaction_id, payment_id, kind, account, amount)
          values (gen_random_uuid(), $1, 'x', 'tasker', 1)`,
          [id],
        ),
      ).rejects.toThrow(/permission denied/)
    }
    expect((await as(db, 'grace')('select from public.ledger_entries')).rowCount).toBe(0)
    expect((await as(db, 'ada')('select from public.ledger_entries')).rowCount).toBeGreaterThan(0)
  })
})

describe('paying twice', () => {
  it('is refused once the money is held', async () => {
    booking = await apply(db, await postTask(db))
    await move(db, booking, cast.grace, 'accepted')
    await pay(db, booking)
    expect(await refusal(prepare('grace'))).toBe('This booking is already paid')
  })
})

async function statusOf(one: Booking): Promise<string> {
  return (await owner(db)('select status from public.bookings where id = $1', [one.id])).rows[0].status
}
