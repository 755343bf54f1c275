// Receipts and statements: one a payment and kind, numbered without gaps however many are issued at once, for their person.
import { describe, expect, it } from 'vitest'
import { bookingAt, cancel, move, openPayoutAccount, pay, paymentOf, release, report } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()

const receiptsOf = async (person: string, payment: string) =>
  (
    await as(db, person)(
      `select kind, basis, amount, platform_fee, gst, total from public.receipts where payment_id = $1 order by kind`,
      [payment],
    )
  ).rows

const numbers = async (kind: string) =>
  (await owner(db)('select number from public.receipts where kind = $1 order by number', [kind])).rows.map(
    ({ number }) => Number(number),
  )

const counting = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Grace complains about a finished job, Theo answers, and Ada decides. */
async function decided(decision: 'release' | 'refund' | 'split', returned: number | null = null) {
  const booking = await bookingAt(db, 'completed', { amount: 100 })
  await as(db, 'grace')('insert into public.complaints (booking_id, reason) values ($1, $2)', [
    booking.id,
    'The walk is still covered.',
  ])
  await as(db, 'theo')('update public.complaints set answer = $2 where booking_id = $1', [
    booking.id,
    'It snowed again afterwards.',
  ])
  const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
  await as(db, 'ada')('select public.decide_complaint($1, $2, $3)', [rows[0].id, decision, returned])
  return (await paymentOf(db, booking)).id as string
}

describe('receipts and statements', () => {
  it('are issued with the payment and its release, with every part of the sum', async () => {
    const booking = await bookingAt(db, 'completed', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    expect(await receiptsOf('grace', id)).toMatchObject([
      { kind: 'receipt', amount: '100.00', platform_fee: '15.00', gst: '5.00', total: '120.00' },
    ])
    expect(await receiptsOf('theo', id)).toEqual([])
    await release(db, booking)
    expect(await receiptsOf('theo', id)).toMatchObject([
      {
        kind: 'statement',
        basis: 'task',
        amount: '100.00',
        platform_fee: '15.00',
        gst: '5.00',
        total: '80.00',
      },
    ])
    expect(await receiptsOf('ada', id)).toHaveLength(2)
  })

  it('names the card that paid, whichever event comes first, and no tasker reads it', async () => {
    const charge = (payment: string, last4: string) => ({
      id: `ch_${payment}`,
      object: 'charge',
      payment_intent: `pi_${payment}`,
      metadata: { payment_id: payment },
      payment_method_details: { type: 'card', card: { brand: 'visa', last4 } },
    })
    const cardOf = async (person: string, payment: string) =>
      (
        await as(db, person)(
          `select card_brand, card_last4 from public.receipts where payment_id = $1 order by kind`,
          [payment],
        )
      ).rows
    const late = await bookingAt(db, 'released', { amount: 100 })
    const { id } = await paymentOf(db, late)
    expect(await cardOf('grace', id)).toEqual([{ card_brand: null, card_last4: null }])
    await report(db, 'charge.succeeded', charge(id, '4242'))
    // Nothing that is heard later changes it.
    await report(db, 'charge.succeeded', charge(id, '1111'))
    expect(await cardOf('grace', id)).toEqual([{ card_brand: 'visa', card_last4: '4242' }])
    expect(await cardOf('theo', id)).toEqual([{ card_brand: null, card_last4: null }])

    const early = await bookingAt(db, 'accepted', { amount: 100 })
    const { rows } = await as(db, early.giver)('select public.prepare_payment($1) as due', [early.id])
    const { payment_id } = rows[0].due
    await asService(db)('select public.attach_payment_intent($1, $2)', [payment_id, `pi_${payment_id}`])
    await report(db, 'charge.succeeded', charge(payment_id, '0005'))
    await report(db, 'charge.succeeded', { ...charge(payment_id, '9999'), payment_intent: 'pi_other' })
    await pay(db, early)
    expect(await cardOf('grace', payment_id)).toEqual([{ card_brand: 'visa', card_last4: '0005' }])
    expect((await owner(db)('select * from private.charged_cards')).rows).toEqual([])
  })

  it('of a cancellation are reckoned from its fee, and there is none where nothing is paid out', async () => {
    const late = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '2 hours' })
    await cancel(db, late, cast.grace)
    expect(await receiptsOf('theo', (await paymentOf(db, late)).id)).toMatchObject([
      { basis: 'cancellation', amount: '25.00', platform_fee: '3.75', gst: '1.25', total: '20.00' },
    ])
    const withdrawn = await bookingAt(db, 'in_progress', { amount: 100 })
    await cancel(db, withdrawn, cast.theo)
    expect(await receiptsOf('theo', (await paymentOf(db, withdrawn)).id)).toEqual([])
  })

  it('of a decision are reckoned from what it left', async () => {
    expect(await receiptsOf('theo', await decided('split', 40))).toMatchObject([
      { basis: 'decision', amount: '60.00', platform_fee: '9.00', gst: '3.00', total: '48.00' },
    ])
    expect(await receiptsOf('theo', await decided('release'))).toMatchObject([
      { basis: 'task', amount: '100.00', total: '80.00' },
    ])
    expect(await receiptsOf('theo', await decided('refund'))).toEqual([])
  })

  it('have no parts where a decision left none', async () => {
    const booking = await bookingAt(db, 'completed', { amount: 100 })
    const { id, stripe_payment_intent_id } = await paymentOf(db, booking)
    await report(db, 'refund.created', {
      id: `re_outside_${id}`,
      object: 'refund',
      payment_intent: stripe_payment_intent_id,
      amount: 1000,
      status: 'succeeded',
    })
    await as(db, 'ada')(`select public.decide_loss($1, 'split', 50)`, [id])
    expect(await receiptsOf('theo', id)).toEqual([
      { kind: 'statement', basis: 'decision', amount: null, platform_fee: null, gst: null, total: '40.00' },
    ])
  })

  it('have numbers without gaps, also when many are issued at once and some transactions fail', async () => {
    const bookings = await Promise.all(counting(4).map(() => bookingAt(db, 'in_progress', { amount: 50 })))
    const failing = await db.database.pool.connect()
    try {
      const { id } = await paymentOf(db, bookings[0] as never)
      await failing.query('begin')
      await failing.query(`update public.payments set escrow_status = 'released' where id = $1`, [id])
      await failing.query('set constraints all immediate')
      const { rows } = await failing.query('select max(number) as taken from public.receipts')
      expect(Number(rows[0].taken)).toBeGreaterThan(0)
      await failing.query('rollback')
    } finally {
      failing.release()
    }
    await Promise.all(
      bookings.map(async (booking) => {
        await move(db, booking, cast.theo, 'completed')
        await release(db, booking)
      }),
    )
    for (const kind of ['receipt', 'statement']) {
      const taken = await numbers(kind)
      expect([kind, taken]).toEqual([kind, counting(taken.length)])
    }
  })

  it('name their issuer as it was then, and a GST number only where one was set', async () => {
    const issued = async () => {
      const { id } = await paymentOf(db, await bookingAt(db, 'in_progress', { amount: 50 }))
      return async () =>
        (await as(db, 'grace')('select * from public.receipts where payment_id = $1', [id])).rows[0]
    }
    const before = await issued()
    await expect(owner(db)(`update private.issuer set gst_number = '123'`)).rejects.toThrow(
      /check constraint/,
    )
    await owner(db)(`update private.issuer set gst_number = '123456789 RT 0001', address = 'Saskatoon SK'`)
    const after = await issued()
    expect((await before()).issuer).toEqual({ name: 'Meadowlark', address: null, gst_number: null })
    expect(await after()).toMatchObject({
      issuer: { name: 'Meadowlark', gst_number: '123456789 RT 0001', address: 'Saskatoon SK' },
      task_title: 'Clear the driveway',
      person_name: 'Grace Giver',
      other_name: 'Theo Tasker',
      platform_fee_percent: '15',
      gst_percent: '5',
    })
  })

  it.each<[Persona, ('receipt' | 'statement')[]]>([
    ['grace', ['receipt']],
    ['theo', ['statement']],
    ['sam', []],
    ['ada', ['receipt', 'statement']],
  ])('are read by whose they are and by admins: %s', async (person, kinds) => {
    const { id } = await paymentOf(db, await bookingAt(db, 'released', { amount: 30 }))
    expect((await receiptsOf(person, id)).map(({ kind }) => kind)).toEqual(kinds)
  })

  it('are read by nobody without an account, and written by nobody', async () => {
    await expect(as(db, 'anonymous')('select * from public.receipts')).rejects.toThrow(/permission denied/)
    const acts = [
      'insert into public.receipts (kind) values ($$receipt$$)',
      'update public.receipts set total = 1',
      'delete from public.receipts',
      'update private.issuer set name = $$x$$',
      'update private.receipt_numbers set receipt = 0',
      `select private.issue_receipt(p, 'receipt') from public.payments p`,
    ]
    for (const act of acts)
      for (const person of ['grace', 'theo', 'ada', 'sam'])
        await expect(as(db, person)(act)).rejects.toThrow(/permission denied/)
    await expect(asService(db)('delete from public.receipts')).rejects.toThrow(/permission denied/)
    for (const act of ['delete from public.receipts', 'truncate public.receipts'])
      await expect(owner(db)(act)).rejects.toThrow('Receipts and statements are kept')
  })

  it('name nobody any more who has left, and stay as they are otherwise', async () => {
    const leaver = await signUp(db, { name: 'Someone Leaving', role: 'task_giver' })
    const { id } = await paymentOf(db, await bookingAt(db, 'released', { giver: leaver, amount: 40 }))
    const other = await paymentOf(db, await bookingAt(db, 'released', { amount: 40 }))
    const names = async (payment: string) =>
      (
        await owner(db)(
          'select person_name, other_name, total from public.receipts where payment_id = $1 order by kind',
          [payment],
        )
      ).rows
    await owner(db)(
      `update public.receipts set card_last4 = '4242' where payment_id = $1 and kind = 'receipt'`,
      [id],
    )
    await openPayoutAccount(db)
    await asService(db)('select public.finish_payout($1, $2)', [id, `tr_${id}`])
    await owner(db)('delete from auth.users where id = $1', [leaver])
    expect(await names(id)).toEqual([
      { person_name: null, other_name: 'Theo Tasker', total: '48.00' },
      { person_name: 'Theo Tasker', other_name: null, total: '32.00' },
    ])
    const cards = await owner(db)('select card_last4 from public.receipts where payment_id = $1', [id])
    expect(cards.rows).toEqual([{ card_last4: null }, { card_last4: null }])
    expect((await names(other.id))[1]).toMatchObject({
      person_name: 'Theo Tasker',
      other_name: 'Grace Giver',
    })
  })
})

describe('earnings', () => {
  it('are summed by month for their owner alone, and agree with the whole', async () => {
    await bookingAt(db, 'released', { amount: 30 })
    await owner(db)(
      `update public.receipts set issued_at = '2026-02-01 05:59:59+00' where id = (select id from public.receipts
       where kind = 'statement' and total = 24 order by number desc limit 1)`,
    )
    const { rows } = await as(
      db,
      'theo',
    )('select month::text, amount, payouts from public.my_earnings_by_month()')
    // Saskatchewan is six hours behind UTC: it is still January there.
    expect(rows[0]).toEqual({ month: '2026-01-01', amount: '24.00', payouts: 1 })
    const { rows: whole } = await as(db, 'theo')('select public.my_earnings() as earned')
    expect(rows.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(Number(whole[0].earned))
    expect((await as(db, 'sam')('select * from public.my_earnings_by_month()')).rows).toEqual([])
  })

  it('leave out a payout that an admin took back', async () => {
    const before = (await as(db, 'theo')('select public.my_earnings() as earned')).rows[0].earned
    const booking = await bookingAt(db, 'released', { amount: 100 })
    const { id, stripe_payment_intent_id } = await paymentOf(db, booking)
    await report(db, 'refund.created', {
      id: `re_outside_${id}`,
      object: 'refund',
      payment_intent: stripe_payment_intent_id,
      amount: 2000,
      status: 'succeeded',
    })
    await as(db, 'ada')(`select public.decide_loss($1, 'refund')`, [id])
    expect((await as(db, 'theo')('select public.my_earnings() as earned')).rows[0].earned).toBe(before)
    const { rows } = await as(db, 'theo')('select sum(amount) as earned from public.my_earnings_by_month()')
    expect(rows[0].earned).toBe(before)
  })
})
