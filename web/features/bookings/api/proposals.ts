// Proposing another time for a booking, and the answers. The database holds the rules.
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const refresh = {
  invalidates: [['bookings'], ['tasks']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
} as const

/** `message` may be ''. */
export const proposeTime = (
  bookingId: string,
  proposedBy: string,
): Action<{ startsAt: string; message: string }> => ({
  ...refresh,
  run: async ({ startsAt, message }) => {
    await supabase
      .from('time_proposals')
      .insert({
        booking_id: bookingId,
        proposed_by: proposedBy,
        starts_at: startsAt,
        message: message || null,
      })
      .throwOnError()
  },
  found: async ({ startsAt }) => {
    const { data } = await supabase
      .from('time_proposals')
      .select('id')
      .match({ booking_id: bookingId, proposed_by: proposedBy, starts_at: startsAt, state: 'open' })
      .throwOnError()
    return data.length > 0 ? undefined : null
  },
})

/** The answer to a proposal with the time that the person saw, or its withdrawal by the proposer. */
export const answerProposal = (proposal: {
  id: string
  starts_at: string
}): Action<'accepted' | 'declined' | 'withdrawn'> => ({
  ...refresh,
  run: async (state) => {
    await supabase
      .from('time_proposals')
      .update({ state, starts_at: proposal.starts_at })
      .eq('id', proposal.id)
      .select('id')
      .single()
      .throwOnError()
  },
  found: async (state) => {
    const { data } = await supabase
      .from('time_proposals')
      .select('state')
      .eq('id', proposal.id)
      .single()
      .throwOnError()
    return data.state === state ? undefined : null
  },
})
