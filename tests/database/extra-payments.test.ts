// The money of extra payments at the end of a booking: cancellations, complaints, disputes and tips.
import { describe, expect, it } from 'vitest'
import { bankOf } from './bank.ts'
import {
  agree,
  allBalances,
  changeOf,
  chargeExtra,
  extra,
  paymentById,
  propose,
  receiptPhoto,
  sendDue,
  setLimit,
  startPaying,
  tip,
} from './changes.ts'
import {
  bookingAt,
  cancel,
  move,
  openPayoutAccount,
  paymentOf,
  refusal,
  release,
  report,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { keysOf } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
const bank = bankOf(db)

describe('a cancellation', () => {
  const start = async (scheduled: string | null) => {
    const booking = await bookingAt(db, 'in_progress', {
      amount: 100,
      scheduled,
      minutes: scheduled ? 60 : null,
    })
    await setLimit(db, booking, 50)
    const increase = await extra(db, booking, 'increase', 20)
    const expense = await extra(db, booking, 'expense', 30)
    return { booking, increase, expense }
  }

  it.each([
    ['half an hour before', '30 minutes', 6000, 14_400 - 6000],
    ['ten days before', '240 hours', 500, 14_400 - 500],
    ['without a time', null, 500, 14_400 - 500],
  ])(
    'by the giver %s keeps the same share of increases, and pays expenses',
    async (_, scheduled, fee, refund) => {
      const { booking, increase, expense } = await start(scheduled)
      const open = await propose(db, booking, 'increase', 5)
      expect(await cancel(db, booking, cast.grace)).toMatchObject({ fee_cents: fee, refund_cents: refund })
      expect((await changeOf(db, open)).state).toBe('lapsed')
      expect(await paymentById(db, expense)).toMatchObject({
        escrow_status: 'released',
        payout_amount: '30.00',
      })
      await settleWithProvider(db, booking)
      for (const id of [increase, expense]) await sendDue(db, id)
      const kept = Math.round(fee * 0.2)
      expect(await allBalances(db, booking)).toEqual({
        provider: kept,
        platform_fees: -Math.round(fee * 0.15),
        gst: -Math.round(fee * 0.05),
      })
    },
  )

  it('by the tasker returns everything', async () => {
    const { booking, increase, expense } = await start(null)
    expect(await cancel(db, booking, cast.theo)).toMatchObject({ fee_cents: 0, refund_cents: 17_400 })
    await settleWithProvider(db, booking)
    for (const id of [increase, expense]) await sendDue(db, id)
    expect(await allBalances(db, booking)).toEqual({})
  })
})

describe('a tip', () => {
  it('is all of it for the tasker, within 14 days of the release', async () => {
    const booking = await bookingAt(db, 'completed')
    expect(await refusal(tip(db, booking, 10))).toBe('A tip can be given after the payment was released')
    await release(db, booking)
    expect(await refusal(tip(db, booking, 10, cast.theo))).toBe('Only the task giver can give a tip')
    for (const [amount, message] of [
      [0.5, 'The amount must be at least $1'],
      [500.01, 'The amount can be at most $500 here'],
    ] as const)
      expect(await refusal(tip(db, booking, amount))).toBe(message)
    const first = await tip(db, booking, 10)
    expect(await tip(db, booking, 10)).toBe(first)
    const started = await startPaying(db, booking, first)
    const second = await tip(db, booking, 12)
    expect((await changeOf(db, first)).state).toBe('withdrawn')
    await chargeExtra(db, started)
    expect(await paymentById(db, started.id)).toMatchObject({ escrow_status: 'refunded' })
    const paid = await startPaying(db, booking, second)
    await chargeExtra(db, paid)
    expect(await paymentById(db, paid.id)).toMatchObject({
      escrow_status: 'released',
      payout_amount: '12.00',
      platform_fee: '0.00',
    })
    expect(await keysOf(db, cast.theo, booking)).toContain('tip_received')
    await settleWithProvider(db, booking)
    for (const id of [started.id, paid.id]) await sendDue(db, id)
    expect(await allBalances(db, booking)).toEqual({ provider: 4000, platform_fees: -3000, gst: -1000 })
    for (const amount of [1, 2])
      await chargeExtra(db, await startPaying(db, booking, await tip(db, booking, amount)))
    expect(await refusal(tip(db, booking, 3))).toBe('A booking can have at most 3 tips')
    const { rows } = await owner(db)(
      `select basis, total::float from public.receipts where payment_id = $1`,
      [paid.id],
    )
    expect(rows).toEqual([
      { basis: 'tip', total: 12 },
      { basis: 'tip', total: 12 },
    ])
    const old = await bookingAt(db, 'released')
    await owner(db)(
      `update public.payments set released_at = released_at - interval '14 days' where booking_id = $1`,
      [old.id],
    )
    expect(await refusal(tip(db, old, 10))).toBe('A tip can be given within 14 days of the release')
  })
})

describe('a complaint', () => {
  const complained = async () => {
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    await setLimit(db, booking, 50)
    const extras = [await extra(db, booking, 'increase', 20), await extra(db, booking, 'expense', 30)]
    await move(db, booking, cast.theo, 'completed')
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still white.',
    })
    const { rows } = await as(db, 'theo')(
      `update public.complaints set answer = 'It snowed again.' where booking_id = $1 returning id`,
      [booking.id],
    )
    return { booking, extras, complaint: rows[0].id as string }
  }
  const decide = (complaint: string, decision: string, returned: number | null, back: boolean | null) =>
    as(db, 'ada')('select public.decide_complaint($1, $2, $3, return_extras => $4) as sums', [
      complaint,
      decision,
      returned,
      back,
    ])

  it.each([
    ['release', null, null, { payout_cents: 8000 + 1600 + 3000, refund_cents: 0 }],
    ['refund', null, null, { payout_cents: 0, refund_cents: 12_000 + 2400 + 3000 }],
    ['split', 50, true, { payout_cents: 4000, refund_cents: 6000 + 2400 + 3000 }],
    ['split', 50, false, { payout_cents: 4000 + 1600 + 3000, refund_cents: 6000 }],
  ] as const)(
    'decided by %s of %s moves the extra payments (back: %s)',
    async (decision, returned, back, sums) => {
      const { booking, extras, complaint } = await complained()
      if (decision === 'split') {
        await expect(decide(complaint, decision, returned, null)).rejects.toMatchObject({
          message: 'Decide whether the extra payments go back, too',
          hint: 'return_extras',
        })
      }
      const { rows } = await decide(complaint, decision, returned, back)
      expect(rows[0].sums).toEqual(sums)
      await settleWithProvider(db, booking)
      for (const id of extras) await sendDue(db, id)
      const books = await allBalances(db, booking)
      for (const account of ['escrow', 'tasker', 'giver'])
        expect([account, books[account]]).toEqual([account, undefined])
    },
  )
})

describe('a dispute', () => {
  it('about an extra payment freezes it alone, and it follows when the bank has decided', async () => {
    await openPayoutAccount(db)
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    const id = await extra(db, booking, 'increase', 20)
    const { stripe_payment_intent_id: intent } = await paymentById(db, id)
    const dispute = (status: string, type: string) =>
      report(db, `charge.dispute.${type}`, {
        id: `du_${id}`,
        object: 'dispute',
        amount: 2400,
        payment_intent: intent,
        status,
      })
    await dispute('needs_response', 'funds_withdrawn')
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'frozen', open_disputes: 1 })
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held' })
    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'frozen', payout_status: 'none' })
    await dispute('won', 'closed')
    await dispute('won', 'funds_reinstated')
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'released', payout_status: 'queued' })
    await settleWithProvider(db, booking)
    await sendDue(db, id)
    expect(await allBalances(db, booking)).toEqual({ provider: 4800, platform_fees: -3600, gst: -1200 })
  })

  it('that is lost leaves the booking as it is; one about the booking returns the extra payments of unfinished work', async () => {
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    const id = await extra(db, booking, 'increase', 20)
    const { stripe_payment_intent_id: intent } = await paymentById(db, id)
    await report(db, 'charge.dispute.closed', {
      id: `du_${id}`,
      object: 'dispute',
      amount: 2400,
      payment_intent: intent,
      status: 'lost',
    })
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'refunded', payout_amount: '0.00' })
    expect((await bank.stateOf(booking)).status).toBe('in_progress')
    const second = await extra(db, booking, 'increase', 30)
    const { id: main } = await paymentOf(db, booking)
    await bank.open(main)
    expect(await paymentById(db, second)).toMatchObject({ escrow_status: 'held' })
    expect(await refusal(propose(db, booking, 'increase', 5))).toBe(
      'The payment is frozen until the bank has decided on a chargeback',
    )
    await bank.lose(main)
    expect((await bank.stateOf(booking)).status).toBe('cancelled')
    expect(await paymentById(db, second)).toMatchObject({ escrow_status: 'refunded', refund_amount: '36.00' })
  })

  it('of a part of an extra payment is decided by an admin', async () => {
    const booking = await bookingAt(db, 'in_progress', { amount: 100 })
    await setLimit(db, booking, 50)
    const id = await extra(db, booking, 'expense', 30)
    const { stripe_payment_intent_id: intent } = await paymentById(db, id)
    await report(db, 'charge.dispute.closed', {
      id: `du_${id}`,
      object: 'dispute',
      amount: 1000,
      payment_intent: intent,
      status: 'lost',
    })
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'frozen', unsettled_loss: '10.00' })
    await move(db, booking, cast.theo, 'completed')
    await release(db, booking)
    expect(await bank.decideLoss(id, 'refund')).toEqual({ payout_cents: 0, refund_cents: 2000 })
    expect(await paymentById(db, id)).toMatchObject({ escrow_status: 'refunded', payout_amount: '0.00' })
  })
})

describe('the words and photos of a change', () => {
  it('are in the export of both people, and leave with the account of the person who wrote them', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await openPayoutAccount(db, una)
    const booking = await bookingAt(db, 'in_progress', { tasker: una })
    const photo = await receiptPhoto(db, booking)
    const change = await propose(db, booking, 'increase', 20, { photos: [photo], reason: 'The kennel, too.' })
    const { rows: kept } = await owner(db)(`select private.photo_is_kept('booking-photos', $1) as kept`, [
      photo,
    ])
    expect(kept).toEqual([{ kept: true }])
    for (const person of [cast.grace, una]) {
      const { rows } = await owner(db)('select public.data_of_person($1) as data', [person])
      expect(JSON.stringify(rows[0].data.price_changes)).toContain('The kennel, too.')
      const files = await owner(db)('select name from private.files_to_export($1)', [person])
      expect(files.rows.map(({ name }) => name)).toContain(photo)
    }
    await agree(db, booking, change, 20)
    await move(db, booking, una, 'completed')
    await release(db, booking)
    const unpaid = await tip(db, booking, 5)
    const started = await startPaying(db, booking, unpaid)
    await settleWithProvider(db, booking)
    await sendDue(db, (await changeOf(db, change)).payment_id)
    const leave = () => owner(db)('delete from auth.users where id = $1', [una])
    expect(await refusal(leave())).toMatch(/money/i)
    await owner(db)('select public.record_payment_intent($1, $2)', [
      started.id,
      JSON.stringify({ id: started.intent, status: 'canceled' }),
    ])
    await leave()
    expect(await changeOf(db, change)).toMatchObject({ reason: null, photos: [], state: 'done' })
    expect((await changeOf(db, unpaid)).state).toBe('lapsed')
    expect(await refusal(tip(db, booking, 5))).toBe('This person has deleted their account')
  })
})

it('every change names the two people of its booking, who can watch their rows', async () => {
  const booking = await bookingAt(db, 'in_progress', { amount: 100 })
  const people = { task_giver_id: booking.giver, task_doer_id: booking.tasker }
  expect(await changeOf(db, await propose(db, booking, 'increase', 20))).toMatchObject(people)
  await owner(db)(
    `insert into public.booking_changes (booking_id, kind, proposed_by, amount, answer_by, task_giver_id, task_doer_id)
     values ($1, 'decrease', $2, 5, now() + interval '1 day', $3, $3)`,
    [booking.id, booking.giver, cast.sam],
  )
  const { rows } = await owner(db)('select id from public.booking_changes where booking_id = $1', [
    booking.id,
  ])
  for (const { id } of rows) expect(await changeOf(db, id)).toMatchObject(people)
  const watched = 'select id from public.booking_changes where task_giver_id = $1'
  expect((await as(db, 'sam')(watched, [booking.giver])).rowCount).toBe(0)
})
