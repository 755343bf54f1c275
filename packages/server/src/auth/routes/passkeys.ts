// /passkeys: registering one's passkeys, listing, naming and removing them; and the same for administrators under
// /admin/users/:id/passkeys.
import { z } from 'zod'
import { type Answer, empty, json } from '../../http/answer.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { object, text } from '../body.ts'
import { notifyByEmail } from '../emails/send.ts'
import { badRequest, forbidden, invalid, notFound, unprocessable } from '../errors.ts'
import { isVerified } from '../flows/factors.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { CEREMONY_LIFETIME_S, registrationOptions, verifyRegistration } from '../flows/webauthn.ts'
import { type AuthRequest, isUuid, type UserClaims } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import * as store from '../store/passkeys.ts'
import type { User } from '../store/users.ts'
import { findUser } from './admin-users.ts'

/** Characters, as GoTrue bounds them. */
const MAX_NAME = 120

export const passkeyAnswerBody = z.object({ challenge_id: text, credential: object })
export const passkeyNameBody = z.object({ friendly_name: text })

/** Throws passkey_disabled where config.toml has no passkeys. */
export function requirePasskeys({ settings }: AuthService): void {
  if (!settings.passkey.enabled) throw notFound('passkey_disabled', 'Passkeys are disabled')
}

/** The two fields of an authenticator's answer. Throws validation_failed. */
export function readPasskeyAnswer({ challenge_id: id, credential }: z.output<typeof passkeyAnswerBody>) {
  if (id === '') throw invalid('challenge_id is required')
  if (credential === null) throw invalid('credential is required')
  if (!isUuid(id)) throw invalid('challenge_id must be a valid UUID')
  return { id, credential }
}

export const challengeNotFound = () =>
  badRequest('webauthn_challenge_not_found', 'Challenge not found or already used')
export const challengeExpired = () => badRequest('webauthn_challenge_expired', 'Challenge has expired')
export const notVerified = () => badRequest('webauthn_verification_failed', 'Credential verification failed')

/** Answers what the browser is asked to make. Throws too_many_passkeys, insufficient_aal. */
export async function beginRegistration(
  service: AuthService,
  { claims }: AuthRequest<unknown, 'user'>,
): Promise<Answer> {
  requirePasskeys(service)
  return service.database.transaction(async (client) => {
    const user = await mayManage(client, service, claims, { registers: true })
    const known = await store.findPasskeys(client, user.id)
    requireRoom(service, known.length)
    const options = await registrationOptions(
      service,
      { id: user.id, name: user.email || user.phone || user.id },
      { known: known.map((each) => each.credential_id.toString('base64url')), discoverable: true },
    )
    const { id, expiresAt } = await store.insertPasskeyChallenge(client, {
      userId: user.id,
      type: 'registration',
      challenge: options.challenge,
      seconds: CEREMONY_LIFETIME_S,
    })
    return json({ challenge_id: id, options, expires_at: Math.floor(expiresAt.getTime() / 1000) })
  })
}

/** Answers the new passkey. Throws what `challengeNotFound` and its like say, and webauthn_credential_exists. */
export async function finishRegistration(
  service: AuthService,
  { body, claims, origin }: AuthRequest<z.output<typeof passkeyAnswerBody>, 'user'>,
): Promise<Answer> {
  requirePasskeys(service)
  const { database } = service
  // Before the answer is looked at, as in GoTrue; and again, locked, once it is taken.
  await mayManage(database.pool, service, claims, { registers: true })
  const { id, credential } = readPasskeyAnswer(body)
  // By itself, so that a challenge is used up whatever becomes of the answer.
  const taken = await store.takePasskeyChallenge(database.pool, id, 'registration', claims.sub)
  if (!taken) throw challengeNotFound()
  if (taken.expired) throw challengeExpired()
  const made = await verifyRegistration(service, taken.challenge, credential, { isPasskey: true })
  if (!made) throw notVerified()
  return database.transaction(async (client) => {
    const user = await mayManage(client, service, claims, { registers: true })
    requireRoom(service, (await store.findPasskeys(client, user.id)).length)
    const passkey = await store.insertPasskey(client, user.id, made)
    if (!passkey) throw unprocessable('webauthn_credential_exists', 'This credential is already registered')
    await audit(client, origin.ip, user, 'passkey_created', { passkey_id: passkey.id })
    await notifyByEmail(client, service, user, 'passkey_added', { ip: origin.ip })
    return json(store.passkeyJson(passkey))
  })
}

export async function listPasskeys(
  service: AuthService,
  { claims }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  requirePasskeys(service)
  const { user } = await findSignedIn(service.database.pool, claims)
  return json((await store.findPasskeys(service.database.pool, user.id)).map(store.passkeyJson))
}

export async function renamePasskey(
  service: AuthService,
  { body, claims, origin, params }: AuthRequest<z.output<typeof passkeyNameBody>, 'user'>,
): Promise<Answer> {
  requirePasskeys(service)
  const { friendly_name: name } = body
  if (name === '') throw invalid('friendly_name is required')
  if ([...name].length > MAX_NAME) throw invalid(`friendly_name must be ${MAX_NAME} characters or less`)
  return service.database.transaction(async (client) => {
    const { user } = await findSignedIn(client, claims, { lock: true })
    const passkey = await findPasskey(client, user.id, params.passkey)
    await store.renamePasskey(client, passkey.id, name)
    await audit(client, origin.ip, user, 'passkey_updated', { passkey_id: passkey.id })
    return json(store.passkeyJson({ ...passkey, friendly_name: name }))
  })
}

export async function deletePasskey(
  service: AuthService,
  { claims, origin, params }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  requirePasskeys(service)
  return service.database.transaction(async (client) => {
    const user = await mayManage(client, service, claims)
    const passkey = await findPasskey(client, user.id, params.passkey)
    await store.deletePasskey(client, passkey.id)
    await audit(client, origin.ip, user, 'passkey_deleted', { passkey_id: passkey.id })
    await notifyByEmail(client, service, user, 'passkey_removed', { ip: origin.ip })
    return empty()
  })
}

export async function listPasskeysOf(service: AuthService, { params }: AuthRequest): Promise<Answer> {
  requirePasskeys(service)
  const { pool } = service.database
  const { id } = await findUser(pool, params.id)
  return json((await store.findPasskeys(pool, id)).map(store.passkeyJson))
}

export async function deletePasskeyOf(
  service: AuthService,
  { params, origin, admin }: AuthRequest<null, 'service'>,
): Promise<Answer> {
  requirePasskeys(service)
  return service.database.transaction(async (client) => {
    const user = await findUser(client, params.id, { lock: true })
    const passkey = await findPasskey(client, user.id, params.passkey)
    await store.deletePasskey(client, passkey.id)
    await audit(client, origin.ip, admin, 'passkey_deleted', { user_id: user.id, passkey_id: passkey.id })
    return empty()
  })
}

/**
 * The caller, locked in a transaction. Throws insufficient_aal while a second factor that they have was not proved,
 * reauthentication_needed, and validation_failed for people who sign in with a company's account and would register
 * one.
 */
async function mayManage(
  client: Queryable,
  service: AuthService,
  claims: UserClaims,
  { registers = false }: { registers?: boolean } = {},
): Promise<User> {
  const { user, session } = await findSignedIn(client, claims, { lock: true })
  if (user.is_anonymous) {
    throw forbidden('no_authorization', 'Anonymous user not allowed to perform these actions')
  }
  if (registers && user.is_sso_user) {
    throw unprocessable('validation_failed', 'SSO users cannot register passkeys')
  }
  if (user.factors.some(isVerified) && session?.aal !== 'aal2') {
    throw forbidden('insufficient_aal', 'AAL2 session is required to manage passkeys when MFA is enabled')
  }
  await requireRecentSignIn(client, service, user, session)
  return user
}

function requireRoom({ settings }: AuthService, count: number): void {
  if (count < settings.passkey.max_passkeys_per_user) return
  throw unprocessable('too_many_passkeys', 'Maximum number of passkeys reached')
}

async function findPasskey(client: Queryable, userId: string, id = ''): Promise<store.Passkey> {
  const [passkey] = isUuid(id) ? await store.findPasskeys(client, userId, id) : []
  if (!passkey) throw notFound('validation_failed', 'Passkey not found')
  return passkey
}
