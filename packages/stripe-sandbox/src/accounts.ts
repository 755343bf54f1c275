// Connected accounts: https://docs.stripe.com/api/accounts. An account can be paid once nothing is due any more.
import { z } from 'zod'
import { externalAccount, ofAccount, readBank } from './bank-accounts.ts'
import { noSuch } from './errors.ts'
import { type Account, type BankAccount, newId, type StripeObject } from './objects.ts'
import { expandable, flag, integer, listParams, mergeMetadata, metadata, text } from './params.ts'
import { schedulePayout } from './payout-schedule.ts'
import { judged, NO_REQUIREMENTS } from './requirements.ts'
import { emit, find, insert, list, type Session, save, take } from './store.ts'
import { spendToken } from './tokens.ts'

const person = z.strictObject({
  address: z.record(z.string(), text).optional(),
  dob: z.strictObject({ day: integer, month: integer, year: integer }).optional(),
  email: text.optional(),
  first_name: text.optional(),
  id_number: text.optional(),
  last_name: text.optional(),
  phone: text.optional(),
  relationship: z.record(z.string(), z.unknown()).optional(),
})
const requested = z.strictObject({ requested: flag })
const accountFields = {
  business_profile: z.record(z.string(), z.unknown()).optional(),
  business_type: z.enum(['individual', 'company', 'non_profit', 'government_entity']).optional(),
  capabilities: z
    .strictObject({ card_payments: requested.optional(), transfers: requested.optional() })
    .optional(),
  default_currency: text.optional(),
  email: text.optional(),
  external_account: externalAccount.optional(),
  individual: person.optional(),
  metadata: metadata.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  tos_acceptance: z
    .strictObject({
      date: integer.optional(),
      ip: text.optional(),
      user_agent: text.optional(),
      service_agreement: text.optional(),
    })
    .optional(),
  ...expandable,
}
export const accountCreateParams = z.strictObject({
  ...accountFields,
  country: text.optional(),
  type: z.enum(['custom', 'express', 'standard']).optional(),
  controller: z.record(z.string(), z.unknown()).optional(),
})
export const accountUpdateParams = z.strictObject(accountFields)
export const accountListParams = listParams({})

export async function createAccount(
  session: Session,
  params: z.output<typeof accountCreateParams>,
): Promise<Account> {
  const id = newId('acct', 16)
  const account: Account = {
    id,
    object: 'account',
    business_profile: { ...NO_BUSINESS_PROFILE, ...params.business_profile },
    business_type: null,
    capabilities: {},
    charges_enabled: false,
    controller: params.controller ?? { type: 'application', is_controller: true },
    country: params.country ?? 'CA',
    created: session.now,
    default_currency: params.default_currency ?? 'cad',
    details_submitted: false,
    email: null,
    external_accounts: {
      object: 'list',
      data: [],
      has_more: false,
      total_count: 0,
      url: `/v1/accounts/${id}/external_accounts`,
    },
    future_requirements: NO_REQUIREMENTS,
    metadata: {},
    payouts_enabled: false,
    requirements: NO_REQUIREMENTS,
    settings: { ...SETTINGS, ...params.settings },
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: params.type ?? 'none',
  }
  const complete = await withChanges(session, account, params)
  return insert(session, complete)
}

/** A deleted account is gone. */
export async function retrieveAccount(session: Session, id: string): Promise<Account> {
  const account = await find<Account>(session, 'account', id, 'account')
  if (account.deleted) throw noSuch('account', id, 'account')
  return account
}

export async function updateAccount(
  session: Session,
  id: string,
  params: z.output<typeof accountUpdateParams>,
): Promise<Account> {
  const account = await livingAccount(session, id)
  return saveAccount(session, await withChanges(session, account, params))
}

export async function deleteAccount(session: Session, id: string): Promise<StripeObject> {
  const account = await livingAccount(session, id)
  await save(session, { ...account, deleted: true })
  return { id, object: 'account', deleted: true }
}

export function listAccounts(session: Session, paging: z.output<typeof accountListParams>) {
  return list(session, 'account', '/v1/accounts', paging)
}

/** The published ID number that nobody's documents match. */
const REFUSED_ID_NUMBER = '111111111'

const NO_BUSINESS_PROFILE = {
  mcc: null,
  name: null,
  product_description: null,
  support_address: null,
  support_email: null,
  support_phone: null,
  support_url: null,
  url: null,
}

const SETTINGS = {
  branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
  card_payments: {
    decline_on: { avs_failure: false, cvc_failure: false },
    statement_descriptor_prefix: null,
  },
  dashboard: { display_name: null, timezone: 'Etc/UTC' },
  payments: { statement_descriptor: null },
  payouts: {
    debit_negative_balances: false,
    schedule: { delay_days: 2, interval: 'daily' },
    statement_descriptor: null,
  },
}

async function withChanges(
  session: Session,
  account: Account,
  params: z.output<typeof accountUpdateParams>,
): Promise<Account> {
  const changed: Account = { ...account, metadata: mergeMetadata(account.metadata ?? {}, params.metadata) }
  if (params.business_profile)
    changed.business_profile = { ...(account.business_profile as object), ...params.business_profile }
  if (params.business_type) changed.business_type = params.business_type
  if (params.email !== undefined) changed.email = params.email || null
  if (params.individual) {
    const { id_number, ...shown } = params.individual
    changed.individual = {
      ...account.individual,
      ...shown,
      ...(id_number ? { id_number_provided: true } : {}),
    }
    // Kept in place of the number itself, which nobody may read back.
    if (id_number) changed._id_number_refused = id_number === REFUSED_ID_NUMBER
  }
  if (params.tos_acceptance) changed.tos_acceptance = { ...account.tos_acceptance, ...params.tos_acceptance }
  for (const name of ['transfers', 'card_payments'] as const) {
    const wanted = params.capabilities?.[name]?.requested
    if (wanted === false) delete changed.capabilities[name]
    else if (wanted) changed.capabilities = { ...changed.capabilities, [name]: 'inactive' }
  }
  if (!params.external_account) return judged(changed)
  const bank = await givenBank(session, params.external_account)
  return withBanks(changed, [ofAccount(bank, account.id, true, undefined)])
}

/** The bank account that a token stands for, or that the numbers are. */
export function givenBank(
  session: Session,
  given: z.output<typeof externalAccount>,
): Promise<StripeObject> | StripeObject {
  return typeof given === 'string' ? spendToken(session, given) : readBank(given, 'external_account')
}

/** The account with these bank accounts, and what it may do then. */
export function withBanks(account: Account, banks: BankAccount[]): Account {
  return judged({
    ...account,
    external_accounts: { ...account.external_accounts, data: banks, total_count: banks.length },
  })
}

/** The account, locked; 404 when it was deleted. */
export async function livingAccount(session: Session, id: string): Promise<Account> {
  const account = await take<Account>(session, 'account', id, 'account')
  if (account.deleted) throw noSuch('account', id, 'account')
  return account
}

/** Stores the account and sends its event. */
export async function saveAccount(session: Session, account: Account): Promise<Account> {
  await save(session, account)
  await emit(session, 'account.updated', account, { account: account.id })
  // Payments that arrived while nothing could be sent.
  if (account.payouts_enabled) await schedulePayout(session, account.id, session.now)
  return account
}
