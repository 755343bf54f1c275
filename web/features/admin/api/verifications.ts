// A person's submitted verification and an admin's decision about it (specification 000 §2). The database lets only
// another admin decide, and notifies the person.
import { queryOptions } from '@tanstack/react-query'
import i18next from 'i18next'
import type { Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

export type Submission = Tables<'verifications'>

export type Decision =
  /** Approving says that the ID shows the person. */
  { approved: true; backgroundChecked: boolean } | { approved: false; reason: string }

/** The person's current submission; null if there is none. */
export const submissionQuery = (personId: string) =>
  queryOptions({
    queryKey: ['admin', 'submission', personId],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }): Promise<Submission | null> => {
      const { data } = await supabase
        .from('verifications')
        .select('*')
        .eq('user_id', personId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
    // The admin decides about the version that they read, so it does not change while they read.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** Approves or refuses what was shown, or takes its approval back; throws when it was decided or submitted anew meanwhile. */
export const decideVerification = (submission: Submission): Action<Decision> => ({
  invalidates: [['admin']],
  run: async (decision) => {
    const { data } = await supabase
      .from('verifications')
      .update(
        decision.approved
          ? {
              verification_status: 'verified',
              id_verified: true,
              background_check_status: decision.backgroundChecked ? 'verified' : 'pending',
            }
          : { verification_status: 'rejected', refusal_reason: decision.reason },
      )
      .eq('id', submission.id)
      .eq('verification_status', submission.verification_status)
      .eq('updated_at', submission.updated_at)
      .select('id')
      .maybeSingle()
      .throwOnError()
    if (!data) throw new Error(i18next.t('admin.decidedMeanwhile'))
  },
})
