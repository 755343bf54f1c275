// Unconfirmed sign-ups: claims on an address, of which the newest counts
// (docs/decisions/0021-the-newest-sign-up-counts.md).

import pg from 'pg'
import { isUnavailable } from '../../sql/errors.ts'
import type { Queryable } from '../../sql/queryable.ts'
import type { Address } from '../addresses.ts'
import { deleteFlows } from '../store/flow-state.ts'
import { deleteOtherIdentities } from '../store/identities.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import { deletePasskeys } from '../store/passkeys.ts'
import { endSessions } from '../store/sessions.ts'
import { findAddressOwner, isBanned, type User } from '../store/users.ts'

/**
 * Whether the account is no more than the claim of somebody who signed up: no address of it was ever confirmed, nobody
 * ever signed in, and no administrator made, invited or banned it. Only sign-up, by password or by a provider, writes
 * the `sub` of an identity into the metadata.
 */
export const isUnconfirmedSignUp = (user: User): boolean =>
  user.email_confirmed_at === null &&
  user.phone_confirmed_at === null &&
  user.last_sign_in_at === null &&
  user.invited_at === null &&
  user.deleted_at === null &&
  !user.is_sso_user &&
  !isBanned(user) &&
  user.identities.some(({ provider_id: id }) => id === user.raw_user_meta_data?.sub)

/** Lets sign-ups and invitations for one address happen one after the other, until the transaction ends. */
export async function lockAddress(client: Queryable, { value }: Address): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`auth.users ${value}`])
}

/**
 * Deletes an unconfirmed sign-up, with all that the project's triggers made of it. Answers false, and changes nothing,
 * where the project's tables or triggers keep the row.
 */
export async function discardSignUp(client: Queryable, user: User): Promise<boolean> {
  await client.query('savepoint discard_sign_up')
  try {
    await client.query('delete from auth.users where id = $1', [user.id])
    // Deferred foreign keys would fail only at the commit, when it is too late to go on without the deletion.
    await client.query('set constraints all immediate; set constraints all deferred')
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) throw error
    await client.query('rollback to savepoint discard_sign_up')
    return false
  }
  await client.query('release savepoint discard_sign_up')
  await deleteFlows(client, user.id)
  return true
}

/** Removes every way into the account but the identity `kept`: password, sessions, codes, factors, passkeys, others. */
export async function revokeAccess(client: Queryable, user: User, kept?: string): Promise<void> {
  await clearTokens(client, user.id)
  await endSessions(client, user.id)
  await deleteOtherIdentities(client, user, kept)
  await client.query('delete from auth.mfa_factors where user_id = $1', [user.id])
  await deletePasskeys(client, user.id)
  await client.query('update auth.users set encrypted_password = null where id = $1', [user.id])
}

/** Whether an account other than `userId` has the address; an unconfirmed sign-up does not keep it from anybody. */
export async function isAddressHeld(client: Queryable, address: Address, userId: string): Promise<boolean> {
  const owner = await findAddressOwner(client, address, { except: userId })
  return owner !== null && !isUnconfirmedSignUp(owner)
}

/** Frees an address that `userId` has proved to be theirs from the unconfirmed sign-up of somebody else. */
export async function freeAddress(client: Queryable, address: Address, userId: string): Promise<void> {
  const owner = await findAddressOwner(client, address, { except: userId })
  if (owner && isUnconfirmedSignUp(owner)) await discardSignUp(client, owner)
}
