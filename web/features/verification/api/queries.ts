// Reading and submitting one's own verification (specification 000 §7).
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { limits } from '../../../../shared/limits.ts'
import type { Tables } from '../../../lib/database.types.ts'
import { useUserId } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import { type Answers, ageOf } from '../schema.ts'

/** One's own record, or null before the first submission. */
export function useMyVerification() {
  const userId = useUserId()
  return useQuery({
    queryKey: ['verification', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('verifications')
        .select('*')
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

/** A record that was refused, as answers to go on from; both agreements are asked for anew. */
export function answersOf(record: Tables<'verifications'>): Answers {
  return {
    terms_accepted: false,
    privacy_accepted: false,
    legal_name: record.legal_name,
    date_of_birth: record.date_of_birth,
    id_type: record.id_type as Answers['id_type'],
    background_check_consent: record.background_check_consent,
    has_insurance: record.has_insurance,
    insurance_provider: record.insurance_provider ?? '',
    insurance_policy_number: record.insurance_policy_number ?? '',
    insurance_expiry_date: record.insurance_expiry_date ?? '',
    skills: record.skills.join(', '),
    certifications: record.certifications.join(', '),
    sin_provided: record.sin_provided,
  }
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
