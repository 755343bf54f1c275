// Stops a series of visits for one of its two people and answers what that costs: {outcome, dropped, cancelled, feeCents, refundCents}.
// Payments that were started for unpaid visits are closed at the provider first, or found to be paid; then the database decides, if
// the numbers are still those that the person saw.
import { z } from 'zod'
import type { Cents } from '../../../shared/money.ts'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { settleIntent } from '../_shared/intents.ts'
import { HttpError } from '../_shared/respond.ts'
import { callAsUser } from '../_shared/supabase.ts'

const count = z.number('must be a number').int('must be a whole number').min(0, 'must be at least 0')

const body = jsonBody(
  z.object({
    seriesId: z.uuid('must be the id of a series'),
    cancelPaid: z.boolean('must be true or false'),
    dropped: count.max(1000, 'must be at most 1000'),
    feeCents: count,
    refundCents: count,
  }),
)

type OpenIntent = { payment_id: string; payment_intent_id: string }
type Stopped = {
  outcome: 'stopped' | 'already_over'
  dropped: number
  cancelled: number
  fee_cents: Cents
  refund_cents: Cents
}

/** Payments that are started again between our calls are closed again, this many times. */
const MAX_TRIES = 3

export default endpoint(
  { caller: 'user', body, failure: { code: 'series.stop_failed' } },
  async ({ body: { seriesId, cancelPaid, dropped, feeCents, refundCents }, request, env }) => {
    for (let tries = 1; ; tries++) {
      const open = await callAsUser<OpenIntent[]>(request, env, 'open_intents_of_series', {
        series_id: seriesId,
      })
      for (const intent of open) await settleIntent(env, intent.payment_id, intent.payment_intent_id)
      try {
        const stopped = await callAsUser<Stopped>(request, env, 'stop_series', {
          series_id: seriesId,
          cancel_paid: cancelPaid,
          dropped,
          fee_cents: feeCents,
          refund_cents: refundCents,
        })
        const { fee_cents, refund_cents, ...numbers } = stopped
        return { ...numbers, feeCents: fee_cents, refundCents: refund_cents }
      } catch (error) {
        const startedAgain = error instanceof HttpError && error.coded?.code === 'booking.payment_started'
        if (!startedAgain || tries === MAX_TRIES) throw error
      }
    }
  },
)
