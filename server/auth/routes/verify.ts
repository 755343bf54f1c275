// GET and POST /verify: the links and codes of emails and text messages, each good for one use. A link answers
// with a redirect that carries the session, or, in a PKCE flow, a code for it; a code typed in answers the session.
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import { checkEmail, checkPhone } from '../addresses.ts'
import { text } from '../body.ts'
import { databaseFailure } from '../database-failures.ts'
import { AuthError, forbidden, invalid, refusalByDatabase, tooMany } from '../errors.ts'
import { applyEmailChange, applyPhoneChange, confirmEmail, confirmPhone } from '../flows/accounts.ts'
import { sendEmail, textCodeLifetime } from '../flows/codes.ts'
import { isUnconfirmedSignUp, lockOut } from '../flows/unconfirmed.ts'
import { forgetRecipient } from '../limits/messages.ts'
import { limitKeyOf, type SharedLimit } from '../limits/shared.ts'
import { withFragment, withQuery } from '../redirects.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { issueAuthCode } from '../store/flow-state.ts'
import { syncProviders } from '../store/identities.ts'
import {
  clearTokens,
  findToken,
  hashCode,
  pkcePrefix,
  type TokenType,
  tryCode,
} from '../store/one-time-tokens.ts'
import { type Method, startSession, type TokenResponse } from '../store/sessions.ts'
import { findUserById, isBanned, type User, updateUser } from '../store/users.ts'

/** The kinds of verification and the tokens that each accepts. */
const tokenTypes: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
  sms: ['confirmation_token'],
  phone_change: ['phone_change_token'],
}

const byText = (type: string): boolean => type === 'sms' || type === 'phone_change'

/** How a PKCE flow of each kind was begun. */
const methods: Record<string, Method> = {
  signup: 'email/signup',
  invite: 'invite',
  recovery: 'recovery',
  magiclink: 'magiclink',
  email_change: 'email_change',
}

/** Answered when one of the two links of a change of address has been followed. */
const halfwayMessage = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

const linkExpired = () => forbidden('otp_expired', 'Email link is invalid or has expired')
const codeExpired = () => forbidden('otp_expired', 'Token has expired or is invalid')

/** What is presented: the hash out of a link, or an address and the code sent to it. */
type Presented = { type: string; hash: string } | { type: string; address: string; code: string }

/** A verification done, or a change of address that waits for the other link. */
type Verified = { user: User; type: string } | 'halfway'

/** Follows an email's link. Always answers where to redirect to; throws only for a link that names no token or type. */
export async function verifyLink(
  service: AuthService,
  { token, type }: { token: string; type: string },
  origin: Origin,
): Promise<string> {
  if (type === '') throw invalid('Verify requires a verification type')
  if (token === '') throw invalid('Verify requires a token or a token hash')
  const pkce = token.startsWith(pkcePrefix)
  try {
    if (!tokenTypes[type] || byText(type)) throw invalid('Invalid email verification type')
    return await service.database.transaction(async (client) => {
      const verified = await verify(client, service, { type, hash: token }, origin)
      if (verified === 'halfway') return halfwayRedirect(origin.redirectTo, pkce)
      const { user } = verified
      if (pkce) {
        const code = await issueAuthCode(client, user.id, methods[verified.type] ?? 'otp')
        return withQuery(origin.redirectTo, { code })
      }
      const session = await startSession(client, service, user.id, 'otp', origin)
      return withFragment(origin.redirectTo, {
        access_token: session.access_token,
        expires_at: String(session.expires_at),
        expires_in: String(session.expires_in),
        refresh_token: session.refresh_token,
        token_type: session.token_type,
        type: verified.type,
      })
    })
  } catch (error) {
    const refusal =
      error instanceof AuthError
        ? error
        : (refusalByDatabase(error) ??
          databaseFailure(service.log, error, { method: 'GET', path: '/verify' }))
    if (!refusal) throw error
    return errorRedirect(origin.redirectTo, refusal, pkce)
  }
}

function halfwayRedirect(target: string, pkce: boolean): string {
  const parameters = { message: halfwayMessage }
  return withFragment(pkce ? withQuery(target, parameters) : target, parameters)
}

const oauthErrors: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
}

function errorRedirect(target: string, { status, code, message }: AuthError, pkce: boolean): string {
  const error = oauthErrors[status]
  const parameters = { ...(error ? { error } : {}), error_code: code, error_description: message }
  return withFragment(pkce ? withQuery(target, parameters) : target, parameters)
}

export const verifyBody = z.object({
  type: text,
  token: text,
  token_hash: text,
  email: text,
  phone: text,
  redirect_to: text,
})

/** Checks a code typed in, or a hash that a page took out of its own link. Answers a session. */
export async function verifyCode(
  service: AuthService,
  body: z.output<typeof verifyBody>,
  origin: Origin,
): Promise<TokenResponse | { msg: string; code: string }> {
  const presented = readPresented(body)
  const taken = 'address' in presented ? await takeCodeTry(service, presented) : null
  const answer = await service.database.transaction(async (client) => {
    const verified = await verify(client, service, presented, origin)
    if (verified === 'halfway') return { msg: halfwayMessage, code: '200' }
    return startSession(client, service, verified.user.id, 'otp', origin)
  })
  if (taken) await service.shared.giveBack([taken])
  return answer
}

type TypedCode = Extract<Presented, { address: string }>

/**
 * Counts a typed code, for the account and for the codes that were sent to it, before it is looked at. Answers what to
 * give back once it was used. Throws over_request_rate_limit, and otp_expired for a wrong code or one that is void.
 */
async function takeCodeTry(service: AuthService, { type, address, code }: TypedCode): Promise<SharedLimit> {
  const { database, keys, settings, shared } = service
  const amount = Math.min(settings.rate_limit.token_verifications * 10, 10)
  const limit = { key: limitKeyOf(keys, 'code', address), amount, window: 300 }
  if ((await shared.take(limit)) > 0) {
    throw tooMany('over_request_rate_limit', 'Request rate limit reached')
  }
  const hashes = hashesOf(keys, { address, code })
  if (!(await tryCode(database.pool, hashes, tokenTypes[type] ?? [], address))) throw codeExpired()
  return limit
}

function readPresented(body: z.output<typeof verifyBody>): Presented {
  const { type, token, token_hash: hash, email, phone } = body
  if (type === '') throw invalid('Verify requires a verification type')
  if ((token === '') === (hash === '')) throw invalid('Verify requires either a token or a token hash')
  if (hash !== '') {
    if (email !== '' || phone !== '' || body.redirect_to !== '') {
      throw invalid('Only the token_hash and type should be provided')
    }
    if (!tokenTypes[type] || byText(type)) throw invalid('Invalid email verification type')
    return { type, hash }
  }
  if ((email === '') === (phone === '')) {
    throw invalid('Only an email address or phone number should be provided on verify')
  }
  if (!tokenTypes[type] || byText(type) !== (phone !== '')) throw invalid('Unsupported verification type')
  return { type, address: phone === '' ? checkEmail(email) : checkPhone(phone), code: token }
}

async function verify(
  client: Queryable,
  service: AuthService,
  presented: Presented,
  origin: Origin,
): Promise<Verified> {
  const { user, used, type, address } = await redeem(client, service, presented)
  const provider = byText(type) ? 'phone' : 'email'
  await forgetRecipient(client, service, byText(type) ? 'sms' : 'email', address)
  if (type === 'email_change') {
    if (await leaveHalfway(client, service, user, used)) return 'halfway'
    await audit(client, origin.ip, user, 'user_modified')
    const changed = await applyEmailChange(client, user)
    if (user.email && user.email !== changed.email) {
      await sendEmail(client, service, changed, 'email_changed', { to: user.email, oldEmail: user.email })
    }
    return { user: changed, type }
  }
  if (type === 'phone_change') {
    await audit(client, origin.ip, user, 'user_modified')
    return { user: await applyPhoneChange(client, user), type }
  }
  const known = provider === 'email' ? user.email_confirmed_at : user.phone_confirmed_at
  await audit(client, origin.ip, user, known ? 'login' : 'user_signedup', { provider })
  // An email about something else than the sign-up proves whose the address is, not who chose the password.
  if (used !== 'confirmation_token' && isUnconfirmedSignUp(user)) await lockOut(client, user)
  if (known) await clearTokens(client, user.id, used)
  else await (provider === 'email' ? confirmEmail(client, user) : confirmPhone(client, user))
  await syncProviders(client, user.id)
  return { user, type }
}

/** Locks the user that the token belongs to and checks that the token is still good. Throws otp_expired. */
async function redeem(client: Queryable, { settings, keys }: AuthService, presented: Presented) {
  const refused = 'hash' in presented ? linkExpired : codeExpired
  const types = tokenTypes[presented.type] ?? []
  const look = () =>
    'hash' in presented
      ? findToken(client, [presented.hash], types)
      : findToken(client, hashesOf(keys, presented), types, presented.address)
  const found = await look()
  const user = found && (await findUserById(client, found.userId, { lock: true }))
  // Looked up again under the lock: the same link followed twice at once works once.
  if (!user || (await look())?.userId !== user.id) throw refused()
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  const sentAt = {
    confirmation_token: user.confirmation_sent_at,
    recovery_token: user.recovery_sent_at,
    reauthentication_token: user.reauthentication_sent_at,
    email_change_token_current: user.email_change_sent_at,
    email_change_token_new: user.email_change_sent_at,
    phone_change_token: user.phone_change_sent_at,
  }[found.type]
  const lifetime = byText(presented.type) ? textCodeLifetime : settings.email.otp_expiry
  if (!sentAt || sentAt.getTime() + lifetime * 1000 < Date.now()) throw refused()
  const named = found.type === 'recovery_token' ? 'magiclink' : 'signup'
  return {
    user,
    used: found.type,
    type: presented.type === 'email' ? named : presented.type,
    address: found.address,
  }
}

function hashesOf(keys: { secret: string }, { address, code }: { address: string; code: string }): string[] {
  const hash = hashCode(keys, address, code.replaceAll('-', ''))
  return [hash, pkcePrefix + hash]
}

/** With two links to follow, notes the first and says true; says false when the change can be made. */
async function leaveHalfway(
  client: Queryable,
  { settings }: AuthService,
  user: User,
  used: TokenType,
): Promise<boolean> {
  const both = settings.email.enable_confirmations && settings.email.double_confirm_changes && user.email
  if (!both || user.email_change_confirm_status !== 0) return false
  await clearTokens(client, user.id, used)
  await updateUser(client, user.id, { email_change_confirm_status: 1 })
  return true
}
