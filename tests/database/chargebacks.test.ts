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

/** A dispute about the charge of a payment, as Stripe's events show it. */
const dispute = (payment: string, status: string, { nth = 1, cents = 12_000 } = {}) => ({
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

/** The bank's words about one dispute, one second after the other. */
let seconds = 1_700_000_000
async function tell(
  payment: string,
  steps: string[],
  status: string,
  which: { nth?: number; cents?: number } = {},
) {
  for (const step of steps)
    await report(db, `charge.dispute.${step}`, dispute(payment, status, which), undefined, ++seconds)
}
const open = (payment: string, which: { nth?: number; cents?: number } = {}) =>
  tell(payment, ['created', 'funds_withdrawn'], 'needs_response', which)
const win = (payment: string, which: { nth?: number; cents?: number } = {}) =>
  tell(payment, ['closed', 'funds_reinstated'], 'won', which)
const lose = (payment: string, which: { nth?: number; cents?: number } = {}) =>
  tell(payment, ['closed'], 'lost', which)

async function paidBooking(state: 'in_progress' | 'completed' | 'released') {
  const booking = await bookingAt(db, state, { amount: 100 })
  return { booking, id: (await paymentOf(db, booking)).id as string }
}
const decideLoss = (payment: string, decision: string, returned: number | null = null) =>
  as(db, 'ada')('select public.decide_loss($1, $2, $3) as sent', [payment, decision, returned]).then(
    ({ rows }) => rows[0].sent,
  )
const stateOf = async (booking: Booking) =>
  (
    await owner(db)(
      `select b.status, t.status as task from public.bookings b join public.tasks t on t.id = b.task_id where b.id = $1`,
      [booking.id],
    )
  ).rows[0]

const frozen = 'The payment is frozen until the bank has decided on a chargeback'
const undecided = 'A part of the payment was taken back: it is frozen until an administrator has decided'

describe('a chargeback', () => {
  const orders = [
    ['created', 'funds_withdrawn', 'closed'],
    ['closed', 'created', 'funds_withdrawn'],
    ['funds_withdrawn', 'closed', 'created'],
  ]

  it.each(orders)('that is lost takes the held money, heard of as %s, %s, %s', async (...order) => {
    const { booking, id } = await paidBooking('completed')
    for (const step of [...order, ...order])
      await tell(id, [step], step === 'closed' ? 'lost' : 'needs_response')
    await lose(id)
    expect(await balances(db, booking)).toEqual({})
    expect(await paymentOf(db, booking)).toMatchObject({
      escrow_status: 'refunded',
      refunded_amount: '120.00',
      payout_status: 'none',
      lost_amount: '120.00',
      open_disputes: 0,
    })
  })

  it('that is won gives everything back, and the money is held again', async () => {
    const { booking, id } = await paidBooking('completed')
    await open(id)
    expect(await refusal(release(db, booking))).toBe(frozen)
    expect(await keysOf('theo')).toContain('chargeback_opened')
    const { rows } = await as(db, 'ada')('select * from public.disputes where payment_id = $1', [id])
    expect(rows).toMatchObject([
      {
        id: `du_1_${id}`,
        amount: '120.00',
        status: 'needs_response',
        reason: 'product_not_received',
        open: true,
      },
    ])
    expect(rows[0].due_at).toEqual(new Date(1_800_000_000_000))
    await tell(id, ['closed'], 'won')
    // Won, but the money is not back yet.
    expect(await refusal(release(db, booking))).toBe(frozen)
    await tell(id, ['funds_reinstated'], 'won')
    expect(await balances(db, booking)).toEqual({ provider: 12_000, escrow: -12_000 })
    expect(await release(db, booking)).toBe(1)
    expect(await keysOf('theo')).toContain('chargeback_won')
  })

  it('is one of several: while one is open the money is frozen, whatever became of the others', async () => {
    const { booking, id } = await paidBooking('completed')
    await open(id, { nth: 1, cents: 10_000 })
    await open(id, { nth: 2, cents: 2000 })
    await win(id, { nth: 2, cents: 2000 })
    expect(await refusal(release(db, booking))).toBe(frozen)
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', open_disputes: 1 })
    await lose(id, { nth: 1, cents: 10_000 })
    expect(await refusal(release(db, booking))).toBe(undecided)
    // The second is charged back again, under another name, and lost: now everything is gone.
    await open(id, { nth: 3, cents: 2000 })
    await lose(id, { nth: 3, cents: 2000 })
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'refunded', payout_status: 'none' })
    expect(await balances(db, booking)).toEqual({})
    const { rows } = await as(
      db,
      'ada',
    )(
      `select key, params ->> 'amount' as amount from public.notifications where params ->> 'task' is not null
       and key like 'chargeback\\_%' and created_at > now() - interval '1 minute' order by created_at desc limit 6`,
    )
    expect(rows.map(({ key, amount }) => `${key} ${Number(amount)}`)).toEqual([
      'chargeback_ended_lost 20',
      'chargeback_to_answer 20',
      'chargeback_ended_lost 100',
      'chargeback_ended_won 20',
      'chargeback_to_answer 20',
      'chargeback_to_answer 100',
    ])
    expect(await brokenRules(db)).toEqual([])
  })

  it('that was won and comes again freezes the money again, also under the same name', async () => {
    for (const nth of [1, 2]) {
      const { booking, id } = await paidBooking('completed')
      await open(id)
      await win(id)
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held' })
      const told = (await keysOf('ada')).filter((key) => key === 'chargeback_to_answer').length
      await tell(id, nth === 1 ? ['updated'] : ['created', 'funds_withdrawn'], 'needs_response', { nth })
      expect((await keysOf('ada')).filter((key) => key === 'chargeback_to_answer')).toHaveLength(told + 1)
      await owner(db)(`update public.bookings set completed_at = now() - interval '8 days' where id = $1`, [
        booking.id,
      ])
      await asService(db)('select public.keep_time()')
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', payout_status: 'none' })
      await lose(id, { nth })
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'refunded', payout_status: 'none' })
    }
    expect(await brokenRules(db)).toEqual([])
  })

  it('that is only an inquiry freezes nothing until it becomes a dispute, and admins hear of both', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await tell(id, ['created'], 'warning_needs_response')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held', open_disputes: 0 })
    expect((await keysOf('ada')).at(-1)).toBe('chargeback_inquiry')
    await tell(id, ['updated', 'funds_withdrawn'], 'needs_response')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', open_disputes: 1 })
    expect((await keysOf('ada')).at(-1)).toBe('chargeback_to_answer')
    await win(id)
    const other = await paidBooking('in_progress')
    await tell(other.id, ['created'], 'warning_needs_response')
    await tell(other.id, ['closed'], 'warning_closed')
    expect(await paymentOf(db, other.booking)).toMatchObject({ escrow_status: 'held', lost_amount: '0.00' })
    expect(await balances(db, other.booking)).toEqual({ provider: 12_000, escrow: -12_000 })
    expect((await keysOf('ada')).at(-1)).toBe('chargeback_inquiry_closed')
  })

  it('that is lost before the work was done ends the booking and the task', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await open(id)
    expect(await refusal(cancel(db, booking, cast.grace))).toBe(frozen)
    await lose(id)
    expect(await stateOf(booking)).toEqual({ status: 'cancelled', task: 'cancelled' })
    expect(await balances(db, booking)).toEqual({})
    for (const person of ['grace', 'theo'] as const) expect(await keysOf(person)).toContain('chargeback_lost')
    expect(await brokenRules(db)).toEqual([])
  })

  it('and a complaint about one payment: the bank first, then the admin, or the bank alone', async () => {
    for (const outcome of ['won', 'lost']) {
      const { booking, complaint } = await complained(100)
      const { id } = await paymentOf(db, booking)
      await open(id)
      expect(await refusal(decide(complaint, 'release'))).toMatch(/until the bank has decided/)
      await (outcome === 'won' ? win(id) : lose(id))
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
      for (const attached of [true, false]) {
        const booking = await bookingAt(db, 'accepted', { amount: 100 })
        const { rows } = await as(db, 'grace')('select public.prepare_payment($1) as due', [booking.id])
        const { payment_id: id } = rows[0].due
        if (attached) await asService(db)('select public.attach_payment_intent($1, $2)', [id, `pi_${id}`])
        await open(id)
        if (status === 'won') await win(id)
        if (status === 'lost') await lose(id)
        await report(db, 'payment_intent.succeeded', paidIntent(id, `pi_${id}`, 12_000))
        expect([
          status,
          (await paymentOf(db, booking)).escrow_status,
          (await stateOf(booking)).status,
        ]).toEqual([status, escrow, stage])
      }
    }
    expect(await brokenRules(db)).toEqual([])
  })

  it('after the payout is the platform’s loss, and an admin hears of it', async () => {
    const { booking, id } = await paidBooking('released')
    await settleWithProvider(db, booking)
    await open(id)
    expect((await keysOf('ada')).at(-1)).toBe('chargeback_to_answer')
    await lose(id)
    const { disputes, ...others } = await balances(db, booking)
    expect(disputes).toBe(12_000)
    expect(Object.values(others).reduce((a, b) => a + b, 0)).toBe(-12_000)
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'released', unsettled_loss: '0.00' })
    expect(await refusal(decideLoss(id, 'carry_on'))).toBe('Nothing is to be decided about this payment')
  })
})

describe('a chargeback that is lost in part', () => {
  const part = { cents: 11_999 }
  const lostInPart = async (state: 'in_progress' | 'completed') => {
    const paid = await paidBooking(state)
    await open(paid.id, part)
    await lose(paid.id, part)
    return paid
  }

  it('leaves the rest frozen for an admin, and nobody is told that it was won', async () => {
    const { booking, id } = await lostInPart('completed')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', unsettled_loss: '119.99' })
    expect(await refusal(release(db, booking))).toBe(undecided)
    expect((await keysOf('theo')).at(-1)).toBe('payment_lost_in_part')
    expect((await keysOf('ada')).slice(-2)).toContain('loss_to_decide')
    await owner(db)(`update public.bookings set completed_at = now() - interval '8 days' where id = $1`, [
      booking.id,
    ])
    await asService(db)('select public.keep_time()')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen' })
    for (const person of ['grace', 'theo', 'sam'] as const)
      expect(await refusal(as(db, person)(`select public.decide_loss($1, 'carry_on')`, [id]))).toBe(
        'Only admins can decide about a payment',
      )
    expect(await refusal(decideLoss(id, 'split', 100))).toMatch(/less than the task amount/)
  })

  it('carries on when the platform bears the loss, and is paid and booked as agreed', async () => {
    const { booking, id } = await lostInPart('in_progress')
    expect(await refusal(decideLoss(id, 'split', 40))).toBe(
      'Only done work that is not paid out yet can be split',
    )
    await decideLoss(id, 'carry_on')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held', unsettled_loss: '0.00' })
    await as(db, 'theo')(`update public.bookings set status = 'completed' where id = $1`, [booking.id])
    await release(db, booking)
    await settleWithProvider(db, booking)
    expect(await paymentOf(db, booking)).toMatchObject({ payout_amount: '80.00', refund_amount: '0.00' })
    // The card holder's bank has 119.99, the tasker 80.00, GST 10.00: the platform is 89.99 out of pocket.
    expect(await balances(db, booking)).toEqual({ provider: -7999, gst: -1000, platform_fees: 8999 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('is cancelled later for no more than is left', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await open(id, { cents: 6000 })
    await lose(id, { cents: 6000 })
    await decideLoss(id, 'carry_on')
    expect(await cancel(db, booking, cast.grace)).toMatchObject({ fee_cents: 500, refund_cents: 5500 })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({ provider: 100, gst: -25, platform_fees: -75 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('ends when the admin sends back the rest', async () => {
    for (const state of ['in_progress', 'completed'] as const) {
      const { booking, id } = await lostInPart(state)
      expect(await decideLoss(id, 'refund')).toEqual({ payout_cents: 0, refund_cents: 1 })
      expect(await stateOf(booking)).toEqual(
        state === 'completed'
          ? { status: 'completed', task: 'completed' }
          : { status: 'cancelled', task: 'cancelled' },
      )
      await settleWithProvider(db, booking)
      expect(await balances(db, booking)).toEqual({})
    }
    expect((await keysOf('theo')).at(-1)).toBe('loss_decided')
    expect(await brokenRules(db)).toEqual([])
  })

  it('is split, and what the bank returned counts towards what goes back', async () => {
    const { booking, id } = await paidBooking('completed')
    await open(id, { cents: 3000 })
    await lose(id, { cents: 3000 })
    // The task counts for 60: fees of 12, the tasker gets 48, 48 go back, 30 of them are back already.
    expect(await decideLoss(id, 'split', 40)).toMatchObject({ refund_cents: 1800 })
    expect(await paymentOf(db, booking)).toMatchObject({ payout_amount: '48.00', refund_amount: '18.00' })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({ provider: 2400, gst: -600, platform_fees: -1800 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('is settled with the complaint that is open about it', async () => {
    const { booking, complaint } = await complained(100)
    const { id } = await paymentOf(db, booking)
    await open(id, { cents: 3000 })
    await lose(id, { cents: 3000 })
    expect(await refusal(decideLoss(id, 'carry_on'))).toMatch(/Decide the complaint/)
    const { rows } = await as(db, 'ada')(`select public.decide_complaint($1, 'refund') as sent`, [complaint])
    expect(rows[0].sent).toEqual({ payout_cents: 0, refund_cents: 9000 })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('is decided by another admin than the two of the booking', async () => {
    const booking = await bookingAt(db, 'completed', { giver: cast.ada, amount: 100 })
    const { id } = await paymentOf(db, booking)
    await open(id, part)
    await lose(id, part)
    expect(await refusal(decideLoss(id, 'refund'))).toBe(
      'Another admin decides about the payment of your own booking',
    )
  })
})

describe('money that has left escrow but was not sent', () => {
  it('waits while a bank decides, and is not refunded twice', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await cancel(db, booking, cast.theo)
    await open(id)
    const { rows } = await asService(db)('select public.begin_refund($1) as due', [id])
    expect(rows[0].due).toMatchObject({ action: 'none', reason: 'waiting for the end of a chargeback' })
    await lose(id)
    expect(await paymentOf(db, booking)).toMatchObject({ refund_amount: '0.00', refund_status: 'none' })
    expect(await balances(db, booking)).toEqual({})
    const other = await paidBooking('in_progress')
    await cancel(db, other.booking, cast.theo)
    await open(other.id)
    await win(other.id)
    await settleWithProvider(db, other.booking)
    expect(await paymentOf(db, other.booking)).toMatchObject({
      refund_status: 'sent',
      refunded_amount: '120.00',
    })
    expect(await balances(db, other.booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('is paid out after a loss only when an admin says so', async () => {
    for (const decision of ['carry_on', 'refund']) {
      const { booking, id } = await paidBooking('released')
      await open(id)
      await lose(id)
      await settleWithProvider(db, booking)
      expect(await paymentOf(db, booking)).toMatchObject({
        stripe_transfer_id: null,
        unsettled_loss: '120.00',
      })
      expect((await keysOf('ada')).slice(-2)).toContain('loss_to_decide')
      await decideLoss(id, decision)
      await settleWithProvider(db, booking)
      expect(await paymentOf(db, booking)).toMatchObject(
        decision === 'refund'
          ? { payout_amount: '0.00', stripe_transfer_id: null }
          : { payout_status: 'sent', payout_amount: '80.00' },
      )
    }
    expect(await brokenRules(db)).toEqual([])
  })
})

describe('a refund made at the provider itself', () => {
  const refund = (payment: string, cents: number, nth = 1, status = 'succeeded') => ({
    id: `re_${nth}_${payment}`,
    object: 'refund',
    amount: cents,
    payment_intent: `pi_${payment}`,
    status,
  })

  it('of all ends the booking; of a part, an admin decides; and several add up', async () => {
    const whole = await paidBooking('in_progress')
    await report(db, 'refund.created', refund(whole.id, 12_000))
    expect(await stateOf(whole.booking)).toEqual({ status: 'cancelled', task: 'cancelled' })
    expect(await balances(db, whole.booking)).toEqual({})
    expect((await keysOf('theo')).at(-1)).toBe('payment_sent_back')

    const { booking, id } = await paidBooking('completed')
    for (const nth of [1, 2, 1, 2]) await report(db, 'refund.created', refund(id, 3000, nth))
    expect(await refusal(release(db, booking))).toBe(undecided)
    expect(await paymentOf(db, booking)).toMatchObject({ lost_amount: '60.00', escrow_status: 'frozen' })
    await report(db, 'refund.failed', refund(id, 3000, 1, 'failed'), undefined, 4_000_000_000)
    await report(db, 'refund.updated', refund(id, 3000, 1)) // older
    expect(await paymentOf(db, booking)).toMatchObject({ lost_amount: '30.00' })
    await decideLoss(id, 'refund')
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('beside one of ours is not taken for it, even of the same sum', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await cancel(db, booking, cast.grace)
    await settleWithProvider(db, booking)
    await report(db, 'refund.created', refund(id, 11_500))
    expect((await balances(db, booking)).disputes).toBe(11_500)
    expect(await brokenRules(db)).toEqual([])
  })
})

describe('what the provider says', () => {
  it('is about the payment that the intent pays, whatever the metadata says', async () => {
    const [mine, other] = [await paidBooking('in_progress'), await paidBooking('in_progress')]
    const forged = { ...dispute(mine.id, 'needs_response'), metadata: { payment_id: other.id } }
    const { payment_id } = await report(db, 'charge.dispute.created', forged)
    expect(payment_id).toBe(mine.id)
    expect(await paymentOf(db, other.booking)).toMatchObject({ escrow_status: 'held' })
    const stray = { ...forged, id: 'du_stray', charge: 'ch_stray', payment_intent: 'pi_stray' }
    expect(await report(db, 'charge.dispute.created', stray)).toMatchObject({ note: 'no payment of ours' })
    expect(await paymentOf(db, other.booking)).toMatchObject({ escrow_status: 'held' })
  })

  it('about disputes is read by admins alone, and written by nobody', async () => {
    const { id } = await paidBooking('in_progress')
    await open(id)
    for (const person of ['grace', 'theo', 'sam'] as const)
      expect((await as(db, person)('select id from public.disputes')).rows).toEqual([])
    for (const query of [as(db, 'ada'), asService(db), as(db, 'grace')]) {
      expect(await refusal(query(`update public.disputes set status = 'won'`))).toMatch(/permission denied/)
      expect(await refusal(query(`delete from public.disputes`))).toMatch(/permission denied/)
      expect(
        await refusal(
          query(
            `insert into public.disputes (id, payment_id, amount, status, status_at) values ('du', $1, 1, 'won', now())`,
            [id],
          ),
        ),
      ).toMatch(/permission denied/)
    }
  })
})
