// POST /token?grant_type=…: password and pkce; refresh_token is in refresh.ts.
import { z } from 'zod'
import { plainPhone } from '../addresses.ts'
import { text } from '../body.ts'
import { badRequest, invalid, notFound, unprocessable } from '../errors.ts'
import { verifyPassword, weaknessOf } from '../flows/passwords.ts'
import { takePasswordTry } from '../limits/password-attempts.ts'
import { type AuthService, audience, countRequest, type Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { deleteFlow, findFlow, provesFlow } from '../store/flow-state.ts'
import { startSession, type TokenResponse } from '../store/sessions.ts'
import { findUserByEmail, findUserById, findUserByPhone, isBanned, type User } from '../store/users.ts'

export const passwordBody = z.object({ email: text, phone: text, password: text })

const wrongCredentials = () => badRequest('invalid_credentials', 'Invalid login credentials')

/** Signs in with e-mail or phone and password. Throws invalid_credentials, email_not_confirmed, user_banned. */
export async function passwordGrant(
  service: AuthService,
  body: z.output<typeof passwordBody>,
  origin: Origin,
): Promise<TokenResponse & { weak_password?: unknown }> {
  const { settings, database, limits } = service
  countRequest(limits.signInSignUps, origin)
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on login.')
  }
  if (body.email === '' && body.phone === '') throw invalid('missing email or phone')
  const [provider, address] =
    body.email !== '' ? ['email', body.email.toLowerCase()] : ['phone', plainPhone(body.phone)]
  if (provider === 'email' && !settings.email.enable_signup) {
    throw unprocessable('email_provider_disabled', 'Email logins are disabled')
  }
  if (provider === 'phone' && !settings.sms.enable_signup) {
    throw unprocessable('phone_provider_disabled', 'Phone logins are disabled')
  }
  const find = provider === 'email' ? findUserByEmail : findUserByPhone
  const user = await find(database.pool, address, audience)
  const taken = await takePasswordTry(service, { address, userId: user?.id ?? null }, origin)
  const matches = await verifyPassword(body.password, user?.encrypted_password ?? null)
  if (!user || !matches) throw wrongCredentials()
  await service.shared.giveBack(taken)
  refuseBanned(user)
  if (provider === 'email' && !user.email_confirmed_at) {
    throw badRequest('email_not_confirmed', 'Email not confirmed')
  }
  if (provider === 'phone' && !user.phone_confirmed_at) {
    throw badRequest('phone_not_confirmed', 'Phone not confirmed')
  }
  const tokens = await database.transaction(async (client) => {
    // The password may have been changed, or the account deleted, while this one was being compared.
    const current = await findUserById(client, user.id, { lock: true })
    if (!current || current.encrypted_password !== user.encrypted_password) throw wrongCredentials()
    refuseBanned(current)
    await audit(client, origin.ip, current, 'login', { provider })
    return startSession(client, service, user.id, 'password', origin)
  })
  const weakness = weaknessOf(body.password, settings)
  return weakness ? { ...tokens, weak_password: weakness } : tokens
}

function refuseBanned(user: User): void {
  if (isBanned(user)) throw badRequest('user_banned', 'User is banned')
}

export const pkceBody = z.object({ auth_code: text, code_verifier: text })

/** Exchanges the code at the end of a PKCE flow, once, for a session. */
export async function pkceGrant(
  service: AuthService,
  body: z.output<typeof pkceBody>,
  origin: Origin,
): Promise<TokenResponse> {
  countRequest(service.limits.tokenRefresh, origin)
  if (body.auth_code === '' || body.code_verifier === '') {
    throw invalid('invalid request: both auth code and code verifier should be non-empty')
  }
  return service.database.transaction(async (client) => {
    const flow = await findFlow(client, body.auth_code)
    const user = flow && (await findUserById(client, flow.user_id, { lock: true }))
    if (!flow || !user) {
      throw notFound('flow_state_not_found', 'invalid flow state, no valid flow state found')
    }
    if (flow.expired) {
      throw unprocessable('flow_state_expired', 'invalid flow state, flow state has expired')
    }
    refuseBanned(user)
    if (!provesFlow(flow, body.code_verifier)) {
      throw badRequest('bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    await audit(client, origin.ip, user, 'login', { provider_type: flow.authentication_method })
    await deleteFlow(client, flow.id)
    return startSession(client, service, user.id, flow.authentication_method, origin)
  })
}
