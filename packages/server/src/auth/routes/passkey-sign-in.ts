// /passkeys/authentication: signing in with a passkey, whose authenticator says whose it is.
import type { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { AuthError, forbidden } from '../errors.ts'
import { startSession, type TokenResponse } from '../flows/sessions.ts'
import { CEREMONY_LIFETIME_S, requestOptions, verifyAssertion } from '../flows/webauthn.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import {
  findCredential,
  insertPasskeyChallenge,
  notePasskeyUse,
  takePasskeyChallenge,
} from '../store/passkeys.ts'
import { findUserById, isBanned, type User } from '../store/users.ts'
import {
  challengeExpired,
  challengeNotFound,
  notVerified,
  type passkeyAnswerBody,
  readPasskeyAnswer,
  requirePasskeys,
} from './passkeys.ts'

/** Answers what the browser is asked to sign: the same for everybody. */
export async function beginPasskeySignIn(service: AuthService): Promise<Answer> {
  requirePasskeys(service)
  const options = await requestOptions(service)
  const { id, expiresAt } = await insertPasskeyChallenge(service.database.pool, {
    userId: null,
    type: 'authentication',
    challenge: options.challenge,
    seconds: CEREMONY_LIFETIME_S,
  })
  return json({ challenge_id: id, options, expires_at: Math.floor(expiresAt.getTime() / 1000) })
}

/**
 * Answers a session. Throws webauthn_verification_failed for an unknown credential as for a wrong signature, and
 * email_not_confirmed, phone_not_confirmed, user_banned.
 */
export async function finishPasskeySignIn(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof passkeyAnswerBody>>,
): Promise<Answer> {
  requirePasskeys(service)
  const { database } = service
  const { id, credential } = readPasskeyAnswer(body)
  // By itself, so that a challenge is used up whatever becomes of the answer.
  const taken = await takePasskeyChallenge(database.pool, id, 'authentication', null)
  if (!taken) throw challengeNotFound()
  if (taken.expired) throw challengeExpired()
  return json(
    await database.transaction((client) => signIn(client, service, taken.challenge, credential, origin)),
  )
}

async function signIn(
  client: Transaction,
  service: AuthService,
  challenge: string,
  credential: Record<string, unknown>,
  origin: Origin,
): Promise<TokenResponse> {
  const passkey = await findCredential(client, bytes(credential.id))
  const handle = (credential.response as { userHandle?: unknown } | null | undefined)?.userHandle
  // A discoverable credential names its person; one that names another is not taken.
  if (!passkey || bytes(handle).toString() !== passkey.user_id) throw notVerified()
  const used = await verifyAssertion(service, challenge, credential, {
    id: passkey.credential_id,
    publicKey: passkey.public_key,
    counter: Number(passkey.sign_count),
    isPasskey: true,
  })
  if (!used) throw notVerified()
  const user = await findUserById(client, passkey.user_id, { lock: true })
  requireActive(user)
  await notePasskeyUse(client, passkey.id, used)
  await audit(client, origin.ip, user, 'login', { passkey_id: passkey.id })
  return startSession(client, service, user.id, 'passkey', origin)
}

const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : '', 'base64url')

function requireActive(user: User | null): asserts user is User {
  if (!user || user.deleted_at) throw forbidden('user_not_found', 'User not found')
  if (user.email && !user.email_confirmed_at) throw forbidden('email_not_confirmed', 'Email not confirmed')
  if (user.phone && !user.phone_confirmed_at) throw forbidden('phone_not_confirmed', 'Phone not confirmed')
  if (isBanned(user)) throw new AuthError(403, 'user_banned', 'User is banned')
}
