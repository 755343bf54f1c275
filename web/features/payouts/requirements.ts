// The payment provider's open requirements in words, and whether our own form can meet them. Names:
// https://docs.stripe.com/connect/handling-api-verification
import type { TextKey } from '../../i18n/index.ts'

type Need = { text: TextKey; part: 'bank' | 'person' | 'terms' | 'elsewhere' }

const needs: [RegExp, Need][] = [
  [/^external_account/, { text: 'payouts.needed.bank', part: 'bank' }],
  [/^tos_acceptance/, { text: 'payouts.needed.terms', part: 'terms' }],
  [/^individual\.(first|last)_name/, { text: 'payouts.needed.name', part: 'person' }],
  [/^individual\.dob/, { text: 'payouts.needed.dateOfBirth', part: 'person' }],
  [/^individual\.address/, { text: 'payouts.needed.address', part: 'person' }],
  [/verification\.(additional_)?document/, { text: 'payouts.needed.document', part: 'elsewhere' }],
  [/id_number/, { text: 'payouts.needed.idNumber', part: 'elsewhere' }],
]
const other: Need = { text: 'payouts.needed.other', part: 'elsewhere' }

/** Each thing once, however many requirements it has. */
export function distinctNeeds(requirements: string[]): Need[] {
  const found = requirements.map((name) => needs.find(([pattern]) => pattern.test(name))?.[1] ?? other)
  return [...new Set(found)]
}
