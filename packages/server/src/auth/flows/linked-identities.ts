// Identities that people add to their own account, and what becomes of its address when one comes or goes.
import type { Transaction } from '../../sql/queryable.ts'
import { type AuthError, badRequest, unprocessable } from '../errors.ts'
import type { AuthService, Origin } from '../service.ts'
import { findIdentity } from '../store/identities.ts'
import { reloadUser, type User, updateUser } from '../store/users.ts'
import { confirmAddress, isAddressTaken } from './accounts.ts'
import { sendEmailCode } from './codes.ts'
import { type ExternalIdentity, type ExternalSignIn, link, lockIdentity } from './external-identities.ts'
import { attemptMessage } from './refused-messages.ts'
import { freeAddress, isAddressHeld } from './unconfirmed.ts'

/**
 * Adds a provider's identity to the account of the signed-in person, whose row the caller has locked. An AuthError is
 * answered, not thrown, where what was done must be committed first (email_not_confirmed: the email is sent, or why
 * it was not). Throws identity_already_exists and email_exists.
 */
export async function linkToUser(
  client: Transaction,
  service: AuthService,
  user: User,
  external: ExternalIdentity,
  origin: Origin,
): Promise<ExternalSignIn | AuthError> {
  await lockIdentity(client, external)
  const known = await findIdentity(client, external.provider, external.providerId)
  if (known) {
    const whose = known.user_id === user.id ? '' : ' to another user'
    throw unprocessable('identity_already_exists', `Identity is already linked${whose}`)
  }
  await link(client, service, user, external, origin)
  const unchanged = { user: await reloadUser(client, user.id), created: false }
  if (user.email) return unchanged
  const email = external.emails.find(({ primary }) => primary) ?? external.emails[0]
  if (!email) return unchanged
  return giveAddress(client, service, user, external.provider, email, origin)
}

/** The first address of an account that had none. */
async function giveAddress(
  client: Transaction,
  service: AuthService,
  user: User,
  provider: string,
  { address, verified }: ExternalIdentity['emails'][number],
  origin: Origin,
): Promise<ExternalSignIn | AuthError> {
  const owned = { kind: 'email', value: address } as const
  if (await isAddressHeld(client, owned, user.id)) {
    throw badRequest('email_exists', 'A user with this email address has already been registered')
  }
  await freeAddress(client, owned, user.id)
  const changed = await updateUser(client, user.id, { email: address, is_anonymous: false })
  if (verified) return { user: await confirmAddress(client, changed, 'email'), created: false }
  const refused = await attemptMessage(client, () =>
    sendEmailCode(client, service, changed, 'confirmation', origin),
  )
  if (refused) return refused
  return unprocessable(
    'email_not_confirmed',
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  )
}

/**
 * After an identity went: the account keeps its address while another identity has it, else takes the first that a
 * provider has verified, or has none. Throws email_conflict_identity_not_deletable.
 */
export async function keepAddressOfIdentities(client: Transaction, userId: string): Promise<void> {
  const user = await reloadUser(client, userId)
  if (user.identities.some(({ email }) => email && email === user.email?.toLowerCase())) return
  const next = user.identities.find(({ email, identity_data: data }) => email && data.email_verified === true)
  try {
    await updateUser(client, userId, {
      email: next?.email ?? null,
      email_confirmed_at: next ? new Date() : null,
    })
  } catch (error) {
    if (!isAddressTaken(error)) throw error
    throw unprocessable(
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    )
  }
}
