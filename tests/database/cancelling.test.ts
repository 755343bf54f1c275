// A cancellation while a payment is being made: nobody can cancel a booking whose card may be charged at this moment.
// A charge is held before it is cancelled, once, whichever side learns about it first.
import { beforeEach, describe, expect, it } from 'vitest'
import { textsIn } from '../../supabase/functions/_shared/texts.ts'
import { bellOf } from './bell.ts'
import {
  type Booking,
  balances,
  bookingAt,
  cancel,
  move,
  paidIntent,
  paymentOf,
  refusal,
  report,
  settleWithProvider,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const started = 'The payment of this booking was started: it is cancelled through handle-cancellation'

const db = databaseWithCast()
const { heard, nothingNew } = bellOf(db)
let booking: Booking
let due: { payment_id: string; total_cents: number; idempotency_key: string }
let intent: string

const prepare = async () =>
  (await as(db, 'grace')('select public.prepare_payment($1) as due', [booking.id])).rows[0].due
const attach = (id = intent) =>
  asService(db)('select public.attach_payment_intent($1, $2)', [due.payment_id, id])
const record = (object: object) =>
  asService(db)('select public.record_payment_intent($1, $2) as note', [
    due.payment_id,
    JSON.stringify(object),
  ])
const closed = () => record({ id: intent, status: 'canceled' })
const paid = () => paidIntent(due.payment_id, intent, due.total_cents)
const statusOf = async () =>
  (await owner(db)('select status from public.bookings where id = $1', [booking.id])).rows[0].status
const prepareCancellation = (person: string) =>
  as(db, person)('select public.prepare_cancellation($1) as open', [booking.id])

/** An accepted booking whose payment Grace has started. */
beforeEach(async () => {
  booking = await bookingAt(db, 'accepted', { amount: 100, scheduled: '30 minutes' })
  due = await prepare()
  intent = `pi_${due.payment_id}`
  await attach()
})

describe('while a payment intent is attached', () => {
  it('neither side cancels, by whatever call, nor does the schedule or a leaving person', async () => {
    for (const person of [cast.grace, cast.theo]) {
      expect(await refusal(move(db, booking, person, 'cancelled'))).toBe(started)
      expect(await refusal(cancel(db, booking, person))).toBe(started)
    }
    await owner(db)(`update public.bookings set accepted_at = now() - interval '15 days' where id = $1`, [
      booking.id,
    ])
    await asService(db)('select public.run_scheduled()')
    expect(await refusal(owner(db)('delete from auth.users where id = $1', [cast.grace]))).toMatch(
      /still on its way/,
    )
    expect(await statusOf()).toBe('accepted')
    expect(await paymentOf(db, booking)).toMatchObject({
      escrow_status: 'pending',
      stripe_payment_intent_id: intent,
    })
  })

  it('only the two parties can read which intent it is', async () => {
    for (const person of ['grace', 'theo']) {
      expect((await prepareCancellation(person)).rows[0].open).toEqual({
        payment_id: due.payment_id,
        payment_intent_id: intent,
        listing: 'listed_again',
      })
    }
    expect(await refusal(prepareCancellation('sam'))).toBe('Booking not found')
    expect(await refusal(prepareCancellation('ada'))).toBe('Booking not found')
    await expect(prepareCancellation('anonymous')).rejects.toThrow(/permission denied/)
    for (const person of ['grace', 'theo', 'ada']) {
      for (const call of [`record_payment_intent($1, '{}')`, `attach_payment_intent($1, 'x')`]) {
        await expect(as(db, person)(`select public.${call}`, [due.payment_id])).rejects.toThrow(
          /permission denied/,
        )
      }
      await expect(as(db, person)('select public.overdue_intents()')).rejects.toThrow(/permission denied/)
    }
  })

  it('a booking whose time to be paid is over is named to run-scheduled', async () => {
    const overdue = async () =>
      (await asService(db)('select * from public.overdue_intents()')).rows.map((row) => row.payment_intent_id)
    expect(await overdue()).not.toContain(intent)
    await owner(db)(`update public.bookings set accepted_at = now() - interval '15 days' where id = $1`, [
      booking.id,
    ])
    expect(await overdue()).toContain(intent)
    await closed()
    expect(await overdue()).not.toContain(intent)
    while ((await asService(db)('select public.run_scheduled() as n')).rows[0].n > 0);
    expect(await statusOf()).toBe('cancelled')
  })
})

describe('an intent that was closed', () => {
  it('lets the booking go for nothing, as nothing can be charged any more', async () => {
    await closed()
    await closed()
    expect((await prepareCancellation('grace')).rows[0].open).toEqual({
      payment_id: null,
      payment_intent_id: null,
      listing: 'listed_again',
    })
    expect(await cancel(db, booking, cast.grace)).toMatchObject({ fee_cents: 0, refund_cents: 0 })
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'pending', closed_intents: [intent] })
    expect(await balances(db, booking)).toEqual({})
    expect(await refusal(attach('pi_another'))).toBe('Only an accepted booking can be paid')
  })

  it('is never attached again; the next one has another key', async () => {
    await closed()
    const again = await prepare()
    expect(again).toMatchObject({
      payment_id: due.payment_id,
      payment_intent_id: null,
      idempotency_key: `payment-${due.payment_id}-2`,
    })
    expect(await refusal(attach())).toBe('This payment has another payment intent')
    await attach(`pi_second_${due.payment_id}`)
    await closed() // late news of the first changes nothing
    expect(await paymentOf(db, booking)).toMatchObject({
      stripe_payment_intent_id: `pi_second_${due.payment_id}`,
    })
    expect(await refusal(cancel(db, booking, cast.grace))).toBe(started)
  })

  it('is recorded from an event, too', async () => {
    await report(db, 'payment_intent.canceled', { ...paid(), amount_received: 0, status: 'canceled' })
    expect(await paymentOf(db, booking)).toMatchObject({
      stripe_payment_intent_id: null,
      closed_intents: [intent],
    })
    await report(db, 'payment_intent.canceled', { ...paid(), status: 'canceled' })
    expect((await paymentOf(db, booking)).closed_intents).toEqual([intent])
  })
})

describe('an intent that turns out to be paid', () => {
  it('is held and then cancelled at its true price, whoever says it first', async () => {
    await record({ ...paid(), status: 'succeeded' })
    await record({ ...paid(), status: 'succeeded' })
    await report(db, 'payment_intent.succeeded', paid())
    expect(await statusOf()).toBe('in_progress')
    expect(await balances(db, booking)).toEqual({ escrow: -12_000, provider: 12_000 })
    expect(await cancel(db, booking, cast.grace)).toMatchObject({ fee_cents: 5000, refund_cents: 7000 })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({ gst: -250, platform_fees: -750, provider: 1000 })
  })

  it('costs a tasker who cancels nothing, and gives everything back', async () => {
    await record({ ...paid(), status: 'succeeded' })
    expect(await cancel(db, booking, cast.theo)).toMatchObject({ fee_cents: 0, refund_cents: 12_000 })
  })

  it('of the wrong amount is left for a person, and cancels nothing', async () => {
    const { rows } = await record({ ...paid(), amount_received: 1, status: 'succeeded' })
    expect(rows[0].note).toBe('the amount charged is not the total of this payment')
    expect(await refusal(cancel(db, booking, cast.grace))).toBe(started)
  })

  it('only in a state that is an end', async () => {
    for (const status of ['processing', 'requires_action', 'requires_payment_method', null]) {
      expect(await refusal(record({ id: intent, status }))).toMatch(/that has ended/)
    }
    expect(await refusal(record({ status: 'succeeded' }))).toMatch(/that has ended/)
    expect(await statusOf()).toBe('accepted')
  })
})

it('ends in one of two states, with nothing lost, when everything happens at once', async () => {
  for (let round = 0; round < 12; round++) {
    booking = await bookingAt(db, 'accepted', { amount: 60 })
    due = await prepare()
    intent = `pi_${due.payment_id}`
    const charged = round % 2 === 0
    await Promise.allSettled([
      attach(),
      cancel(db, booking, cast.grace),
      charged ? report(db, 'payment_intent.succeeded', paid()) : closed(),
      charged ? record({ ...paid(), status: 'succeeded' }) : closed(),
      move(db, booking, cast.theo, 'cancelled'),
      cancel(db, booking, cast.theo),
    ])
    await cancel(db, booking, cast.grace).catch(() => {})
    const payment = await paymentOf(db, booking)
    expect(['cancelled refunded', 'cancelled pending', 'accepted pending']).toContain(
      `${await statusOf()} ${payment.escrow_status}`,
    )
    if (charged) expect(payment.escrow_status).toBe('refunded')
    if ((await statusOf()) === 'accepted') expect(payment.stripe_payment_intent_id).toBe(intent)
    await settleWithProvider(db, booking)
    expect(Object.values(await balances(db, booking)).reduce((a, b) => a + b, 0)).toBe(0)
  }
})

it('lists the task again, unless its giver says otherwise', async () => {
  for (const state of ['accepted', 'in_progress'] as const) {
    const chosen: [string, boolean, string][] = [
      [cast.grace, true, 'open'],
      [cast.grace, false, 'cancelled'],
      // The task is not the tasker's to withdraw.
      [cast.theo, false, 'open'],
    ]
    for (const [person, listAgain, expected] of chosen) {
      const booking = await bookingAt(db, state)
      await as(db, person)('select public.cancel_booking($1, null, $2)', [booking.id, listAgain])
      const { rows } = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
      expect([state, person, listAgain, rows[0].status]).toEqual([state, person, listAgain, expected])
    }
  }
})

describe('a tasker who cancels', () => {
  const asked = async (person: string, id: string) =>
    (await as(db, person)('select public.prepare_cancellation($1) as open', [id])).rows[0].open.listing

  it.each([
    { listing: 'listed_again', hours: 48, suspended: false, says: 'The task is listed again.' },
    { listing: 'closed', hours: -2, suspended: true, says: 'The task is closed.' },
    {
      listing: 'on_hold',
      hours: 48,
      suspended: true,
      says: 'The task stays on hold while your account is suspended.',
    },
  ])('is answered before and after that it is $listing, which the giver is notified of', async (given) => {
    const booking = await bookingAt(db, 'in_progress', { amount: 100, scheduled: `${given.hours} hours` })
    if (given.suspended)
      await as(db, 'ada')('select public.suspend_person($1, $2)', [cast.grace, 'Spam in chats'])
    await nothingNew()
    for (const person of ['theo', 'grace']) expect(await asked(person, booking.id)).toBe(given.listing)
    expect((await cancel(db, booking, cast.theo)).listing).toBe(given.listing)
    const [news] = await heard('grace')
    expect(news).toMatchObject({
      key: 'booking_cancelled_refund',
      message: `Theo Tasker cancelled the booking for "Clear the driveway". Fee $0.00, refund $120.00. ${given.says}`,
      params: { codes: { listing: given.listing } },
    })
    if (given.suspended) await as(db, 'ada')('select public.lift_suspension($1)', [cast.grace])
  })

  it('is not answered for an application, which leaves the task as it is', async () => {
    const applied = await bookingAt(db, 'pending')
    expect(await asked('theo', applied.id)).toBe(null)
  })
})

it('closes a task whose time has passed, whoever cancels', async () => {
  for (const person of [cast.grace, cast.theo]) {
    const booking = await bookingAt(db, 'in_progress', { scheduled: '-2 hours' })
    const { rows } = await as(db, person)('select public.cancel_booking($1) as answer', [booking.id])
    expect(rows[0].answer.listing).toBe('closed')
    const task = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
    expect(task.rows[0].status).toBe('cancelled')
  }
})

it('answers a suspended giver that the task stays on hold', async () => {
  const booking = await bookingAt(db, 'in_progress')
  await as(db, 'ada')('select public.suspend_person($1, $2)', [cast.grace, 'Spam in chats'])
  await nothingNew()
  const { rows } = await as(db, 'grace')('select public.cancel_booking($1) as answer', [booking.id])
  expect(rows[0].answer.listing).toBe('on_hold')
  const [own] = await heard('grace')
  expect(own?.message).toContain('The task stays on hold while your account is suspended.')
  await as(db, 'ada')('select public.lift_suspension($1)', [cast.grace])
})

it.each([
  {
    listAgain: true,
    code: 'listed_again',
    english: 'The task is listed again.',
    german: 'Der Auftrag ist wieder offen.',
  },
  {
    listAgain: false,
    code: 'closed',
    english: 'The task is closed.',
    german: 'Der Auftrag ist geschlossen.',
  },
])(
  'notifies the giver who cancels of the cost, and that $english',
  async ({ listAgain, code, english, german }) => {
    const paid = await bookingAt(db, 'in_progress', { amount: 100, scheduled: '30 minutes' })
    await nothingNew()
    await as(db, 'grace')('select public.cancel_booking($1, null, $2)', [paid.id, listAgain])
    const [own, ...others] = await heard('grace')
    expect(others).toEqual([])
    expect(own).toMatchObject({
      key: 'own_booking_cancelled',
      title: 'Booking cancelled',
      message: `You cancelled the booking for "Clear the driveway". Fee $50.00, refund $70.00. ${english}`,
      link: `/bookings?booking=${paid.id}`,
      params: { task: 'Clear the driveway', fee: 50, refund: 70, listing: english, codes: { listing: code } },
    })
    expect(textsIn('de').notifications.say('own_booking_cancelled.message', own?.params)).toBe(
      `Du hast die Buchung für „Clear the driveway“ storniert. Gebühr 50,00\u00a0$, Erstattung 70,00\u00a0$. ${german}`,
    )
  },
)
