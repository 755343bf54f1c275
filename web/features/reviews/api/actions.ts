// Writing a review: once a side, within 14 days of completion, which the database holds (specification 001 §3).
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { ReviewText } from '../schema.ts'

/** Sends this person's review of a booking; whom it is about follows from the booking. */
export const writeReview = (bookingId: string, userId: string): Action<ReviewText> => ({
  invalidates: [['bookings'], ['reviews'], ['publicProfile']],
  // It may have been sent in another tab, or the time may be over.
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ rating, comment }) => {
    await supabase
      .from('reviews')
      .insert({ booking_id: bookingId, reviewer_id: userId, rating, comment: comment || null })
      .throwOnError()
  },
  found: async () => {
    const { data } = await supabase
      .from('reviews')
      .select('id')
      .eq('booking_id', bookingId)
      .eq('reviewer_id', userId)
      .maybeSingle()
      .throwOnError()
    return data && undefined
  },
})
