// The payment provider of the random lives: one answer to one idempotency key, news in twos, late and out of order. It
// keeps every object that moved money, as the real one would list it.
import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../support/database.ts'
import { report } from './lives.ts'
import { asService } from './personas.ts'

type Payment = { id: string; stripe_payment_intent_id: string; total: string }
type Money = { id: string; object: string; amount: number; [field: string]: unknown }
type Dispute = Money & { status: string; payment_intent: string; balance_transactions: { amount: number }[] }

export interface Provider {
  /** The card is charged with that many cents, unless the intent was closed or charged before; answers whether. */
  charge(intent: string, payment: string, cents: number): boolean
  /** Closes an intent, so that it can never charge; answers whether, which it does not once it has charged. */
  close(intent: string): boolean
  charged(intent: string): boolean
  /** The card holder disputes a part of what is left of the charge, or the bank asks first; some of the news come later. */
  dispute(payment: Payment, share: number, inquiry: boolean): Promise<void>
  /** The bank takes the next step with the oldest dispute that is open: it escalates, returns the money or keeps it. */
  decide(payment: Payment, won: boolean): Promise<void>
  /** Somebody refunds a part of what is left at the provider itself; it may fail afterwards. */
  refundByHand(payment: Payment, share: number, fails: boolean): Promise<void>
  /** All of a transfer comes back. */
  reverse(transfer: string, payment: string): Promise<void>
  /** Delivers what was kept back, the latest first, all of it twice. */
  catchUp(): Promise<void>
  /** Does what release-payout and refund-payment do; `refuses` when the key is new to it. */
  send(kind: 'payout' | 'refund', payment: string, refuses: boolean): Promise<void>
  /** Payments for which money left more than once. */
  sentTwice(): string[]
  /** Every object that moved money, in cents, as it stands now. */
  objects(): AsyncIterable<Money>
}

export function createProvider(db: TestDatabase): Provider {
  const charges = new Map<string, Money & { left: number }>()
  const closed = new Set<string>()
  const answers = new Map<string, 'made' | 'refused'>()
  const sent = new Map<string, Set<string>>()
  const moved = new Map<string, Money>()
  const disputes: Dispute[] = []
  const late: (() => Promise<unknown>)[] = []
  let seconds = 1_800_000_000
  let count = 0

  /** Sends an event of `object` as it is now; every third time much later. */
  const tell = async (type: string, object: Money) => {
    const event = { id: `evt_${randomUUID()}`, created: ++seconds, snapshot: structuredClone(object) }
    const deliver = () => report(db, type, event.snapshot, event.id, event.created)
    late.push(deliver)
    if (++count % 3 !== 0) await deliver()
  }

  return {
    charge(intent, payment, cents) {
      if (closed.has(intent)) return false
      const charge = {
        id: `ch_${intent}`,
        object: 'charge',
        amount: cents,
        status: 'succeeded',
        payment_intent: intent,
      }
      if (!charges.has(intent))
        charges.set(intent, { ...charge, left: cents, metadata: { payment_id: payment } })
      return true
    },
    close(intent) {
      if (charges.has(intent)) return false
      closed.add(intent)
      return true
    },
    charged: (intent) => charges.has(intent),
    async dispute({ stripe_payment_intent_id: intent }, share, inquiry) {
      const charge = charges.get(intent)
      const amount = Math.ceil((charge?.left ?? 0) * share)
      if (!charge || amount === 0) return
      charge.left -= amount
      const dispute: Dispute = {
        id: `du_${disputes.length}_${intent}`,
        object: 'dispute',
        amount,
        payment_intent: intent,
        status: inquiry ? 'warning_needs_response' : 'needs_response',
        balance_transactions: inquiry ? [] : [{ amount: -amount }],
      }
      disputes.push(dispute)
      const told = [tell('charge.dispute.created', dispute)]
      if (!inquiry) told.push(tell('charge.dispute.funds_withdrawn', dispute))
      await Promise.all(told)
    },
    async decide({ stripe_payment_intent_id: intent }, won) {
      const dispute = disputes.find(
        (one) => one.payment_intent === intent && /response|review/.test(one.status),
      )
      const charge = charges.get(intent)
      if (!dispute || !charge) return
      if (dispute.status === 'warning_needs_response' && !won) {
        dispute.status = 'needs_response'
        dispute.balance_transactions.push({ amount: -dispute.amount })
        await Promise.all(
          ['updated', 'funds_withdrawn'].map((step) => tell(`charge.dispute.${step}`, dispute)),
        )
        return
      }
      const inquiry = dispute.status.startsWith('warning')
      dispute.status = inquiry ? 'warning_closed' : won ? 'won' : 'lost'
      if (won) charge.left += dispute.amount
      if (won && !inquiry) dispute.balance_transactions.push({ amount: dispute.amount })
      const steps = won && !inquiry ? ['closed', 'funds_reinstated'] : ['closed']
      await Promise.all(steps.map((step) => tell(`charge.dispute.${step}`, dispute)))
    },
    async refundByHand({ stripe_payment_intent_id: intent }, share, fails) {
      const charge = charges.get(intent)
      const amount = Math.ceil((charge?.left ?? 0) * share)
      if (!charge || amount === 0) return
      const id = `re_by_hand_${moved.size}_${intent}`
      const refund = { id, object: 'refund', amount, payment_intent: intent, status: 'succeeded' }
      charge.left -= amount
      moved.set(id, refund)
      await tell('refund.created', refund)
      if (!fails) return
      charge.left += amount
      refund.status = 'failed'
      await tell('refund.failed', refund)
    },
    async reverse(id, payment) {
      const transfer = moved.get(id)
      if (!transfer) return
      transfer.amount_reversed = transfer.amount
      await report(db, 'transfer.reversed', { ...transfer, metadata: { payment_id: payment } })
    },
    async catchUp() {
      const all = late.splice(0).reverse()
      for (const deliver of [...all, ...all]) await deliver()
    },
    async send(kind, payment, refuses) {
      const { rows } = await asService(db)(`select public.begin_${kind}($1) as due`, [payment])
      const { action, idempotency_key: key, amount_cents: amount, payment_intent } = rows[0].due
      if (action !== 'send') return
      const charge = kind === 'refund' ? charges.get(payment_intent) : undefined
      const tooMuch = charge !== undefined && !answers.has(key) && amount > charge.left
      if (!answers.has(key)) answers.set(key, refuses || tooMuch ? 'refused' : 'made')
      if (answers.get(key) === 'refused') {
        await asService(db)(`select public.fail_${kind}($1, 'Refused', $2)`, [payment, key])
        return
      }
      const id = `${kind === 'payout' ? 'tr' : 're'}_${key}`
      const name = `${kind} of ${payment}`
      if (charge && !moved.has(id)) charge.left -= amount
      sent.set(name, (sent.get(name) ?? new Set()).add(id))
      const object = {
        id,
        object: kind === 'payout' ? 'transfer' : 'refund',
        amount,
        amount_reversed: 0,
        status: 'succeeded',
        metadata: { payment_id: payment },
      }
      if (!moved.has(id)) moved.set(id, object)
      // The event races the function's own answer; every fourth time both arrive much later.
      const arrive = () =>
        Promise.all([
          report(db, kind === 'payout' ? 'transfer.created' : 'refund.created', object),
          // A bank may have returned the money meanwhile: the function's late answer is then refused, and its event counts.
          asService(db)(`select public.finish_${kind}($1, $2)`, [payment, id]).catch((error) => {
            if (error.code !== 'P0001') throw error
          }),
        ])
      if (++count % 4 === 0) late.push(arrive)
      else await arrive()
    },
    sentTwice: () => [...sent].filter(([, ids]) => ids.size > 1).map(([name]) => name),
    async *objects() {
      yield* charges.values()
      yield* moved.values()
      yield* disputes
    },
  }
}

/** As the function run-scheduled does: payments that were never finished are closed first. */
export async function runScheduled(
  db: TestDatabase,
  provider: Pick<ReturnType<typeof createProvider>, 'close'>,
): Promise<void> {
  const { rows } = await asService(db)('select * from public.overdue_intents()')
  for (const { payment_id, payment_intent_id: id } of rows) {
    if (!provider.close(id)) continue // it was charged: its event is on its way
    const intent = JSON.stringify({ id, status: 'canceled' })
    await asService(db)('select public.record_payment_intent($1, $2)', [payment_id, intent])
  }
  for (let n = 0; n < 20; n++) {
    if ((await asService(db)('select public.run_scheduled() as done')).rows[0].done === 0) return
  }
}
