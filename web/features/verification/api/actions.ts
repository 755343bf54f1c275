// Submitting one's own verification (specification 000 §7).
import { limits } from '../../../../shared/limits.ts'
import type { Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { type Answers, ageOf, ID_TYPES, listOf, typedList } from '../schema.ts'

/** Submits the answers as pending; `again` replaces a record that was refused. */
export const submitVerification = (userId: string, again: boolean): Action<Answers> => ({
  run: async (answers) => {
    const record = recordOf(answers)
    const verifications = supabase.from('verifications')
    await (again
      ? verifications.update(record).eq('user_id', userId).select('id').single().throwOnError()
      : verifications.insert({ ...record, user_id: userId }).throwOnError())
  },
})

/** A record that was refused, as answers to go on from; both agreements are requested anew. */
export function answersOf(record: Tables<'verifications'>): Answers {
  return {
    terms_accepted: false,
    privacy_accepted: false,
    legal_name: record.legal_name,
    date_of_birth: record.date_of_birth,
    id_type: ID_TYPES.find((type) => type === record.id_type) ?? '',
    background_check_consent: record.background_check_consent,
    has_insurance: record.has_insurance,
    insurance_provider: record.insurance_provider ?? '',
    insurance_policy_number: record.insurance_policy_number ?? '',
    insurance_expiry_date: record.insurance_expiry_date ?? '',
    skills: typedList(record.skills),
    certifications: typedList(record.certifications),
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
    skills: listOf(answers.skills),
    certifications: listOf(answers.certifications),
    verification_status: 'pending' as const,
  }
}
