// Changes of an account that several endpoints share: creating it, replacing an unconfirmed one, confirming its
// address, setting its password. Each takes the transaction, in which the caller has locked the user's row.
import type { Queryable } from '../../sql/queryable.ts'
import type { Address, AddressKind } from '../addresses.ts'
import { isDuplicate, unprocessable } from '../errors.ts'
import { isHookEnabled } from '../hooks/hooks.ts'
import { beforeUserCreated } from '../hooks/user-created.ts'
import type { AuthService } from '../service.ts'
import { deleteFlows } from '../store/flow-state.ts'
import { insertIdentity, localClaims, mergeIdentity } from '../store/identities.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import { endSessions } from '../store/sessions.ts'
import {
  findAddressOwner,
  insertUser,
  type Metadata,
  mergeMetadata,
  reloadUser,
  type User,
  updateUser,
} from '../store/users.ts'
import { discardSignUp, isUnconfirmedSignUp, revokeAccess } from './unconfirmed.ts'

const TAKEN = {
  email: () => unprocessable('email_exists', 'A user with this email address has already been registered'),
  phone: () => unprocessable('phone_exists', 'A user with this phone number has already been registered'),
}

export const addressTaken = (kind: AddressKind) => TAKEN[kind]()

/** Whether the unique index of one kind of address refused a row: another account has taken the address meanwhile. */
const isTaken = (error: unknown, kind: AddressKind): boolean =>
  isDuplicate(error, kind === 'email' ? 'users_email_partial_key' : 'users_phone_key')

export const isAddressTaken = (error: unknown): boolean => isTaken(error, 'email') || isTaken(error, 'phone')

/** Throws email_exists, phone_exists or conflict for the row that another request has inserted meanwhile. */
export function rethrowTaken(error: unknown): never {
  if (isTaken(error, 'email')) throw addressTaken('email')
  if (isTaken(error, 'phone')) throw addressTaken('phone')
  if (isDuplicate(error, 'users_pkey')) throw unprocessable('conflict', 'A user with this id exists already')
  throw error
}

type NewAccount = {
  id?: string
  aud?: string
  role?: string
  email?: string
  phone?: string
  encryptedPassword: string | null
  data: Metadata
}

/** Creates a user with an identity for each address it has, none of it confirmed. */
export async function createAccount(client: Queryable, { data, ...account }: NewAccount): Promise<User> {
  const providers: AddressKind[] = []
  if (account.email) providers.push('email')
  if (account.phone) providers.push('phone')
  const user = await insertUser(client, {
    ...account,
    appMetadata: { provider: providers[0], providers },
    userMetadata: data,
  })
  for (const provider of providers) {
    await insertIdentity(client, user.id, provider, localClaims(user.id, { [provider]: account[provider] }))
  }
  return reloadUser(client, user.id)
}

/** A new account as a person or an administrator describes it. */
export type AccountRequest = {
  /** A random one where it is left out. */
  id?: string
  address: Address
  encryptedPassword: string | null
  data: Metadata
}

/**
 * The request with the id that its account is to have, once the project's hook, if there is one, lets it be made. The
 * hook is not asked where the address has an account that stays. Not for transactions: it may take its time. Throws
 * what the hook throws.
 */
export async function proposeAccount<Request extends AccountRequest>(
  service: AuthService,
  request: Request,
  ip: string | null,
): Promise<Request & { id: string }> {
  const { address, data } = request
  if (isHookEnabled(service, 'before_user_created')) {
    const owner = await findAddressOwner(service.database.pool, address)
    if (owner && !isUnconfirmedSignUp(owner)) return { ...request, id: owner.id }
  }
  const proposed = { [address.kind]: address.value, provider: address.kind, data }
  return { ...request, id: await beforeUserCreated(service, proposed, { ip }) }
}

/**
 * Where a new account's profile data comes from. Data supplied by the person is also copied to the identity and to
 * `user_metadata`.
 */
type Author = 'person' | 'administrator'

export async function createRequestedAccount(
  client: Queryable,
  request: AccountRequest,
  author: Author,
): Promise<User> {
  const { id, address, encryptedPassword, data } = request
  const user = await createAccount(client, { id, [address.kind]: address.value, encryptedPassword, data })
  return author === 'person' ? describePerson(client, user, request) : user
}

async function describePerson(
  client: Queryable,
  user: User,
  { address, data }: AccountRequest,
): Promise<User> {
  const claims = { ...data, ...localClaims(user.id, { [address.kind]: address.value }) }
  await mergeIdentity(client, user.id, address.kind, claims)
  return mergeMetadata(client, user.id, 'raw_user_meta_data', claims)
}

/**
 * Puts a newer account in the place of an unconfirmed sign-up for the same address. The old one is deleted, so that
 * what the project's triggers made of it is deleted and made anew. Where the project's tables refer to it, the row
 * stays and only what the auth service stores of it is replaced.
 */
export async function replaceSignUp(
  client: Queryable,
  old: User,
  request: AccountRequest,
  author: Author,
): Promise<User> {
  if (await discardSignUp(client, old)) return createRequestedAccount(client, request, author)
  await revokeAccess(client, old)
  await deleteFlows(client, old.id)
  await client.query(
    `with deleted as (delete from auth.identities where user_id = $1)
     update auth.users set encrypted_password = $2, raw_user_meta_data = $3, created_at = now(), updated_at = now()
     where id = $1`,
    [old.id, request.encryptedPassword, JSON.stringify(request.data)],
  )
  const { kind, value } = request.address
  await insertIdentity(client, old.id, kind, localClaims(old.id, { [kind]: value }))
  return author === 'person' ? describePerson(client, old, request) : reloadUser(client, old.id)
}

/** Marks the address as confirmed and voids every outstanding code. */
export async function confirmAddress(client: Queryable, user: User, kind: AddressKind): Promise<User> {
  await clearTokens(client, user.id)
  if (kind === 'phone') {
    return updateUser(client, user.id, { phone_confirmed_at: user.phone_confirmed_at ?? new Date() })
  }
  await updateUser(client, user.id, { email_confirmed_at: user.email_confirmed_at ?? new Date() })
  const identity = user.identities.find(
    ({ provider, email }) => provider === 'email' && email !== null && email === user.email,
  )
  if (identity) await mergeIdentity(client, user.id, 'email', { email_verified: true })
  return mergeMetadata(client, user.id, 'raw_user_meta_data', { email_verified: true })
}

/**
 * Stores a new password's hash, voids every code sent under the old one and those of PKCE that nobody has exchanged yet,
 * and ends all sessions except `keep`.
 */
export async function setPassword(
  client: Queryable,
  userId: string,
  encryptedPassword: string,
  keep?: string,
): Promise<User> {
  await clearTokens(client, userId)
  await deleteFlows(client, userId)
  await endSessions(client, userId, keep ? { except: keep } : {})
  return updateUser(client, userId, {
    encrypted_password: encryptedPassword,
    confirmation_sent_at: null,
    recovery_sent_at: null,
    email_change_sent_at: null,
    phone_change_sent_at: null,
    reauthentication_sent_at: null,
  })
}
