// Accounts that an administrator prepares for somebody else: for invitations and for links that are not mailed.
import type { Queryable } from '../../sql/queryable.ts'
import type { Address } from '../addresses.ts'
import type { Origin } from '../service.ts'
import { type Actor, audit } from '../store/audit.ts'
import { findAddressOwner, type User } from '../store/users.ts'
import { type AccountRequest, addressTaken, createRequestedAccount, replaceSignUp } from './accounts.ts'
import { isUnconfirmedSignUp, lockAddress } from './unconfirmed.ts'

/** The account with the address, locked, or null; sign-ups for the address wait until the transaction ends. */
export async function lockAccount(client: Queryable, address: Address): Promise<User | null> {
  await lockAddress(client, address)
  return findAddressOwner(client, address, { lock: true })
}

/**
 * The unconfirmed account of that address as an administrator describes it; one that an administrator has made before
 * stays as it is. Throws email_exists for a confirmed one.
 */
export async function prepareAccount(client: Queryable, account: AccountRequest): Promise<User> {
  const user = await lockAccount(client, account.address)
  if (user?.email_confirmed_at) throw addressTaken('email')
  if (!user) return createRequestedAccount(client, account, 'administrator')
  if (!isUnconfirmedSignUp(user)) return user
  // A stranger who signed up with this address must not end up in the account of the person it is meant for.
  return replaceSignUp(client, user, account, 'administrator')
}

export const auditInvitation = (
  client: Queryable,
  { id, email }: User,
  { ip }: Origin,
  admin: Actor,
): Promise<void> => audit(client, ip, admin, 'user_invited', { user_id: id, user_email: email })
