// Cancels a booking for the person who calls and answers what that costs: {message, feeCents, refundCents}. The
// database decides; the refund it queues is sent by refund-payment.
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import { endpoint } from '../_shared/endpoint.ts'
import { callAsUser } from '../_shared/supabase.ts'

const { max } = limits.cancellationReason

const body = z.object({
  bookingId: z.uuid('must be the id of a booking'),
  reason: z.string('must be text').trim().max(max, `must have at most ${max} characters`).nullish(),
})

type Cancelled = { message: string; fee_cents: number; refund_cents: number }

export default endpoint(
  { caller: 'user', body, failure: 'Cancellation Failed' },
  async ({ body: { bookingId, reason }, request, env }) => {
    const cancelled = await callAsUser<Cancelled>(request, env, 'cancel_booking', {
      booking_id: bookingId,
      reason: reason || null,
    })
    return { message: cancelled.message, feeCents: cancelled.fee_cents, refundCents: cancelled.refund_cents }
  },
)
