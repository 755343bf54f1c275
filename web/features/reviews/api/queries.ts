// A booking as reviewing needs it, and what the reviews of it say to the person who looks (specification 001 §3).
import { addDays } from 'date-fns'
import { limits } from '../../../../shared/limits.ts'
import { confirmationFrom } from '../../../lib/confirmationFrom.ts'
import type { Tables } from '../../../lib/database.types.ts'

export type Review = Pick<
  Tables<'reviews'>,
  'id' | 'reviewer_id' | 'rating' | 'comment' | 'created_at' | 'visible_from'
>

export type ReviewableBooking = {
  id: string
  status: string
  completed_at: string | null
  complaint: { decided_at: string | null } | null
  task_giver_id: string
  task_doer_id: string
  doer: { full_name: string | null } | null
  task: {
    scheduled_date: string | null
    duration_minutes: number | null
    giver: { full_name: string | null } | null
  }
  /** Those that the database lets this person read: their own, and the other side's once it is shown. */
  reviews: Review[]
}

export type Side = 'giver' | 'tasker'

/**
 * The booking from one side: who wrote what, and until when (an ISO time) one can write. The time runs from completion, from the
 * agreed end where that is later, or from the decision on a complaint; null before these.
 */
export function reviewing(booking: ReviewableBooking, side: Side) {
  const userId = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  const person = side === 'giver' ? booking.doer : booking.task.giver
  const { status, complaint } = booking
  const since = complaint ? complaint.decided_at : confirmationFrom(booking)
  const until = status === 'completed' && since ? addDays(since, limits.reviewDays).toISOString() : null
  return {
    userId,
    /** Null when they have deleted their account. */
    otherName: person?.full_name ?? null,
    mine: booking.reviews.find((review) => review.reviewer_id === userId),
    theirs: booking.reviews.find((review) => review.reviewer_id !== userId),
    until,
    complained: complaint?.decided_at === null,
    open: until !== null && new Date() < new Date(until),
  }
}

/** Whether this person is to write one: the giver confirms the work before saying how it was, and nobody reviews who has left. */
export function asksReview(
  booking: ReviewableBooking & { payment: { escrow_status: string } | null },
  side: Side,
): boolean {
  const { otherName, mine, open } = reviewing(booking, side)
  return (
    open && !mine && otherName !== null && !(side === 'giver' && booking.payment?.escrow_status === 'held')
  )
}
