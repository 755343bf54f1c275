// Changes of a price after the agreement: who may propose and answer what, the limits, and the money of each.
import { describe, expect, it } from 'vitest'
import {
  agree,
  allBalances,
  answer,
  changeOf,
  chargeExtra,
  extra,
  paymentById,
  propose,
  receiptPhoto,
  sendDue,
  setLimit,
  startPaying,
  withdraw,
} from './changes.ts'
import {
  bookingAt,
  cancel,
  move,
  openPayoutAccount,
  paymentOf,
  refusal,
  release,
  settleWithProvider,
} from './lives.ts'
import { keysOf, runScheduled } from './offers.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
const underWay = (amount = 100) => bookingAt(db, 'in_progress', { amount })

describe('an increase', () => {
  it.each([
    [null, 'The amount must be at least $1'],
    [0, 'The amount must be at least $1'],
    [-20, 'The amount must be at least $1'],
    [0.99, 'The amount must be at least $1'],
    [20.005, 'An amount can have two decimals at most'],
    [99_900.01, 'The amount can be at most $99900.00 here'],
    ['NaN', 'The amount can be at most $99900.00 here'],
    ['Infinity', 'The amount can be at most $99900.00 here'],
  ])('of %s is refused', async (amount, message) => {
    const booking = await underWay()
    await expect(propose(db, booking, 'increase', amount)).rejects.toMatchObject({ message, hint: 'amount' })
  })

  it('has a reason, photos of the tasker, and one of its kind is open at a time', async () => {
    const booking = await underWay()
    for (const reason of [null, ' \n']) {
      await expect(propose(db, booking, 'increase', 20, { reason })).rejects.toMatchObject({ hint: 'reason' })
    }
    await expect(propose(db, booking, 'increase', 20, { reason: 'x'.repeat(501) })).rejects.toMatchObject({
      message: 'Reason too long (max 500 characters)',
    })
    const other = await underWay()
    const stray = await receiptPhoto(db, other)
    await expect(propose(db, booking, 'increase', 20, { photos: [stray] })).rejects.toMatchObject({
      hint: 'photos',
    })
    const photo = await receiptPhoto(db, booking)
    const change = await propose(db, booking, 'increase', 20, { photos: [photo] })
    expect(await changeOf(db, change)).toMatchObject({ state: 'proposed', photos: [photo], dollars: 20 })
    expect(await keysOf(db, cast.grace, booking)).toContain('increase_proposed')
    expect(await refusal(propose(db, booking, 'increase', 20))).toBe(
      'Another proposal of this kind is still open',
    )
  })

  it('is for the tasker of work that is paid and under way', async () => {
    const booking = await underWay()
    expect(await refusal(propose(db, booking, 'increase', 20, { person: cast.grace }))).toBe(
      'Only the tasker can ask for more or add an expense',
    )
    expect(await refusal(propose(db, booking, 'increase', 20, { person: cast.sam }))).toBe(
      'Booking not found',
    )
    expect(await refusal(propose(db, booking, 'tip', 20))).toBe(
      'A proposal is an increase, a decrease or an expense',
    )
    const states = {
      accepted: 'The price can change only while the work is paid and under way',
      completed: 'The price can change only while the work is paid and under way',
      released: 'The payment was already settled',
    } as const
    for (const [state, message] of Object.entries(states)) {
      const other = await bookingAt(db, state as 'accepted')
      expect([state, await refusal(propose(db, other, 'increase', 20))]).toEqual([state, message])
    }
  })

  it('counts once its own charge is held, and is released with the rest', async () => {
    await openPayoutAccount(db)
    const earned = async () =>
      Number((await as(db, 'theo')('select public.my_earnings() as sum')).rows[0].sum)
    const before = await earned()
    const booking = await underWay()
    const change = await propose(db, booking, 'increase', 20)
    expect(await refusal(startPaying(db, booking, change))).toBe(
      'This change of the price is not open any more',
    )
    for (const person of [cast.theo, cast.sam]) {
      await expect(answer(db, change, person, 20)).rejects.toMatchObject({
        code: person === cast.theo ? '42501' : 'P0001',
      })
    }
    expect(await refusal(answer(db, change, cast.grace, 19))).toBe(
      'This change is $20.00. Please look at it again.',
    )
    expect(await answer(db, change, cast.grace, 20)).toBe('accepted')
    expect(await answer(db, change, cast.grace, 20)).toBe('accepted')
    await expect(as(db, 'theo')('select public.prepare_change_payment($1)', [change])).rejects.toMatchObject({
      code: '42501',
    })
    const paid = await startPaying(db, booking, change)
    expect(await startPaying(db, booking, change)).toEqual(paid)
    expect(paid.cents).toBe(2400)
    await chargeExtra(db, paid)
    await chargeExtra(db, paid)
    expect(await changeOf(db, change)).toMatchObject({ state: 'done', payment_id: paid.id })
    expect(await refusal(startPaying(db, booking, change))).toBe('This change is already paid')
    expect(await allBalances(db, booking)).toEqual({ provider: 14_400, escrow: -14_400 })
    expect(await keysOf(db, cast.theo, booking)).toContain('change_paid')

    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    expect(await paymentById(db, paid.id)).toMatchObject({
      escrow_status: 'released',
      payout_status: 'queued',
    })
    await settleWithProvider(db, booking)
    await sendDue(db, paid.id)
    expect(await allBalances(db, booking)).toEqual({ provider: 4800, platform_fees: -3600, gst: -1200 })
    const { rows } = await owner(db)(
      `select kind, basis, amount::float, total::float from public.receipts where payment_id = $1 order by kind`,
      [paid.id],
    )
    expect(rows).toEqual([
      { kind: 'receipt', basis: 'increase', amount: 20, total: 24 },
      { kind: 'statement', basis: 'increase', amount: 20, total: 16 },
    ])
    expect((await earned()) - before).toBe(96)
  })

  it('leaves the old agreement when it is declined, withdrawn or lapses', async () => {
    const booking = await underWay()
    const declined = await propose(db, booking, 'increase', 20)
    expect(await answer(db, declined, cast.grace)).toBe('declined')
    expect(await answer(db, declined, cast.grace)).toBe('declined')
    expect(await refusal(answer(db, declined, cast.grace, 20))).toMatch(/not open any more/)
    expect(await keysOf(db, cast.theo, booking)).toContain('change_declined')

    const withdrawn = await propose(db, booking, 'increase', 20)
    await expect(withdraw(db, withdrawn, cast.grace)).rejects.toMatchObject({ code: '42501' })
    await withdraw(db, withdrawn, cast.theo)
    await withdraw(db, withdrawn, cast.theo)
    expect(await refusal(answer(db, withdrawn, cast.grace, 20))).toMatch(/not open any more/)

    const late = await propose(db, booking, 'increase', 20)
    await owner(db)(
      `update public.booking_changes set answer_by = now() - interval '1 second' where id = $1`,
      [late],
    )
    expect(await refusal(answer(db, late, cast.grace, 20))).toBe(
      'The time for this change of the price is over',
    )
    await runScheduled(db)
    expect((await changeOf(db, late)).state).toBe('lapsed')
    expect(await keysOf(db, cast.theo, booking)).toContain('change_lapsed')

    const unanswered = await propose(db, booking, 'increase', 20)
    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    expect((await changeOf(db, unanswered)).state).toBe('lapsed')
    expect(await allBalances(db, booking)).toMatchObject({ provider: 12_000 })
  })

  it('goes back in full when it is charged after the release, or after it was declined', async () => {
    const booking = await underWay()
    const change = await propose(db, booking, 'increase', 20)
    await answer(db, change, cast.grace, 20)
    const paid = await startPaying(db, booking, change)
    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    expect(await refusal(startPaying(db, booking, change))).toMatch(/not open any more/)
    await chargeExtra(db, paid)
    expect(await paymentById(db, paid.id)).toMatchObject({
      escrow_status: 'refunded',
      refund_amount: '24.00',
    })
    expect((await changeOf(db, change)).state).toBe('lapsed')

    const second = await underWay()
    const other = await propose(db, second, 'increase', 20)
    await answer(db, other, cast.grace, 20)
    const started = await startPaying(db, second, other)
    expect(await answer(db, other, cast.grace)).toBe('declined')
    const { rows } = await owner(db)('select * from public.overdue_intents()')
    expect(rows).toContainEqual({ payment_id: started.id, payment_intent_id: started.intent })
    await chargeExtra(db, started)
    expect(await paymentById(db, started.id)).toMatchObject({ escrow_status: 'refunded' })
  })

  it('cannot be written, released or paid past its own calls', async () => {
    const booking = await underWay()
    const id = await extra(db, booking, 'increase', 20)
    const { id: main } = await paymentOf(db, booking)
    expect(
      await refusal(
        as(db, 'grace')(`update public.payments set escrow_status = 'released' where id = $1`, [id]),
      ),
    ).toBe('An extra payment is released with the payment of its booking')
    for (const person of ['grace', 'theo'] as const) {
      for (const statement of [
        `insert into public.payments (part_of, purpose, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
         select id, 'tip', task_id, payer_id, payee_id, 1, 0, 0, 1, 1 from public.payments where id = '${main}'`,
        `insert into public.booking_changes (booking_id, kind, proposed_by, amount, answer_by) values ('${booking.id}', 'increase', auth.uid(), 5, now())`,
        `update public.booking_changes set amount = 1`,
        `delete from public.booking_changes`,
        `update public.payments set reduction = 50`,
        `update public.bookings set expense_limit = 50`,
      ]) {
        expect([statement, await refusal(as(db, person)(statement))]).toEqual([
          statement,
          expect.stringMatching(/permission denied/),
        ])
      }
    }
    const seen = await as(db, 'sam')('select id from public.booking_changes')
    expect(seen.rows).toEqual([])
  })
})

describe('a decrease', () => {
  it('leaves at least the floor, and needs the other side', async () => {
    const booking = await underWay(60)
    expect(await refusal(propose(db, booking, 'decrease', 35.01))).toBe(
      'The amount can be at most $35.00 here',
    )
    for (const [person, other] of [
      [cast.theo, cast.grace],
      [cast.grace, cast.theo],
    ] as const) {
      const change = await propose(db, booking, 'decrease', 10, { person, reason: null })
      await expect(answer(db, change, person, 10)).rejects.toMatchObject({ code: '42501' })
      expect(await answer(db, change, other, 10)).toBe('done')
      expect(await answer(db, change, other, 10)).toBe('done')
    }
    expect(await paymentOf(db, booking)).toMatchObject({ reduction: '20.00', payout_amount: '32.00' })
    expect(await refusal(propose(db, booking, 'decrease', 15.01))).toBe(
      'The amount can be at most $15.00 here',
    )
  })

  it.each([
    ['release', { provider: 9600 - 6400, platform_fees: -2400, gst: -800 }, 2400],
    ['cancel as tasker', {}, 12_000],
    ['cancel as giver', { provider: 100, platform_fees: -75, gst: -25 }, 11_500],
  ])('goes back with its fees at the %s', async (end, books, refund) => {
    const booking = await underWay()
    await answer(db, await propose(db, booking, 'decrease', 20), cast.grace, 20)
    expect(await allBalances(db, booking)).toEqual({ provider: 12_000, escrow: -12_000 })
    if (end === 'release') {
      await move(db, booking, cast.theo, 'completed')
      await release(db, booking)
    } else await cancel(db, booking, end === 'cancel as tasker' ? cast.theo : cast.grace)
    expect(Number((await paymentOf(db, booking)).refund_amount) * 100).toBe(refund)
    await settleWithProvider(db, booking)
    expect(await allBalances(db, booking)).toEqual(books)
    const { rows } = await owner(db)(
      `select r.basis, r.amount::float, r.total::float from public.receipts r join public.payments p on p.id = r.payment_id
       where p.booking_id = $1 and r.kind = 'statement'`,
      [booking.id],
    )
    expect(rows).toEqual(
      {
        release: [{ basis: 'task', amount: 80, total: 64 }],
        'cancel as tasker': [],
        'cancel as giver': [{ basis: 'cancellation', amount: 5, total: 4 }],
      }[end],
    )
  })
})

describe('an expense', () => {
  it('needs a limit set in advance and a photo of the receipt, and has no fees', async () => {
    const booking = await underWay()
    expect(await refusal(propose(db, booking, 'expense', 10))).toBe(
      'The task giver sets a limit for expenses first',
    )
    expect(await refusal(setLimit(db, booking, 50, cast.theo))).toBe(
      'Only the task giver can set a limit for expenses',
    )
    expect(await refusal(setLimit(db, booking, 5000.01))).toBe('The amount can be at most $5000 here')
    expect(await refusal(setLimit(db, booking, 0))).toBe('The limit must be at least $1')
    await setLimit(db, booking, 50)
    expect(await keysOf(db, cast.theo, booking)).toContain('expense_limit_set')
    await expect(propose(db, booking, 'expense', 10, { photos: [] })).rejects.toMatchObject({
      message: 'Add a photo of the receipt',
      hint: 'photos',
    })
    expect(await refusal(propose(db, booking, 'expense', 50.01))).toBe(
      'The amount can be at most $50.00 here',
    )
    const id = await extra(db, booking, 'expense', 30)
    expect(await paymentById(db, id)).toMatchObject({
      total: '30.00',
      platform_fee: '0.00',
      gst: '0.00',
      payout_amount: '30.00',
    })
    expect(await refusal(propose(db, booking, 'expense', 20.01))).toBe(
      'The amount can be at most $20.00 here',
    )
    await setLimit(db, booking, 60)
    expect(await refusal(propose(db, booking, 'expense', 30.01))).toBe(
      'The amount can be at most $30.00 here',
    )
    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    await settleWithProvider(db, booking)
    await sendDue(db, id)
    expect(await allBalances(db, booking)).toEqual({ provider: 4000, platform_fees: -3000, gst: -1000 })
    expect(await refusal(setLimit(db, booking, 90))).toMatch(/under way/)
  })
})

it('accepts the same proposal once from two tabs', async () => {
  const booking = await underWay()
  const change = await propose(db, booking, 'decrease', 20)
  await Promise.all([1, 2, 3].map(() => answer(db, change, cast.grace, 20)))
  expect(await paymentOf(db, booking)).toMatchObject({ reduction: '20.00' })
  const increase = await propose(db, booking, 'increase', 20)
  await Promise.all([1, 2, 3].map(() => answer(db, increase, cast.grace, 20)))
  const orders = await Promise.all([1, 2, 3].map(() => startPaying(db, booking, increase)))
  expect(new Set(orders.map(({ id }) => id)).size).toBe(1)
  const proposals = await Promise.allSettled([1, 2, 3].map(() => propose(db, booking, 'decrease', 5)))
  expect(proposals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await agree(db, booking, increase, 20)
})
