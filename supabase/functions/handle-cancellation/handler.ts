// Cancels a booking for the person who calls and answers what that costs: {outcome, message, feeCents, refundCents, listing}. A payment
// that was started is closed at the provider first, or found to be paid; then the database decides, and the refund it
// queues is sent by refund-payment.
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import type { Cents } from '../../../shared/money.ts'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { settleIntent } from '../_shared/intents.ts'
import { HttpError } from '../_shared/respond.ts'
import { callAsUser } from '../_shared/supabase.ts'

const { max } = limits.cancellationReason

const body = jsonBody(
  z.object({
    bookingId: z.uuid('must be the id of a booking'),
    reason: z
      .string('must be text')
      .trim()
      .max(max, `must have at most ${max} characters`)
      .refine((text) => !text.includes('\0'), 'must not hold a null character')
      .nullish(),
    listAgain: z.boolean('must be true or false').nullish(),
    /** Skips an unpaid visit of a series, without a reason. */
    skip: z.boolean('must be true or false').nullish(),
  }),
)

type OpenIntent =
  | { payment_id: string; payment_intent_id: string }
  | { payment_id: null; payment_intent_id: null }
type Cancelled = {
  outcome: string
  message: string
  fee_cents: Cents
  refund_cents: Cents
  listing: string | null
}

/** Payments that are started again between our two calls are closed again, this many times. */
const MAX_TRIES = 3

export default endpoint(
  { caller: 'user', body, failure: { code: 'booking.cancellation_failed' } },
  async ({ body: { bookingId, reason, listAgain, skip }, request, env }) => {
    for (let tries = 1; ; tries++) {
      const open = await callAsUser<OpenIntent>(request, env, 'prepare_cancellation', {
        booking_id: bookingId,
      })
      if (open.payment_id) await settleIntent(env, open.payment_id, open.payment_intent_id)
      try {
        const cancelled = skip
          ? await callAsUser<Cancelled>(request, env, 'skip_visit', { booking_id: bookingId })
          : await callAsUser<Cancelled>(request, env, 'cancel_booking', {
              booking_id: bookingId,
              reason: reason || null,
              list_again: listAgain ?? true,
            })
        return {
          outcome: cancelled.outcome,
          message: cancelled.message,
          feeCents: cancelled.fee_cents,
          refundCents: cancelled.refund_cents,
          listing: cancelled.listing,
        }
      } catch (error) {
        const startedAgain = error instanceof HttpError && error.coded?.code === 'booking.payment_started'
        if (!startedAgain || tries === MAX_TRIES) throw error
      }
    }
  },
)
