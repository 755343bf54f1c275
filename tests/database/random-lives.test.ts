// Random lives: many people act on a few tasks at once, with retries, duplicates and races from parallel
// connections. Whatever happens, the rules that no order of events may break hold afterwards.

import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { amount } from '../../packages/server/tests/support/soak.ts'
import { reconcile } from '../../scripts/reconcile.mjs'
import {
  apply,
  type Booking,
  cancel,
  move,
  openPayoutAccount,
  paidIntent,
  postTask,
  release,
  report,
  tryInsert,
} from './lives.ts'
import { answerOffer, offerAny } from './offers.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { createProvider, runScheduled } from './provider.ts'
import { type ChangeAct, changeActs, changePrice, nextChange, paymentsOf } from './random-changes.ts'
import { brokenRules } from './rules.ts'

const db = databaseWithCast()
let taskers: string[]
let givers: string[]
const provider = createProvider(db)

beforeAll(async () => {
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  taskers = [cast.theo, una]
  givers = [cast.grace, cast.sam]
  await openPayoutAccount(db, cast.theo) // Una has none: hers wait
})

/** Possible acts; `n` picks the booking, `who` a person. */
const acts = [
  'post',
  'apply',
  ...(['offer', 'counter', 'accept counter', 'decline counter'] as const),
  'accept',
  'reject',
  'withdraw',
  'pay',
  'pay twice',
  'start paying',
  'close intent',
  'late event',
  'complete',
  'release',
  'cancel as giver',
  'cancel as tasker',
  'complain',
  'decide',
  'review',
  'write',
  'payout',
  'refund',
  'reverse transfer',
  'charge back',
  'charge back',
  'bank decides',
  'bank decides',
  'refund by hand',
  'decide loss',
  'age',
  'time passes',
  ...changeActs,
] as const
// Mostly the step that comes next, or most lives would end before they were paid.
const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constant('go on' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...acts) },
)
const act = fc.record({
  kind,
  n: fc.nat(50),
  who: fc.nat(3),
  stars: fc.integer({ min: 1, max: 5 }),
})
type Act = { kind: (typeof acts)[number] | 'go on'; n: number; who: number; stars: number }

/** Refusals are part of life; a deadlock or a broken constraint is not. */
const mayFail = /^(P0001|42501)$/

async function attempt(what: Act, tasks: string[], bookings: Booking[]): Promise<void> {
  // Among the newest few, so that lives get on.
  const pick = <T>(list: T[]): T | undefined => list.at(-1 - (what.n % Math.max(1, Math.min(5, list.length))))
  const booking = pick(bookings)
  const giver = givers[what.who % givers.length] as string
  const tasker = taskers[what.who % taskers.length] as string
  if (what.kind === 'post') {
    tasks.push(
      await postTask(db, {
        giver,
        amount: 25 + what.n,
        scheduled: `${what.n + tasks.length} hours`,
        minutes: 30,
        expenses: what.n % 3 ? null : 20 + what.n,
      }),
    )
    return
  }
  if (what.kind === 'apply') {
    const task = pick(tasks)
    if (task) bookings.push(await apply(db, task, tasker))
    return
  }
  if (what.kind === 'offer') {
    const task = pick(tasks)
    if (task) bookings.push(await offerAny(db, task, tasker, what.n, 100 + 3 * tasks.length))
    return
  }
  if (what.kind === 'time passes') {
    await runScheduled(db, provider)
    return
  }
  if (!booking) return
  await onBooking(what.kind === 'go on' ? { ...what, kind: await nextStep(booking, what) } : what, booking)
}

/** The usual next step of this booking. */
async function nextStep(booking: Booking, { stars, n }: Act): Promise<Act['kind']> {
  const { rows } = await owner(db)(
    `select b.status, b.counter_state, b.offer_options is not null as offered, p.escrow_status, p.stripe_payment_intent_id, p.open_disputes, p.unsettled_loss::float from public.bookings b left join public.payments p on p.booking_id = b.id
     where b.id = $1`,
    [booking.id],
  )
  switch (rows[0].status) {
    case 'pending':
      if (rows[0].counter_state === 'open') return stars > 1 ? 'accept counter' : 'decline counter'
      return rows[0].offered && n % 3 === 0 ? 'counter' : 'accept'
    case 'accepted':
      if (rows[0].stripe_payment_intent_id) return n % 2 === 0 ? 'close intent' : 'pay'
      return stars <= 2 ? 'start paying' : 'pay'
    case 'in_progress':
      return (await nextChange(db, booking, n)) ?? 'complete'
    case 'completed':
      if (rows[0].open_disputes > 0) return 'bank decides'
      if (rows[0].unsettled_loss > 0) return stars > 3 ? 'charge back' : 'decide loss'
      if (rows[0].escrow_status === 'frozen') return 'decide'
      if (rows[0].escrow_status === 'held') return stars <= 2 ? 'complain' : 'release'
      return stars > 2 ? 'payout' : n % 2 ? 'tip' : 'review'
    default:
      return 'refund'
  }
}

async function onBooking(what: Act, booking: Booking): Promise<void> {
  const payments = await paymentsOf(db, booking)
  const payment = payments[what.who % Math.max(1, payments.length)]
  if (changeActs.includes(what.kind as ChangeAct)) {
    await changePrice(db, provider, booking, what.kind as ChangeAct, what.n)
    return
  }
  const cents = payment ? Math.round(Number(payment.total) * 100) : 0
  switch (what.kind) {
    case 'age': // a fortnight without paying, or a week without a word
      await owner(db)(
        `update public.bookings set accepted_at = accepted_at - interval '15 days',
           completed_at = completed_at - interval '7 days', answer_by = answer_by - interval '49 hours'
         where id = $1 and (status in ('accepted', 'completed') or status = 'pending' and answer_by is not null)`,
        [booking.id],
      )
      // A question from before the end may come after it now: a rewritten past is counted anew.
      await owner(db)('select private.recount_person($1)', [booking.tasker])
      return
    case 'accept':
    case 'counter':
    case 'accept counter':
    case 'decline counter':
      await answerOffer(db, booking, what.kind, what.n)
      return
    case 'reject':
      await move(db, booking, booking.giver, 'rejected')
      return
    case 'withdraw':
      await move(db, booking, booking.tasker, 'cancelled')
      return
    case 'pay':
    case 'pay twice': {
      const { rows } = await as(db, booking.giver)('select public.prepare_payment($1) as due', [booking.id])
      const { payment_id, total_cents, idempotency_key } = rows[0].due
      const paid = paidIntent(payment_id, `pi_${idempotency_key}`, total_cents)
      if (!provider.charge(paid.id, payment_id, total_cents)) return
      const times = what.kind === 'pay' ? 1 : 3
      await Promise.all(
        Array.from({ length: times }, (_, n) =>
          report(db, 'payment_intent.succeeded', paid, `evt_${payment_id}_${n % 2}`),
        ),
      )
      await asService(db)('select public.attach_payment_intent($1, $2)', [payment_id, paid.id])
      return
    }
    case 'start paying': {
      const { rows } = await as(db, booking.giver)('select public.prepare_payment($1) as due', [booking.id])
      const { payment_id, idempotency_key } = rows[0].due
      await asService(db)('select public.attach_payment_intent($1, $2)', [
        payment_id,
        `pi_${idempotency_key}`,
      ])
      return
    }
    case 'close intent': {
      // As handle-cancellation does; the provider would refuse if it had been paid.
      const { rows } = await as(db, booking.giver)('select public.prepare_cancellation($1) as open', [
        booking.id,
      ])
      const { payment_id, payment_intent_id } = rows[0].open
      if (!payment_id || !provider.close(payment_intent_id)) return
      const intent = JSON.stringify({ id: payment_intent_id, status: 'canceled' })
      await asService(db)('select public.record_payment_intent($1, $2)', [payment_id, intent])
      await cancel(db, booking, what.n % 2 ? booking.giver : booking.tasker)
      return
    }
    case 'late event':
      if (provider.charged(payment?.stripe_payment_intent_id)) {
        const paid = paidIntent(payment.id, payment.stripe_payment_intent_id, cents)
        await report(db, 'payment_intent.succeeded', paid)
      }
      return
    case 'charge back': // all of it, half of it, nearly all of it
      if (payment) await provider.dispute(payment, [1, 0.5, 0.999][what.n % 3] as number, what.n % 5 === 0)
      return
    case 'bank decides':
      if (payment) await provider.decide(payment, what.stars > 2)
      return
    case 'refund by hand':
      if (payment) await provider.refundByHand(payment, what.n % 4 ? 0.3 : 1, what.stars === 1)
      return
    case 'decide loss':
      if (payment)
        await as(db, 'ada')('select public.decide_loss($1, $2, $3)', [
          payment.id,
          ['carry_on', 'refund', 'split'][what.n % 3],
          what.n / 3 + 0.37,
        ])
      return
    case 'complete':
      await move(db, booking, booking.tasker, 'completed')
      return
    case 'release':
      await Promise.all([release(db, booking), release(db, booking)])
      return
    case 'cancel as giver':
      await cancel(db, booking, booking.giver)
      return
    case 'cancel as tasker':
      await cancel(db, booking, booking.tasker)
      return
    case 'complain':
      await tryInsert(db, booking.giver, 'complaints', {
        booking_id: booking.id,
        reason: 'Not quite what was asked.',
      })
      return
    case 'decide': {
      const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
      const decision = ['release', 'refund', 'split'][what.n % 3]
      if (what.n % 5)
        await as(db, booking.tasker)('update public.complaints set answer = $2 where booking_id = $1', [
          booking.id,
          'It snowed again at noon.',
        ])
      if (rows[0])
        await as(db, 'ada')('select public.decide_complaint($1, $2, $3, return_extras => $4)', [
          rows[0].id,
          decision,
          what.n / 3 + 0.37,
          what.who > 1,
        ])
      return
    }
    case 'review':
      await Promise.all(
        [booking.giver, booking.tasker].map((reviewer) =>
          tryInsert(db, reviewer, 'reviews', {
            booking_id: booking.id,
            reviewer_id: reviewer,
            rating: what.stars,
          }),
        ),
      )
      return
    case 'write':
      await Promise.allSettled(
        [booking.giver, booking.tasker]
          .slice(what.n % 2)
          .map((sender) =>
            as(db, sender)(
              'insert into public.messages (booking_id, sender_id, receiver_id, message) values ($1, $2, $3, $4)',
              [booking.id, sender, sender === booking.giver ? booking.tasker : booking.giver, 'Hello'],
            ),
          ),
      )
      return
    case 'payout':
    case 'refund':
      if (payment) await provider.send(what.kind, payment.id, what.n % 4 === 0)
      return
    case 'reverse transfer':
      if (payment?.stripe_transfer_id && what.n % 3 === 0)
        await provider.reverse(payment.stripe_transfer_id, payment.id)
  }
}

it('keeps every rule', async () => {
  const tasks: string[] = []
  const bookings: Booking[] = []
  // Batches of acts that start together; enough of the early steps that the late ones find something to act on.
  const batches = fc.array(fc.array(act, { minLength: 1, maxLength: 5 }), { minLength: 5, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(batches, async (life) => {
      for (const who of [0, 1]) {
        for (const kind of ['post', who === 0 ? 'apply' : 'offer'] as const) {
          await attempt({ kind, n: 0, who, stars: 5 }, tasks, bookings)
        }
      }
      for (const batch of life) {
        const outcomes = await Promise.allSettled(batch.map((what) => attempt(what, tasks, bookings)))
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected' && !mayFail.test(outcome.reason.code)) throw outcome.reason
        }
      }
      expect(await brokenRules(db)).toEqual([])
      await provider.catchUp()
      expect(await brokenRules(db)).toEqual([])
      expect((await reconcile(db.database.pool, provider.objects() as never)).differences).toEqual([])
      expect(provider.sentTwice()).toEqual([])
    }),
    { numRuns: amount({ gate: 25, soak: 2000 }), endOnFailure: true },
  )
  // That there was something to keep: these lives went through what the rules are about.
  const { rows } = await owner(db)(
    `select count(*) filter (where escrow_status <> 'pending')::int as paid,
       count(*) filter (where closed_intents <> '{}')::int as closed,
       (select count(*) from public.disputes)::int as disputed,
       (select count(*) from public.bookings where accepted_option is not null)::int as chosen,
       (select count(*) from public.bookings where counter_state = 'accepted')::int as countered,
       (select count(*) from public.complaints where decision is not null)::int as decided,
       count(*) filter (where part_of is not null and escrow_status = 'released')::int as extras, count(*) filter (where reduction > 0)::int as lowered
     from public.payments`,
  )
  expect(rows[0].paid).toBeGreaterThan(20)
  for (const lived of ['closed', 'disputed', 'decided', 'chosen', 'countered', 'extras', 'lowered']) {
    expect([lived, rows[0][lived]]).not.toEqual([lived, 0])
  }
})
