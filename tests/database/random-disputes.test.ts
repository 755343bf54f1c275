// Random disputes: one paid booking at a time, disputed in parts, again and again, before and after its money is settled,
// with refunds made by hand; and the same news in every order. Whatever happens, the books agree with the provider's.

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { amount } from '../../packages/server/tests/support/soak.ts'
import { reconcile } from '../../scripts/reconcile.mjs'
import { answer, chargeExtra, propose, setLimit, startPaying } from './changes.ts'
import {
  apply,
  type Booking,
  balances,
  bookingAt,
  cancel,
  move,
  openPayoutAccount,
  paidIntent,
  paymentOf,
  postTask,
  release,
  report,
  tryInsert,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { createProvider } from './provider.ts'
import { paymentsOf } from './random-changes.ts'
import { brokenRules } from './rules.ts'

const db = databaseWithCast()
const provider = createProvider(db)
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  await openPayoutAccount(db) // Theo's; Una has none, so that hers wait
})

const steps = [
  'complete',
  'release',
  'complain',
  'decide complaint',
  'cancel as giver',
  'cancel as tasker',
  'silence',
  'payout',
  'refund',
  'reverse transfer',
  'refund by hand',
  'decide loss',
  'charge back',
  'charge back',
  'bank decides',
  'bank decides',
  'bank decides',
] as const
type Step = { kind: (typeof steps)[number]; n: number; yes: boolean }

/** A booking of Theo's or Una's that is paid through the provider, with an increase and an expense. */
async function paidBooking(tasker: string): Promise<Booking> {
  const booking = await apply(db, await postTask(db, { amount: 100 }), tasker)
  await move(db, booking, booking.giver, 'accepted')
  const { rows } = await as(db, booking.giver)('select public.prepare_payment($1) as due', [booking.id])
  const { payment_id, total_cents } = rows[0].due
  const intent = `pi_${payment_id}`
  await asService(db)('select public.attach_payment_intent($1, $2)', [payment_id, intent])
  provider.charge(intent, payment_id, total_cents)
  await report(db, 'payment_intent.succeeded', paidIntent(payment_id, intent, total_cents))
  await setLimit(db, booking, 40)
  for (const [kind, dollars] of [
    ['increase', 20],
    ['expense', 31.5],
  ] as const) {
    const change = await propose(db, booking, kind, dollars)
    await answer(db, change, booking.giver, dollars)
    const extra = await startPaying(db, booking, change)
    provider.charge(extra.intent, extra.id, extra.cents)
    await chargeExtra(db, extra)
  }
  return booking
}

/** Takes a step; steps of the provider are about the booking's payment of that number. */
async function take({ kind, n, yes }: Step, booking: Booking, which: number): Promise<void> {
  const payments = await paymentsOf(db, booking)
  const payment = payments[which % payments.length]
  const share = [1, 0.3, 0.999, 0.1][n % 4] as number
  const ada = as(db, 'ada')
  switch (kind) {
    case 'complete':
      await move(db, booking, booking.tasker, 'completed')
      return
    case 'release':
      await release(db, booking)
      return
    case 'complain':
      await tryInsert(db, booking.giver, 'complaints', {
        booking_id: booking.id,
        reason: 'Half of it is missing.',
      })
      await as(db, booking.tasker)(
        `update public.complaints set answer = 'It snowed again.' where booking_id = $1`,
        [booking.id],
      )
      return
    case 'decide complaint': {
      const decision = ['release', 'refund', 'split'][n % 3]
      await ada(
        `select public.decide_complaint(id, $2, $3, return_extras => $4) from public.complaints where booking_id = $1`,
        [booking.id, decision, n + 0.37, yes],
      )
      return
    }
    case 'cancel as giver':
    case 'cancel as tasker':
      await cancel(db, booking, kind === 'cancel as giver' ? booking.giver : booking.tasker)
      return
    case 'silence':
      await owner(db)(
        `update public.bookings set completed_at = completed_at - interval '7 days' where id = $1 and status = 'completed'`,
        [booking.id],
      )
      await asService(db)('select public.run_scheduled()')
      return
    case 'payout':
    case 'refund':
      await provider.send(kind, payment.id, n % 5 === 0)
      return
    case 'reverse transfer':
      if (payment.stripe_transfer_id) await provider.reverse(payment.stripe_transfer_id, payment.id)
      return
    case 'refund by hand':
      await provider.refundByHand(payment, share, yes)
      return
    case 'decide loss':
      await ada('select public.decide_loss($1, $2, $3)', [
        payment.id,
        ['carry_on', 'refund', 'split'][n % 3],
        n + 0.37,
      ])
      return
    case 'charge back':
      await provider.dispute(payment, share, yes && n % 2 === 0)
      return
    case 'bank decides':
      await provider.decide(payment, yes)
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...steps),
  n: fc.nat(60),
  yes: fc.boolean(),
})

it('keeps every rule, and the provider agrees to the cent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 30 }),
      fc.boolean(),
      async (life, withAccount) => {
        const booking = await paidBooking(withAccount ? cast.theo : una)
        for (const each of life) {
          await take(each, booking, life.length).catch((error) => {
            if (!/^(P0001|42501)$/.test(error.code)) throw error
          })
        }
        await provider.catchUp()
        expect(await brokenRules(db)).toEqual([])
        expect((await reconcile(db.database.pool, provider.objects() as never)).differences).toEqual([])
        expect(provider.sentTwice()).toEqual([])
      },
    ),
    { numRuns: amount({ gate: 30, soak: 500 }), endOnFailure: true },
  )
  // That these lives went through what the rules are about.
  const { rows } = await owner(db)(
    `select (select count(*) from public.disputes where status = 'won')::int as won,
       (select count(*) from public.disputes where status = 'lost')::int as lost,
       (select count(*) from (select from public.disputes group by payment_id having count(*) > 1) many)::int as "disputed twice",
       (select count(*) from public.outside_refunds)::int as "refunded by hand"`,
  )
  for (const [lived, times] of Object.entries(rows[0])) expect([lived, times]).not.toEqual([lived, 0])
})

/** Histories of a dispute, each word as in the bank's events; cents of 12,000. */
const histories = [
  ['needs_response', 'under_review', 'won'],
  ['needs_response', 'lost'],
  ['needs_response', 'under_review'],
  ['warning_needs_response', 'warning_under_review', 'warning_closed'],
  ['warning_needs_response', 'needs_response', 'lost'],
  ['needs_response', 'won', 'needs_response', 'lost'],
  ['warning_needs_response'],
]
const told: Record<string, string[]> = {
  won: ['charge.dispute.closed', 'charge.dispute.funds_reinstated'],
  lost: ['charge.dispute.closed'],
  warning_closed: ['charge.dispute.closed'],
}

type News = { type: string; object: object; created: number; id: string }

/** The events of the disputes of one charge; with `listed`, they say which money moved, as Stripe's do. */
function newsOf(intent: string, lives: { amount: number; words: string[] }[], listed: boolean): News[] {
  let created = 1_800_000_000
  return lives.flatMap(({ amount, words }, nth) => {
    const moved: { amount: number }[] = []
    let out = false
    return words.flatMap((status, at) => {
      const withdraws = status === 'needs_response' && !out
      if (withdraws || status === 'won') moved.push({ amount: withdraws ? -amount : amount })
      if (withdraws || status === 'won') out = withdraws
      const types = [
        ...(told[status] ?? [`charge.dispute.${at === 0 ? 'created' : 'updated'}`]),
        ...(withdraws ? ['charge.dispute.funds_withdrawn'] : []),
      ]
      created++
      return types.map((type) => ({
        type,
        created,
        id: `evt_${intent}_${nth}_${at}_${type}`,
        object: {
          id: `du_${nth}_${intent}`,
          object: 'dispute',
          amount,
          status,
          payment_intent: intent,
          ...(listed ? { balance_transactions: structuredClone(moved) } : {}),
        },
      }))
    })
  })
}

/** The state of a booking's money, without ids and times. */
async function standing(booking: Booking) {
  const { id, escrow_status, open_disputes, lost_amount, payout_amount } = await paymentOf(db, booking)
  const { rows: disputes } = await owner(db)(
    `select status, amount, withdrawn, reinstated, open, lost from public.disputes where payment_id = $1 order by id`,
    [id],
  )
  return {
    escrow_status,
    open_disputes,
    lost_amount,
    payout_amount,
    disputes,
    books: await balances(db, booking),
  }
}

describe('the same news in any order', () => {
  it.each([true, false])('end alike (money listed: %s)', async (listed) => {
    const one = fc.record({
      amount: fc.constantFrom(1, 4000, 4000, 11_999),
      words: fc.constantFrom(...histories),
    })
    const lives = fc
      .array(one, { minLength: 1, maxLength: 3 })
      .filter((all) => all.reduce((sum, { amount }) => sum + amount, 0) <= 12_000)
    // Without the list nobody can tell a second withdrawal of one dispute from the first.
    const tellable = listed ? lives : lives.filter((all) => all.every(({ words }) => words.length < 4))
    const orders = fc.array(fc.nat(1000), { minLength: 30, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(tellable, orders, fc.boolean(), async (disputes, order, done) => {
        const state = done ? 'completed' : 'in_progress'
        const [inOrder, shuffled] = [await bookingAt(db, state), await bookingAt(db, state)]
        const { id: first } = await paymentOf(db, inOrder)
        const { id: second } = await paymentOf(db, shuffled)
        for (const { type, object, id, created } of newsOf(`pi_${first}`, disputes, listed))
          await report(db, type, object, id, created)
        const mixed = newsOf(`pi_${second}`, disputes, listed)
          .map((news, n) => ({ news, place: order[n] ?? 0 }))
          .sort((a, b) => a.place - b.place)
          .map(({ news }) => news)
        for (const { type, object, id, created } of mixed) {
          await report(db, type, object, id, created)
          await report(db, type, object, `${id} again`, created)
        }
        expect(await standing(shuffled)).toEqual(await standing(inOrder))
      }),
      { numRuns: amount({ gate: 8, soak: 200 }), endOnFailure: true },
    )
    expect(await brokenRules(db)).toEqual([])
  })
})
