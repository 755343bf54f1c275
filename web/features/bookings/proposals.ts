// Proposals of another time for a booking, as its screens read them (supabase/schemas/time_proposals.sql).
import type { Booking, Side } from './api/queries.ts'

export type TimeProposal = Booking['proposals'][number]

const AGREED: Booking['status'][] = ['accepted', 'in_progress']

/** Whether the time of the booking can be changed: it is agreed, not done, nobody is missed, and nothing holds its money back. */
export const isMovable = ({
  status,
  visit_number,
  payment,
  no_shows,
}: Pick<Booking, 'status' | 'visit_number' | 'payment' | 'no_shows'>) =>
  AGREED.includes(status) &&
  // The agreement on a snowfall task has no time.
  visit_number !== 0 &&
  payment?.escrow_status !== 'frozen' &&
  !no_shows.some(({ state }) => state === 'open')

/** The proposal that waits for an answer. */
export const openProposal = (
  { status, proposals }: Pick<Booking, 'status' | 'proposals'>,
  now = new Date(),
): TimeProposal | undefined =>
  AGREED.includes(status)
    ? proposals.find(({ state, answer_by }) => state === 'open' && new Date(answer_by) > now)
    : undefined

/** The same if this side has to answer it. */
export function proposalToAnswer(booking: Booking, side: Side, now = new Date()): TimeProposal | undefined {
  const proposal = openProposal(booking, now)
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  return proposal?.proposed_by === own ? undefined : proposal
}
