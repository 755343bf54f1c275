// Stripe's open requirements for an individual in Canada, and the effects of the published test values:
// https://docs.stripe.com/connect/required-verification-information, https://docs.stripe.com/connect/testing.
import type { Account } from './objects.ts'

type Requirements = {
  alternatives: never[]
  current_deadline: number | null
  currently_due: string[]
  disabled_reason: string | null
  errors: { code: string; reason: string; requirement: string }[]
  eventually_due: string[]
  past_due: string[]
  pending_verification: string[]
}

export const NO_REQUIREMENTS: Requirements = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
}

type Person = {
  address?: Record<string, string>
  dob?: { day: number; month: number; year: number }
  [field: string]: unknown
}

/** A birth date for which the account stays under review. */
const UNDER_REVIEW_YEAR = 1900

/** The account with its requirements worked out, and so with what it may do. */
export function judged(account: Account): Account {
  const person = (account.individual ?? {}) as Person
  const errors = errorsOf(account, person)
  const due = [...new Set([...missing(account, person), ...errors.map(({ requirement }) => requirement)])]
  const reviewed = due.length === 0 && isUnderReview(person)
  const ready = due.length === 0 && !reviewed
  const status = ready ? 'active' : reviewed ? 'pending' : 'inactive'
  const capabilities = Object.fromEntries(Object.keys(account.capabilities).map((name) => [name, status]))
  return {
    ...account,
    capabilities,
    charges_enabled: capabilities.card_payments === 'active',
    details_submitted: due.length === 0,
    payouts_enabled: ready,
    requirements: {
      ...NO_REQUIREMENTS,
      currently_due: due,
      eventually_due: due,
      past_due: due,
      errors,
      pending_verification: reviewed ? ['individual.dob.day'] : [],
      disabled_reason: ready ? null : reviewed ? 'under_review' : 'requirements.past_due',
    },
  }
}

function missing(account: Account, person: Person): string[] {
  const business = account.business_profile as Record<string, unknown>
  const given: Record<string, unknown> = {
    'business_profile.mcc': business.mcc,
    // One of the two is enough, as at Stripe.
    'business_profile.url': business.url || business.product_description,
    business_type: account.business_type,
    external_account: account.external_accounts.data.some(({ status }) => status !== 'errored'),
    'individual.first_name': person.first_name,
    'individual.last_name': person.last_name,
    'individual.dob.day': person.dob?.day,
    'individual.dob.month': person.dob?.month,
    'individual.dob.year': person.dob?.year,
    'individual.address.line1': person.address?.line1,
    'individual.address.city': person.address?.city,
    'individual.address.state': person.address?.state,
    'individual.address.postal_code': person.address?.postal_code,
    'tos_acceptance.date': account.tos_acceptance.date,
    'tos_acceptance.ip': account.tos_acceptance.ip,
  }
  return Object.keys(given).filter((name) => !given[name])
}

function errorsOf(account: Account, person: Person): Requirements['errors'] {
  const errors: Requirements['errors'] = []
  if (person.address?.line1 === 'address_no_match') {
    errors.push({
      code: 'verification_failed_address_match',
      reason:
        "The address on the account couldn't be verified. Correct the address or upload a document with it.",
      requirement: 'individual.address.line1',
    })
  }
  if (account._id_number_refused) {
    errors.push({
      code: 'verification_failed_id_number_match',
      reason: "The person's ID number couldn't be verified. Upload an identity document.",
      requirement: 'individual.verification.document',
    })
  }
  const returned = account.external_accounts.data.find(({ status }) => status === 'errored')
  if (returned && account.external_accounts.data.every(({ status }) => status === 'errored')) {
    errors.push({
      code: 'invalid_value_other',
      reason: 'Payouts to this bank account failed. Give the details of another one.',
      requirement: 'external_account',
    })
  }
  return errors
}

function isUnderReview({ dob }: Person): boolean {
  return dob?.year === UNDER_REVIEW_YEAR && dob.month === 1 && dob.day === 1
}
