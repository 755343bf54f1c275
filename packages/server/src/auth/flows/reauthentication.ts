// The proof of who somebody is that changes of how an account is signed in to ask for: a recent sign-in, the present
// password, or a code (nonce) sent beforehand.
import type { Queryable } from '../../sql/queryable.ts'
import { badRequest, unprocessable } from '../errors.ts'
import { countCodeAttempt } from '../limits/attempts.ts'
import type { AuthService } from '../service.ts'
import { clearTokens, findToken, hashCode, tryCode } from '../store/one-time-tokens.ts'
import { findMethods, type Session } from '../store/sessions.ts'
import type { User } from '../store/users.ts'
import { codeLifetime } from './codes.ts'
import { typedCode } from './texts.ts'

const RECENT_SESSION_MS = 24 * 3600 * 1000

/** Proofs of somebody's leave for an application, or of nothing. */
const NO_SIGN_IN: readonly string[] = ['anonymous', 'oauth_provider/authorization_code']

export const reauthenticationNeeded = () =>
  badRequest('reauthentication_needed', 'This change requires a recent sign-in or reauthentication')

/**
 * Whether the session's last proof is older than `credential_change_max_age` allows. A refresh makes it no younger. A
 * token without a session proves no time. Anonymous accounts have nothing to sign in with again.
 */
export async function isSignInStale(
  client: Queryable,
  { settings }: AuthService,
  user: User,
  session: Session | null,
): Promise<boolean> {
  const maxAge = settings.credential_change_max_age
  if (maxAge === undefined || user.is_anonymous) return false
  const methods = session ? await findMethods(client, session.id) : []
  const oldest = Date.now() / 1000 - maxAge
  return !methods.some(({ method, timestamp }) => timestamp > oldest && !NO_SIGN_IN.includes(method))
}

/** Throws reauthentication_needed where `isSignInStale`. */
export async function requireRecentSignIn(
  client: Queryable,
  service: AuthService,
  user: User,
  session: Session | null,
): Promise<void> {
  if (await isSignInStale(client, service, user, session)) throw reauthenticationNeeded()
}

export const invalidNonce = () =>
  unprocessable('reauthentication_not_valid', 'Nonce has expired or is invalid')

const addressOf = (user: User): string => user.email || user.phone || ''

/**
 * Counts the nonce as tried; answers null when it is wrong, or void after too many wrong ones, else what is compared.
 * Throws over_request_rate_limit.
 */
export async function tryNonce(service: AuthService, user: User, typed: string): Promise<string | null> {
  const { database, keys } = service
  await countCodeAttempt(service, `reauthentication ${user.id}`)
  const address = addressOf(user)
  const nonce = user.email ? typed : await typedCode(service, address, typed)
  const hashes = [hashCode(keys, address, nonce)]
  const matches = await tryCode(database.pool, hashes, ['reauthentication_token'], address.toLowerCase())
  return matches ? nonce : null
}

/**
 * With secure_password_change, a session older than a day needs the code that GET /reauthenticate sent; `owed`, however
 * old it is.
 */
export async function requireRecentProof(
  client: Queryable,
  service: AuthService,
  user: User,
  session: Session | null,
  { nonce, owed }: { nonce: string | null; owed: boolean },
): Promise<void> {
  if (!owed) {
    if (!service.settings.email.secure_password_change) return
    if (session && session.created_at.getTime() + RECENT_SESSION_MS > Date.now()) return
  }
  if (nonce === null) throw invalidNonce()
  if (nonce === '') {
    throw badRequest('reauthentication_needed', 'Password update requires reauthentication')
  }
  const lifetimeMs = codeLifetime(service, user.email ? 'email' : 'phone') * 1000
  const sentAt = user.reauthentication_sent_at?.getTime() ?? 0
  const hashes = [hashCode(service.keys, addressOf(user), nonce)]
  const token = await findToken(client, hashes, ['reauthentication_token'])
  if (token?.userId !== user.id || sentAt + lifetimeMs < Date.now()) throw invalidNonce()
  // Only the code just used: a change of address that waits for its links goes on.
  await clearTokens(client, user.id, 'reauthentication_token')
}
