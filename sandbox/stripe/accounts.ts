// Connected accounts: https://docs.stripe.com/api/accounts. An account can be paid once nothing is due any more.
import { z } from 'zod'
import { type BankAccount, bankAccount, readBank } from './bank-accounts.ts'
import { noSuch } from './errors.ts'
import { type Metadata, newId, type StripeObject } from './objects.ts'
import { expandable, flag, integer, listParams, mergeMetadata, metadata, text } from './params.ts'
import { emit, find, insert, list, type Session, save, take } from './store.ts'

type Capability = 'active' | 'inactive'

export type Account = StripeObject & {
  type: string
  capabilities: { transfers?: Capability; card_payments?: Capability }
  external_accounts: {
    object: 'list'
    data: BankAccount[]
    has_more: boolean
    total_count: number
    url: string
  }
  individual?: Record<string, unknown>
  tos_acceptance: { date?: number | null; ip?: string | null; user_agent?: string | null }
  business_type: string | null
  metadata: Metadata
}

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
  external_account: bankAccount.optional(),
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
    business_profile: params.business_profile ?? {},
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
    future_requirements: emptyRequirements,
    metadata: {},
    payouts_enabled: false,
    requirements: emptyRequirements,
    settings: params.settings ?? {},
    tos_acceptance: {},
    type: params.type ?? 'none',
  }
  const complete = withChanges(session, account, params)
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
  return saveAccount(session, withChanges(session, account, params))
}

export async function deleteAccount(session: Session, id: string): Promise<StripeObject> {
  const account = await livingAccount(session, id)
  await save(session, { ...account, deleted: true })
  return { id, object: 'account', deleted: true }
}

export function listAccounts(session: Session, paging: z.output<typeof accountListParams>) {
  return list(session, 'account', '/v1/accounts', paging)
}

const emptyRequirements = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
}

function withChanges(
  session: Session,
  account: Account,
  params: z.output<typeof accountUpdateParams>,
): Account {
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
  }
  if (params.tos_acceptance) changed.tos_acceptance = { ...account.tos_acceptance, ...params.tos_acceptance }
  for (const name of ['transfers', 'card_payments'] as const) {
    const wanted = params.capabilities?.[name]?.requested
    if (wanted === false) delete changed.capabilities[name]
    else if (wanted) changed.capabilities = { ...changed.capabilities, [name]: 'inactive' }
  }
  if (!params.external_account) return judged(changed)
  return withBanks(changed, [readBank(session, account.id, params.external_account, true, undefined)])
}

/** The account with these bank accounts, and what it may do then. */
export function withBanks(account: Account, banks: BankAccount[]): Account {
  return judged({
    ...account,
    external_accounts: { ...account.external_accounts, data: banks, total_count: banks.length },
  })
}

/** Works out what is still due, and so what the account may do. */
function judged(account: Account): Account {
  const individual = account.individual ?? {}
  const due: string[] = []
  if (!account.business_type) due.push('business_type')
  if (account.external_accounts.data.length === 0) due.push('external_account')
  for (const field of ['first_name', 'last_name', 'dob'] as const) {
    if (!individual[field]) due.push(`individual.${field}`)
  }
  if (!account.tos_acceptance.date) due.push('tos_acceptance.date')
  if (!account.tos_acceptance.ip) due.push('tos_acceptance.ip')
  const ready = due.length === 0
  const capabilities = Object.fromEntries(
    Object.keys(account.capabilities).map((name) => [name, ready ? 'active' : 'inactive']),
  )
  return {
    ...account,
    capabilities,
    charges_enabled: capabilities.card_payments === 'active',
    details_submitted: ready,
    payouts_enabled: ready,
    requirements: {
      ...emptyRequirements,
      currently_due: due,
      eventually_due: due,
      disabled_reason: ready ? null : 'requirements.past_due',
      past_due: due,
    },
  }
}

/** The account, locked; 404 when it was deleted. */
export async function livingAccount(session: Session, id: string): Promise<Account> {
  const account = await take<Account>(session, 'account', id, 'account')
  if (account.deleted) throw noSuch('account', id, 'account')
  return account
}

/** Stores the account and tells of it. */
export async function saveAccount(session: Session, account: Account): Promise<Account> {
  await save(session, account)
  await emit(session, 'account.updated', account, { account: account.id })
  return account
}
