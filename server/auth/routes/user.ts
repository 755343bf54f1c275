// GET and PUT /user, GET /reauthenticate, POST /logout: what signed-in people do with their own account.
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import type { Channel } from '../../sms/text.ts'
import { checkChannel, checkEmail, checkPhone } from '../addresses.ts'
import { challenge, object, text } from '../body.ts'
import { badRequest, forbidden, invalid, unprocessable } from '../errors.ts'
import { applyEmailChange, applyPhoneChange, emailTaken, phoneTaken, setPassword } from '../flows/accounts.ts'
import { sendEmail, sendEmailChange, sendEmailCode, sendTextCode, textCodeLifetime } from '../flows/codes.ts'
import { checkPassword, hashPassword, verifyPassword } from '../flows/passwords.ts'
import { isEmailHeld, isPhoneHeld } from '../flows/unconfirmed.ts'
import { countMessageRequest } from '../limits/messages.ts'
import { takePasswordTry } from '../limits/password-attempts.ts'
import type { SharedLimit } from '../limits/shared.ts'
import { type AuthService, countRequest, type Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { readFlow, saveFlow } from '../store/flow-state.ts'
import { clearTokens, findToken, hashCode, tryCode } from '../store/one-time-tokens.ts'
import { endSessions, findSession, type Session } from '../store/sessions.ts'
import { findUserById, isBanned, mergeMetadata, reloadUser, type User } from '../store/users.ts'

export type SignedIn = { user: User; session: Session | null }

/**
 * The account and session of an access token. Throws user_not_found, session_not_found or user_banned when they have
 * ended since the token was issued. `lock` holds the account for the rest of the transaction.
 */
export async function signedIn(
  client: Queryable,
  claims: { sub: string; sessionId: string | null },
  options: { lock?: boolean } = {},
): Promise<SignedIn> {
  const user = await findUserById(client, claims.sub, options)
  if (!user) throw forbidden('user_not_found', 'User from sub claim in JWT does not exist')
  const session = claims.sessionId ? await findSession(client, claims.sessionId) : null
  if (claims.sessionId && session?.user_id !== user.id) {
    throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  return { user, session }
}

type Claims = Parameters<typeof signedIn>[1]

export const updateUserBody = z.object({
  email: text,
  phone: text,
  password: z.string().nullish(),
  nonce: text,
  data: object,
  app_metadata: object,
  channel: text,
  ...challenge,
})

type UpdateBody = z.output<typeof updateUserBody>

/** Changes metadata and password at once; a new address only after it is confirmed. */
export async function updateOwnUser(
  service: AuthService,
  claims: Claims,
  asked: UpdateBody,
  origin: Origin,
): Promise<User> {
  const { database, settings } = service
  countRequest(service.limits.signInSignUps, origin)
  const { user } = await signedIn(database.pool, claims)
  const body = {
    ...asked,
    email: asked.email === '' ? '' : checkEmail(asked.email),
    phone: asked.phone === '' ? '' : checkPhone(asked.phone),
  }
  const channel = body.phone === '' ? 'sms' : checkChannel(body.channel, service.sms)
  if (body.app_metadata) {
    throw forbidden('not_admin', 'Updating app_metadata requires admin privileges')
  }
  const newPassword = body.password ?? null
  if (newPassword !== null) checkPassword(newPassword, settings)
  refuseForbiddenChanges(user, body)
  if (newPassword || body.email !== '') countMessageRequest(service, 'email', origin)
  if (body.phone !== '') countMessageRequest(service, 'sms', origin)
  const tried = newPassword ? await refuseSamePassword(service, user, newPassword, origin) : []
  const encryptedPassword = newPassword ? await hashPassword(newPassword) : null

  // Counted whatever comes of the rest.
  const triedNonce = newPassword && body.nonce !== '' ? await tryNonce(service, user, body.nonce) : ''

  const changed = await database.transaction(async (client) => {
    const { user: current, session } = await signedIn(client, claims, { lock: true })
    if (encryptedPassword !== null) {
      await requireRecentProof(client, service, current, session, triedNonce)
      await setPassword(client, current.id, encryptedPassword, session?.id)
      await audit(client, origin.ip, current, 'user_updated_password')
      if (current.email) await sendEmail(client, service, current, 'password_changed', { to: current.email })
    }
    if (body.data) await mergeMetadata(client, current.id, 'raw_user_meta_data', body.data)
    if (body.email !== '' && body.email !== current.email) {
      await beginEmailChange(client, service, current.id, body, origin)
    }
    if (body.phone !== '' && body.phone !== current.phone) {
      await beginPhoneChange(client, service, current.id, body.phone, channel)
    }
    await audit(client, origin.ip, current, 'user_modified')
    return reloadUser(client, current.id)
  })
  await service.shared.giveBack(tried)
  return changed
}

/** Counts the password as tried: the refusal tells which one is in use. Answers what to give back once it is changed. */
async function refuseSamePassword(
  service: AuthService,
  user: User,
  password: string,
  origin: Origin,
): Promise<SharedLimit[]> {
  if (!user.encrypted_password) return []
  const address = user.email || user.phone || user.id
  const tried = await takePasswordTry(service, { address, userId: user.id }, origin)
  if (!(await verifyPassword(password, user.encrypted_password))) return tried
  throw unprocessable('same_password', 'New password should be different from the old password.')
}

function refuseForbiddenChanges(user: User, { email, phone, password, nonce }: UpdateBody): void {
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

const recent = 24 * 3600 * 1000

const nonceRefused = () => unprocessable('reauthentication_not_valid', 'Nonce has expired or is invalid')

/** Counts the nonce as tried; null when it is wrong, or void after too many that were. */
async function tryNonce({ database, keys }: AuthService, user: User, nonce: string): Promise<string | null> {
  const address = user.email || user.phone || ''
  const right = await tryCode(
    database.pool,
    [hashCode(keys, address, nonce)],
    ['reauthentication_token'],
    address.toLowerCase(),
  )
  return right ? nonce : null
}

/** With secure_password_change, a session older than a day needs the code that GET /reauthenticate sent. */
async function requireRecentProof(
  client: Queryable,
  { settings, keys }: AuthService,
  user: User,
  session: Session | null,
  nonce: string | null,
): Promise<void> {
  if (!settings.email.secure_password_change) return
  if (session && session.created_at.getTime() + recent > Date.now()) return
  if (nonce === null) throw nonceRefused()
  if (nonce === '') {
    throw badRequest('reauthentication_needed', 'Password update requires reauthentication')
  }
  const address = user.email || user.phone || ''
  const lifetime = user.email ? settings.email.otp_expiry : textCodeLifetime
  const sentAt = user.reauthentication_sent_at?.getTime() ?? 0
  const token = await findToken(client, [hashCode(keys, address, nonce)], ['reauthentication_token'])
  if (token?.userId !== user.id || sentAt + lifetime * 1000 < Date.now()) {
    throw nonceRefused()
  }
  await clearTokens(client, user.id)
}

async function beginEmailChange(
  client: Queryable,
  service: AuthService,
  userId: string,
  body: UpdateBody,
  origin: Origin,
): Promise<void> {
  if (await isEmailHeld(client, body.email, userId)) throw emailTaken()
  const user = await reloadUser(client, userId)
  if (user.is_anonymous && !service.settings.email.enable_confirmations) {
    await applyEmailChange(client, { ...user, email_change: body.email })
    return
  }
  const flow = readFlow(body)
  if (flow) await saveFlow(client, flow, userId, 'email_change')
  await sendEmailChange(client, service, user, body.email, { flow, redirectTo: origin.redirectTo })
}

async function beginPhoneChange(
  client: Queryable,
  service: AuthService,
  userId: string,
  phone: string,
  channel: Channel,
): Promise<void> {
  if (await isPhoneHeld(client, phone, userId)) throw phoneTaken()
  const user = await reloadUser(client, userId)
  if (!service.settings.sms.enable_confirmations) {
    await applyPhoneChange(client, { ...user, phone_change: phone })
    return
  }
  await sendTextCode(client, service, user, phone, 'phone_change', channel)
}

/** Sends the code that a change of password asks for. */
export async function reauthenticate(
  service: AuthService,
  claims: Claims,
  origin: Origin,
): Promise<{ message_id?: string }> {
  countRequest(service.limits.signInSignUps, origin)
  return service.database.transaction(async (client) => {
    const { user } = await signedIn(client, claims, { lock: true })
    countMessageRequest(service, user.email ? 'email' : 'sms', origin)
    if (!user.email && !user.phone) {
      throw invalid('Reauthentication requires the user to have an email or a phone number')
    }
    if (user.email && !user.email_confirmed_at) {
      throw unprocessable('email_not_confirmed', 'Please verify your email first.')
    }
    if (!user.email && !user.phone_confirmed_at) {
      throw unprocessable('phone_not_confirmed', 'Please verify your phone first.')
    }
    await audit(client, origin.ip, user, 'user_reauthenticate_requested')
    if (!user.email) {
      return { message_id: await sendTextCode(client, service, user, user.phone ?? '', 'reauthentication') }
    }
    await sendEmailCode(client, service, user, 'reauthentication', { redirectTo: origin.redirectTo })
    return {}
  })
}

/** Ends this session (`local`), all others (`others`), or all (`global`, the default). */
export async function logout(
  { database }: AuthService,
  claims: Claims,
  scope: string,
  origin: Origin,
): Promise<void> {
  if (!['', 'global', 'local', 'others'].includes(scope)) {
    throw invalid(`Unsupported logout scope ${JSON.stringify(scope)}`)
  }
  await database.transaction(async (client) => {
    const { user, session } = await signedIn(client, claims, { lock: true })
    await audit(client, origin.ip, user, 'logout')
    const which =
      session && scope === 'local'
        ? { only: session.id }
        : session && scope === 'others'
          ? { except: session.id }
          : {}
    await endSessions(client, user.id, which)
  })
}
