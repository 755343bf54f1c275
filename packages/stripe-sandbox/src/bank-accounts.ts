// Bank accounts: https://docs.stripe.com/api/external_account_bank_accounts. The rules are Canada's, with Stripe's
// published test numbers (https://docs.stripe.com/connect/testing#account-numbers): routing 11000-000. Account
// numbers are checked but not stored; the fingerprint tells which test number it was.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { invalidRequest } from './errors.ts'
import { type BankAccount, newId, type StripeObject } from './objects.ts'
import { mergeMetadata, type metadata, text } from './params.ts'

/** Why a bank sends a payout back; the texts are Stripe's (https://docs.stripe.com/api/payouts/failures). */
export type BankFailure = { code: string; message: string }

type TestBank = { number: string; failure?: BankFailure }

const testBanks: TestBank[] = [
  { number: '000123456789' },
  { number: '000987654321' },
  {
    number: '000111111116',
    failure: {
      code: 'no_account',
      message:
        'The bank account details on file are probably incorrect. No bank account could be found with those details.',
    },
  },
  {
    number: '000111111113',
    failure: { code: 'account_closed', message: 'The bank account has been closed.' },
  },
  {
    number: '000222222227',
    failure: {
      code: 'insufficient_funds',
      message: 'Your Stripe account has insufficient funds to cover the payout.',
    },
  },
  {
    number: '000333333335',
    failure: {
      code: 'debit_not_authorized',
      message:
        'Debit transactions are not approved on your bank account. (Stripe requires bank accounts to be set up for both credit and debit payouts.)',
    },
  },
  {
    number: '000444444440',
    failure: {
      code: 'invalid_currency',
      message:
        'The bank was unable to process this payout because of its currency. This is probably because the bank account cannot accept payments in that currency.',
    },
  },
]

const details = {
  account_holder_name: text.optional(),
  account_holder_type: z.enum(['individual', 'company']).optional(),
  account_number: text,
  account_type: text.optional(),
  country: text,
  currency: text.optional(),
  routing_number: text.optional(),
}
/** A bank account given in numbers. */
export const bankDetails = z.strictObject(details)
/** An external account: a token, or the numbers themselves. */
export const externalAccount = z.union([
  text,
  z.strictObject({ object: z.literal('bank_account'), ...details }),
])

/** The names of the numbers in a request, for errors that name them. */
type Place = 'external_account' | 'bank_account'

/** The stored part of a bank account's numbers. Throws StripeFailure for an invalid account. */
export function readBank(given: z.output<typeof bankDetails>, place: Place): StripeObject {
  const country = given.country.toUpperCase()
  const routing = (given.routing_number ?? '').replace(/\D/g, '')
  if (country === 'CA' && routing.length !== 8) {
    throw invalidRequest(
      'Routing number for Canadian bank accounts must have 8 digits: the transit number (5) and the institution number (3)',
      { code: 'routing_number_invalid', param: `${place}[routing_number]` },
    )
  }
  const wrongNumber = (message: string) =>
    invalidRequest(message, { code: 'account_number_invalid', param: `${place}[account_number]` })
  if (!/^\d{5,17}$/.test(given.account_number)) throw wrongNumber('Invalid account number')
  if (!testBanks.some(({ number }) => number === given.account_number)) {
    throw wrongNumber(
      'You must use a test bank account number in test mode. Try 000123456789 or see more options at https://stripe.com/docs/connect/testing#account-numbers.',
    )
  }
  return {
    id: newId('ba'),
    object: 'bank_account',
    account_holder_name: given.account_holder_name ?? null,
    account_holder_type: given.account_holder_type ?? null,
    account_type: given.account_type ?? null,
    bank_name: 'STRIPE TEST BANK',
    country,
    currency: (given.currency ?? 'cad').toLowerCase(),
    fingerprint: fingerprint(given.account_number),
    last4: given.account_number.slice(-4),
    routing_number: given.routing_number ?? null,
    status: 'new',
  }
}

/** The bank account as one of a connected account. */
export function ofAccount(
  bank: StripeObject,
  accountId: string,
  isDefault: boolean,
  metadataGiven: z.output<typeof metadata> | undefined,
): BankAccount {
  return {
    ...(bank as BankAccount),
    account: accountId,
    available_payout_methods: ['standard'],
    default_for_currency: isDefault,
    metadata: mergeMetadata({}, metadataGiven),
  }
}

/** Why payouts to it fail; undefined for a good one, and for one that the sandbox does not know (a seeded one). */
export function bankFailure(bank: Pick<BankAccount, 'fingerprint'>): BankFailure | undefined {
  return testBanks.find(({ number }) => fingerprint(number) === bank.fingerprint)?.failure
}

/** Stands for an account number without holding it. */
function fingerprint(number: string): string {
  return createHash('sha256')
    .update(`meadowlark test bank ${number}`)
    .digest('base64url')
    .replace(/[-_]/g, 'x')
    .slice(0, 16)
}
