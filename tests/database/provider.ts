// The payment provider of the random lives: one answer to one idempotency key, news in twos and out of order.
import type { TestDatabase } from '../support/database.ts'
import { report } from './lives.ts'
import { asService } from './personas.ts'

export interface Provider {
  /** The intents that were charged: those are never cancelled. */
  charged: Set<string>
  /** The bank takes the money back (null), or says how it ended. */
  dispute(
    payment: { id: string; stripe_payment_intent_id: string },
    cents: number,
    outcome: 'won' | 'lost' | null,
  ): Promise<void>
  /** Does what release-payout and refund-payment do; `refuses` when the key is new to it. */
  send(kind: 'payout' | 'refund', payment: string, refuses: boolean): Promise<void>
  /** Payments for which money left more than once. */
  sentTwice(): string[]
}

export function createProvider(db: TestDatabase): Provider {
  const charged = new Set<string>()
  const answers = new Map<string, 'made' | 'refused'>()
  const sent = new Map<string, Set<string>>()
  return {
    charged,
    async dispute(payment, cents, outcome) {
      const object = {
        id: `dp_${payment.id}`,
        object: 'dispute',
        amount: cents,
        payment_intent: payment.stripe_payment_intent_id,
        status: outcome ?? 'needs_response',
      }
      const news = {
        open: ['funds_withdrawn', 'created', 'funds_withdrawn'],
        won: ['funds_withdrawn', 'funds_reinstated', 'closed'],
        lost: ['closed', 'funds_withdrawn', 'created'],
      }[outcome ?? 'open']
      await Promise.all(news.map((step) => report(db, `charge.dispute.${step}`, object)))
    },
    async send(kind, payment, refuses) {
      const { rows } = await asService(db)(`select public.begin_${kind}($1) as due`, [payment])
      const { action, idempotency_key: key, amount_cents: amount } = rows[0].due
      if (action !== 'send') return
      if (!answers.has(key)) answers.set(key, refuses ? 'refused' : 'made')
      if (answers.get(key) === 'refused') {
        await asService(db)(`select public.fail_${kind}($1, 'Refused', $2)`, [payment, key])
        return
      }
      const id = `${kind === 'payout' ? 'tr' : 're'}_${key}`
      const name = `${kind} of ${payment}`
      sent.set(name, (sent.get(name) ?? new Set()).add(id))
      const object = {
        id,
        object: kind === 'payout' ? 'transfer' : 'refund',
        amount,
        amount_reversed: 0,
        status: 'succeeded',
        metadata: { payment_id: payment },
      }
      // The event races the function's own answer.
      await Promise.all([
        report(db, kind === 'payout' ? 'transfer.created' : 'refund.created', object),
        asService(db)(`select public.finish_${kind}($1, $2)`, [payment, id]),
      ])
    },
    sentTwice: () => [...sent].filter(([, ids]) => ids.size > 1).map(([name]) => name),
  }
}
