// GET and PUT /user: the parts of their account that signed-in people read and change.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkChannel, checkEmail, checkPhone } from '../addresses.ts'
import { challenge, object, text } from '../body.ts'
import { notifyByEmail } from '../emails/send.ts'
import { type AuthError, badRequest, forbidden, unprocessable } from '../errors.ts'
import { setPassword } from '../flows/accounts.ts'
import { startEmailChange, startPhoneChange } from '../flows/address-change.ts'
import { requireSecondFactor } from '../flows/factors.ts'
import { scopesOf, userForClient } from '../flows/oauth-scopes.ts'
import { checkPassword, hashPassword, verifyPassword } from '../flows/passwords.ts'
import { readFlow } from '../flows/pkce.ts'
import {
  isSignInStale,
  reauthenticationNeeded,
  requireRecentProof,
  tryNonce,
} from '../flows/reauthentication.ts'
import { limitErrorOf } from '../flows/refused-messages.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { countPasswordAttempt } from '../limits/attempts.ts'
import { countMessageRequest } from '../limits/messages.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import type { SharedLimit } from '../store/rate-limits.ts'
import { findMethods, type Session } from '../store/sessions.ts'
import { mergeMetadata, reloadUser, type User, userJson } from '../store/users.ts'

export async function getOwnUser(
  { database }: AuthService,
  { claims }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const { user, session } = await findSignedIn(database.pool, claims)
  // An application is shown what the person let it see, and none of their ways to sign in.
  if (claims.clientId) return json(userForClient(user, scopesOf(session?.scopes ?? '')))
  return json(userJson(user))
}

export const updateUserBody = z.object({
  email: text,
  phone: text,
  password: z.string().nullish(),
  current_password: z.string().nullish(),
  nonce: text,
  data: object,
  app_metadata: object,
  channel: text,
  ...challenge,
})

type Body = z.output<typeof updateUserBody>

/**
 * Changes metadata and password at once; a new address only after it is confirmed. Where its message may not be sent,
 * the other changes are committed before the error is thrown.
 */
export async function updateOwnUser(
  service: AuthService,
  { body: given, claims, origin }: AuthRequest<Body, 'user'>,
): Promise<Answer> {
  const { database } = service
  const { user, session: own } = await findSignedIn(database.pool, claims)
  const body = {
    ...given,
    email: given.email === '' ? '' : checkEmail(given.email),
    phone: given.phone === '' ? '' : checkPhone(given.phone),
  }
  const channel = body.phone === '' ? 'sms' : checkChannel(body.channel, service)
  if (body.app_metadata) {
    throw forbidden('not_admin', 'Updating app_metadata requires admin privileges')
  }
  const password = body.password ?? null
  if (password !== null) await checkPassword(password, service)
  refuseForbiddenChanges(user, body)
  const changesSignIn = Boolean(password) || body.email !== '' || body.phone !== ''
  if (changesSignIn) requireSecondFactor(user, own)
  const stale = changesSignIn && (await isSignInStale(database.pool, service, user, own))
  if (stale && body.nonce === '' && !(password && body.current_password)) throw reauthenticationNeeded()
  const overLimit = {
    email: body.email === '' ? null : limitErrorOf(() => countMessageRequest(service, 'email', origin)),
    phone: body.phone === '' ? null : limitErrorOf(() => countMessageRequest(service, 'phone', origin)),
  }
  const asked = password ? await asksForPassword(service, user, own, { ...body, stale }) : false
  const counted = password ? await checkPasswords(service, user, { ...body, asked }, origin) : []
  const encryptedPassword = password ? await hashPassword(password) : null
  // Outside of the transaction, so that a wrong nonce counts although the request fails.
  const nonce = (password || stale) && body.nonce !== '' ? await tryNonce(service, user, body.nonce) : ''

  const { changed, refused } = await database.transaction(async (client) => {
    let refused: AuthError | null = null
    const { user: current, session } = await findSignedIn(client, claims, { lock: true })
    const knowsPassword = asked && Boolean(current.encrypted_password)
    const owed = (asked || stale) && !knowsPassword
    if (encryptedPassword !== null || owed) {
      await requireRecentProof(client, service, current, session, { nonce, owed })
    }
    if (encryptedPassword !== null) {
      await setPassword(client, current.id, encryptedPassword, session?.id)
      await audit(client, origin.ip, current, 'user_updated_password')
      await notifyByEmail(client, service, current, 'password_changed', { ip: origin.ip })
    }
    if (body.data) await mergeMetadata(client, current.id, 'raw_user_meta_data', body.data)
    if (body.email !== '' && body.email !== current.email) {
      const options = { flow: readFlow(body), refused: overLimit.email, ...origin }
      refused = await startEmailChange(client, service, current.id, body.email, options)
    }
    if (body.phone !== '' && body.phone !== current.phone) {
      const options = { channel, ip: origin.ip, refused: overLimit.phone }
      const refusedText = await startPhoneChange(client, service, current.id, body.phone, options)
      refused ??= refusedText
    }
    await audit(client, origin.ip, current, 'user_modified')
    return { changed: await reloadUser(client, current.id), refused }
  })
  await service.shared.giveBack(counted)
  if (refused) throw refused
  return json(userJson(changed))
}

/**
 * That the present password is known, where it has to be, and that the new one is another. Counted as a try, since
 * both errors reveal something about the present password. Answers what to give back after the change.
 */
async function checkPasswords(
  service: AuthService,
  user: User,
  { password, current_password: current, asked }: Body & { asked: boolean },
  origin: Origin,
): Promise<SharedLimit[]> {
  const stored = user.encrypted_password
  if (!stored) return []
  if (asked && !current) throw currentPasswordNeeded('current_password_required')
  const address = user.email || user.phone || user.id
  const counted = await countPasswordAttempt(service, { address, userId: user.id }, origin)
  if (asked && !(await verifyPassword(current ?? '', stored))) {
    throw currentPasswordNeeded('current_password_invalid')
  }
  if (!(await verifyPassword(password ?? '', stored))) return counted
  throw unprocessable('same_password', 'New password should be different from the old password.')
}

/** GoTrue says the same of a missing and of a wrong one; the code tells them apart. */
const currentPasswordNeeded = (code: string) =>
  badRequest(code, 'Current password required when setting new password.')

/** Sign-ins by a code or link prove the address. The person may have forgotten the password. */
const WITHOUT_PASSWORD: readonly string[] = ['recovery', 'otp', 'magiclink']

/**
 * Whether a new password requires the present one. People who signed in by another service and have none give a code
 * instead, so that a session left open is not enough for permanent access. After a stale sign-in, the present one is
 * checked wherever it is given.
 */
async function asksForPassword(
  { settings, database }: AuthService,
  user: User,
  session: Session | null,
  { stale, nonce, current_password: current }: Body & { stale: boolean },
): Promise<boolean> {
  if (stale && current) return true
  if (!settings.email.require_current_password || !(user.email || user.phone)) return false
  const methods = session ? await findMethods(database.pool, session.id) : []
  const byCode = methods.some(({ method }) => WITHOUT_PASSWORD.includes(method))
  return byCode ? stale && nonce === '' : true
}

function refuseForbiddenChanges(user: User, { email, phone, password, nonce }: Body): void {
  const newEmail = email !== '' && email !== user.email
  const newPhone = phone !== '' && phone !== user.phone
  if (user.is_anonymous && password && email === '' && phone === '') {
    throw unprocessable(
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
    )
  }
  if (user.is_sso_user && (newEmail || newPhone || password || nonce !== '')) {
    throw unprocessable(
      'user_sso_managed',
      'Updating email, phone, password of a SSO account only possible via SSO',
    )
  }
}
