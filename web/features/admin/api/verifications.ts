// What a person handed in to be verified, and an admin's decision about it (specification 000 §2); the database lets only
// another admin decide, and tells the person.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'

export type Submission = Tables<'verifications'>

export type Decision =
  /** Approving is the word that the ID shows the person. */
  { approved: true; backgroundChecked: boolean } | { approved: false; reason: string }

/** What that person handed in, as it stands now; null when nothing was. */
export function useSubmission(personId: string) {
  return useQuery({
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
    // What is read is what is decided about: it does not change under the reader's eyes.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/**
 * Approves or refuses what was shown, or takes its approval back; throws when it was decided or handed in anew in the
 * meantime.
 */
export function useDecideVerification(submission: Submission, onDecided: (decision: Decision) => void) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (decision: Decision) => {
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
      if (!data) throw new Error(t('admin.decidedMeanwhile'))
    },
    onSuccess: (_, decision) => {
      onDecided(decision)
      return queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
}
