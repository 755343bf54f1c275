// What a bank account is: https://docs.stripe.com/api/external_account_bank_accounts. The rules are Canada's, with
// Stripe's test numbers: routing 11000-000, account 000123456789.
import { z } from 'zod'
import { invalidRequest } from './errors.ts'
import { type Metadata, newId, type StripeObject } from './objects.ts'
import { mergeMetadata, type metadata, text } from './params.ts'
import type { Session } from './store.ts'

export type BankAccount = StripeObject & {
  account: string
  default_for_currency: boolean
  metadata: Metadata
}

export const bankAccount = z.strictObject({
  object: z.literal('bank_account'),
  account_holder_name: text.optional(),
  account_holder_type: z.enum(['individual', 'company']).optional(),
  account_number: text,
  country: text,
  currency: text.optional(),
  routing_number: text.optional(),
})

/** Makes a bank account of what was given. Throws StripeFailure for a number that cannot be one. */
export function readBank(
  session: Session,
  accountId: string,
  given: z.output<typeof bankAccount>,
  isDefault: boolean,
  metadataGiven: z.output<typeof metadata> | undefined,
): BankAccount {
  const country = given.country.toUpperCase()
  const routing = (given.routing_number ?? '').replace(/\D/g, '')
  if (country === 'CA' && routing.length !== 8) {
    throw invalidRequest(
      'Routing number for Canadian bank accounts must have 8 digits: the transit number (5) and the institution number (3)',
      { code: 'routing_number_invalid', param: 'external_account[routing_number]' },
    )
  }
  if (!/^\d{5,17}$/.test(given.account_number)) {
    throw invalidRequest('Invalid account number', {
      code: 'account_number_invalid',
      param: 'external_account[account_number]',
    })
  }
  return {
    id: newId('ba'),
    object: 'bank_account',
    account: accountId,
    account_holder_name: given.account_holder_name ?? null,
    account_holder_type: given.account_holder_type ?? null,
    account_type: null,
    available_payout_methods: ['standard'],
    bank_name: 'STRIPE TEST BANK',
    country,
    created: session.now,
    currency: (given.currency ?? 'cad').toLowerCase(),
    default_for_currency: isDefault,
    last4: given.account_number.slice(-4),
    metadata: mergeMetadata({}, metadataGiven),
    routing_number: given.routing_number ?? null,
    status: 'new',
  }
}
