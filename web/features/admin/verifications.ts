// Verifications that wait for an admin, and the decision of one (specification 000 §2); the database lets only
// admins do either, and tells the person.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Tables } from '../../lib/database.types.ts'
import { useMutationOnce } from '../../lib/queries/once.ts'
import { supabase } from '../../lib/supabase.ts'

export type Submission = Tables<'verifications'> & { person: Tables<'profiles'> }

export type Decision =
  | { approved: true; idVerified: boolean; backgroundChecked: boolean }
  | { approved: false; reason: string }

/** What was handed in and is not decided, who has waited longest first. */
export function useWaiting(allowed: boolean) {
  return useQuery({
    queryKey: ['admin', 'waiting'],
    enabled: allowed,
    queryFn: async ({ signal }): Promise<Submission[]> => {
      const { data } = await supabase
        .from('verifications')
        .select('*, person:profiles!verifications_user_id_fkey(*)')
        .eq('verification_status', 'pending')
        .order('updated_at')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}

/** Approves or refuses what was shown; throws when it was decided or handed in anew in the meantime. */
export function useDecideVerification(submission: Submission, onDecided: (decision: Decision) => void) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  return useMutationOnce({
    mutationFn: async (decision: Decision) => {
      const { data } = await supabase
        .from('verifications')
        .update(
          decision.approved
            ? {
                verification_status: 'verified',
                id_verified: decision.idVerified,
                background_check_status: decision.backgroundChecked ? 'verified' : 'pending',
              }
            : { verification_status: 'rejected', refusal_reason: decision.reason },
        )
        .eq('id', submission.id)
        .eq('verification_status', 'pending')
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
