// Reading and submitting one's own verification (specification 000 §7).
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { limits } from '../../../shared/limits.ts'
import { useUserId } from '../../lib/session.tsx'
import { supabase } from '../../lib/supabase.ts'
import { type Answers, ageOf } from './schema.ts'

/** One's own record, or null before the first submission. */
export function useMyVerification() {
  const userId = useUserId()
  return useQuery({
    queryKey: ['verification', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('verifications')
        .select('id, verification_status, refusal_reason')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })
}

/** Submits the answers as pending; `again` replaces a record that was refused. */
export function useSubmitVerification(again: boolean) {
  const userId = useUserId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (answers: Answers) => {
      const record = recordOf(answers)
      const verifications = supabase.from('verifications')
      await (again
        ? verifications.update(record).eq('user_id', userId).select('id').single().throwOnError()
        : verifications.insert({ ...record, user_id: userId }).throwOnError())
    },
    onSuccess: () => queryClient.removeQueries({ queryKey: ['verification', userId] }),
  })
}

function recordOf(answers: Answers) {
  const now = new Date().toISOString()
  return {
    ...answers,
    terms_accepted_at: now,
    privacy_accepted_at: now,
    age_verified: ageOf(answers.date_of_birth) >= limits.minimumAge,
    insurance_provider: answers.insurance_provider || null,
    insurance_policy_number: answers.insurance_policy_number || null,
    insurance_expiry_date: answers.insurance_expiry_date || null,
    skills: wordsOf(answers.skills),
    certifications: wordsOf(answers.certifications),
    verification_status: 'pending' as const,
  }
}

/** 'snow, , cats ' → ['snow', 'cats']. */
function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}
