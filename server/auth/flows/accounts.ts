// Acts on an account that several endpoints share: confirming its address, setting its password, changing its
// address. Each takes the transaction, in which the caller has locked the user's row.
import type { Queryable } from '../../jobs/jobs.ts'
import { isDuplicate, unprocessable } from '../errors.ts'
import { audience } from '../service.ts'
import { deleteFlows } from '../store/flow-state.ts'
import {
  insertIdentity,
  type LocalProvider,
  localClaims,
  mergeIdentity,
  syncProviders,
} from '../store/identities.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import { endSessions } from '../store/sessions.ts'
import {
  insertUser,
  type Metadata,
  mergeMetadata,
  reloadUser,
  type User,
  updateUser,
} from '../store/users.ts'
import { discardSignUp, freeAddress, lockOut } from './unconfirmed.ts'

export const emailTaken = () =>
  unprocessable('email_exists', 'A user with this email address has already been registered')
export const phoneTaken = () =>
  unprocessable('phone_exists', 'A user with this phone number has already been registered')

/** Whether `error` says that another account has the address. */
export const isEmailTaken = (error: unknown): boolean => isDuplicate(error, 'users_email_partial_key')
export const isPhoneTaken = (error: unknown): boolean => isDuplicate(error, 'users_phone_key')

type NewAccount = {
  id?: string
  aud: string
  role?: string
  email?: string
  phone?: string
  encryptedPassword: string | null
  data: Metadata
}

/** Makes a user with an identity for each address it has, none of it confirmed. */
export async function createAccount(client: Queryable, { data, ...account }: NewAccount): Promise<User> {
  const providers: LocalProvider[] = []
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

/** An account as it was asked for: with one address, `email` or `phone`; the other is empty. */
export type AskedAccount = { email: string; phone: string; encryptedPassword: string | null; data: Metadata }

/** Like `createAccount`, for a person who signs up: what they said of themselves stands in identity and metadata. */
export async function createOwnAccount(client: Queryable, account: AskedAccount): Promise<User> {
  const user = await createAccount(client, { ...account, aud: audience })
  return describeThemselves(client, user, account)
}

async function describeThemselves(
  client: Queryable,
  user: User,
  { email, phone, data }: AskedAccount,
): Promise<User> {
  const claims = { ...data, ...localClaims(user.id, email ? { email } : { phone }) }
  await mergeIdentity(client, user.id, email ? 'email' : 'phone', claims)
  return mergeMetadata(client, user.id, 'raw_user_meta_data', claims)
}

/**
 * Puts a newer account in the place of an unconfirmed sign-up for the same address; `by` is who describes it. The old
 * one is deleted, so that what the project's triggers made of it goes, too, and is made anew. Where the project's
 * tables refer to it, the row stays and only what the auth service keeps of it is replaced.
 */
export async function replaceSignUp(
  client: Queryable,
  old: User,
  account: AskedAccount,
  by: 'person' | 'administrator',
): Promise<User> {
  if (await discardSignUp(client, old)) {
    const create = by === 'person' ? createOwnAccount : createAccount
    return create(client, { ...account, aud: audience })
  }
  await lockOut(client, old)
  await deleteFlows(client, old.id)
  await client.query(
    `with gone as (delete from auth.identities where user_id = $1)
     update auth.users set encrypted_password = $2, raw_user_meta_data = $3, created_at = now(), updated_at = now()
     where id = $1`,
    [old.id, account.encryptedPassword, JSON.stringify(account.data)],
  )
  const { email, phone } = account
  const provider = email ? 'email' : 'phone'
  await insertIdentity(client, old.id, provider, localClaims(old.id, email ? { email } : { phone }))
  return by === 'person' ? describeThemselves(client, old, account) : reloadUser(client, old.id)
}

/** Marks the e-mail address as confirmed and voids every outstanding code. */
export async function confirmEmail(client: Queryable, user: User): Promise<User> {
  await updateUser(client, user.id, { email_confirmed_at: user.email_confirmed_at ?? new Date() })
  const identity = user.identities.find(
    ({ provider, email }) => provider === 'email' && email !== null && email === user.email,
  )
  if (identity) await mergeIdentity(client, user.id, 'email', { email_verified: true })
  await clearTokens(client, user.id)
  return mergeMetadata(client, user.id, 'raw_user_meta_data', { email_verified: true })
}

/** Marks the phone number as confirmed and voids every outstanding code. */
export async function confirmPhone(client: Queryable, user: User): Promise<User> {
  await clearTokens(client, user.id)
  return updateUser(client, user.id, { phone_confirmed_at: user.phone_confirmed_at ?? new Date() })
}

/** Puts the pending new e-mail address in the place of the current one. Throws email_exists when it was taken. */
export async function applyEmailChange(client: Queryable, user: User): Promise<User> {
  const email = user.email_change ?? ''
  await freeAddress(client, { email }, user.id)
  try {
    await updateUser(client, user.id, {
      email,
      email_change: '',
      email_change_confirm_status: 0,
      is_anonymous: false,
      email_confirmed_at: user.email_confirmed_at ?? new Date(),
    })
  } catch (error) {
    throw isEmailTaken(error) ? emailTaken() : error
  }
  await mergeIdentity(client, user.id, 'email', { email, email_verified: true })
  await clearTokens(client, user.id)
  await syncProviders(client, user.id)
  return mergeMetadata(client, user.id, 'raw_user_meta_data', { email, email_verified: true })
}

/** Puts the pending new phone number in the place of the current one. Throws phone_exists when it was taken. */
export async function applyPhoneChange(client: Queryable, user: User): Promise<User> {
  const phone = user.phone_change ?? ''
  await freeAddress(client, { phone }, user.id)
  try {
    await updateUser(client, user.id, {
      phone,
      phone_change: '',
      phone_confirmed_at: new Date(),
      is_anonymous: false,
    })
  } catch (error) {
    throw isPhoneTaken(error) ? phoneTaken() : error
  }
  await mergeIdentity(client, user.id, 'phone', { phone, phone_verified: true })
  await clearTokens(client, user.id)
  await syncProviders(client, user.id)
  return reloadUser(client, user.id)
}

/** Stores a new password's hash, voids every code sent under the old one, and ends all sessions except `keep`. */
export async function setPassword(
  client: Queryable,
  userId: string,
  encryptedPassword: string,
  keep?: string,
): Promise<User> {
  await clearTokens(client, userId)
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
