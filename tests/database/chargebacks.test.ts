// Chargebacks: the card holder's bank takes the money back, and keeps it or returns it, whatever order its events
// arrive in.
import { describe, expect, it } from 'vitest'
import { bankOf, frozen, undecided } from './bank.ts'
import {
  balances,
  bookingAt,
  cancel,
  paidIntent,
  paymentOf,
  refusal,
  release,
  report,
  settleWithProvider,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { brokenRules } from './rules.ts'

const db = databaseWithCast()
const { tell, open, win, lose, paidBooking, complained, decide, decideLoss, keysOf, stateOf } = bankOf(db)

describe('a chargeback', () => {
  const orders = [
    ['created', 'funds_withdrawn', 'closed'],
    ['closed', 'created', 'funds_withdrawn'],
    ['funds_withdrawn', 'closed', 'created'],
  ]

  it.each(orders)(
    'that is lost takes the held money, with events in the order %s, %s, %s',
    async (...order) => {
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
    },
  )

  it('that is open asks nobody to finish or to confirm, and says so when the work is done meanwhile', async () => {
    const { booking, id } = await paidBooking('in_progress')
    const waits = async (person: 'grace' | 'theo') =>
      (await as(db, person)('select kind from public.my_action_items() where booking_id = $1', [booking.id]))
        .rows
    const heard = async (person: 'grace' | 'theo') =>
      (
        await as(db, person)(
          `select key, message from public.notifications where link like '%' || $1 || '%' or key like 'marked%' order by created_at desc limit 1`,
          [booking.id],
        )
      ).rows[0]
    expect(await waits('theo')).toEqual([{ kind: 'finish' }])
    await open(id)
    expect(await waits('theo')).toEqual([])
    for (const person of ['grace', 'theo'] as const)
      expect(await heard(person)).toEqual({
        key: 'chargeback_opened',
        message:
          'The bank of the card holder is looking into the payment for "Clear the driveway". The money is frozen: until the bank has decided, nobody can release, refund or split it. Work that is not done yet can wait; we tell both of you what the bank decides.',
      })
    await as(db, 'theo')(`update public.bookings set status = 'completed' where id = $1`, [booking.id])
    expect(await heard('grace')).toEqual({
      key: 'marked_complete_on_hold',
      message:
        'Theo Tasker marked "Clear the driveway" complete. The payment is frozen, so there is nothing to confirm yet; we tell you when it is decided what happens to it.',
    })
    expect(await waits('grace')).toEqual([])
    await win(id)
    expect(await waits('grace')).toEqual([{ kind: 'confirm' }])
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
    // Admins find it by its id, the payment's or a person, and by its state.
    const find = async (query: string, state = 'all') =>
      (await as(db, 'ada')('select id from public.find_disputes($1, $2)', [query, state])).rows.map(
        (d) => d.id,
      )
    for (const query of [`du_1_${id}`, id, 'grace giver', '']) {
      expect(await find(query)).toContain(`du_1_${id}`)
      expect(await find(query, 'to_answer')).toContain(`du_1_${id}`)
      expect(await find(query, 'won')).not.toContain(`du_1_${id}`)
    }
    for (const query of [`du_9_${id}`, 'sam', '100%']) expect(await find(query)).toEqual([])
    expect(await refusal(find('', 'whatever'))).toMatch(/^State must be/)
    expect(await refusal(as(db, 'sam')('select * from public.find_disputes()'))).toMatch(/^Only admins/)
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
      await asService(db)('select public.run_scheduled()')
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', payout_status: 'none' })
      await lose(id, { nth })
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'refunded', payout_status: 'none' })
    }
    expect(await brokenRules(db)).toEqual([])
  })

  it('that is only an inquiry freezes nothing until it becomes a dispute, and admins are notified about both', async () => {
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

  it('that arrives before the charge freezes or ends what the charge begins', async () => {
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

  it('after the payout is the platform’s loss, and an admin is notified', async () => {
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
