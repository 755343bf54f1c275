// Columns that the policy matrix names in several places, and values to write into them.
import { cast } from './personas.ts'

/** A photo that Grace put up for her tasks. */
export const photoOfGrace = `${cast.grace}/00000000-0000-4000-8000-000000000001.jpg`
export const ownProfile = [
  'full_name',
  'phone',
  'city',
  'bio',
  'avatar_url',
  'last_active',
  'skills',
  'preferred_categories',
  'experience_years',
  'hourly_rate',
  'availability_status',
  'language',
  'visibility',
  'updated_at',
]
export const verifiedProfile = ['verified_by_admin', 'verification_notes', 'verified_at', 'verified_by']
/** The declarations for verification, and another value for each. */
export const otherwise = {
  terms_accepted: 'false',
  terms_accepted_at: `'2001-01-01'`,
  privacy_accepted: 'false',
  privacy_accepted_at: `'2001-01-01'`,
  age_verified: 'false',
  legal_name: `'Another Name'`,
  date_of_birth: `'1980-01-01'`,
  id_type: `'health_card'`,
  background_check_consent: 'not background_check_consent',
  has_insurance: 'not has_insurance',
  insurance_provider: `'Provider'`,
  insurance_policy_number: `'A-1'`,
  insurance_expiry_date: `'2040-01-01'`,
  skills: `'{Flying}'`,
  certifications: `'{Pilot}'`,
  sin_provided: 'not sin_provided',
}
export const declared = Object.keys(otherwise)
