// POST /token?grant_type=…: sessions for a password, or for the code at the end of a PKCE flow. For the refresh of a
// session see refresh-token.ts.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { type Address, normalizePhone } from '../addresses.ts'
import { text } from '../body.ts'
import { badRequest, invalid, notFound, unprocessable } from '../errors.ts'
import { verifyPassword, weaknessOf } from '../flows/passwords.ts'
import { provesChallenge } from '../flows/pkce.ts'
import { startResetSession } from '../flows/provisional-factors.ts'
import { refuseBanned, startSession } from '../flows/sessions.ts'
import { passwordTried } from '../hooks/attempts.ts'
import { countPasswordAttempt } from '../limits/attempts.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit, auditEntry } from '../store/audit.ts'
import { deleteFlow, findFlow } from '../store/flow-state.ts'
import { findUserByAddress, findUserById, selectUser, type User } from '../store/users.ts'

export function unsupportedGrant(): never {
  throw badRequest('invalid_credentials', 'unsupported_grant_type')
}

export const passwordBody = z.object({ email: text, phone: text, password: text })

const wrongCredentials = () => badRequest('invalid_credentials', 'Invalid login credentials')

/** Signs in with e-mail or phone and password. Throws invalid_credentials, email_not_confirmed, user_banned. */
export async function signIn(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof passwordBody>>,
): Promise<Answer> {
  const { database } = service
  const address = readAddress(service, body)
  const user = await findUserByAddress(database.pool, address)
  const account = { address: address.value, userId: user?.id ?? null }
  const counted = await countPasswordAttempt(service, account, origin)
  const matches = await verifyPassword(body.password, user?.encrypted_password ?? null)
  if (user?.encrypted_password) {
    await passwordTried(service, { userId: user.id, valid: matches, ip: origin.ip })
  }
  if (!user || !matches) throw wrongCredentials()
  await service.shared.giveBack(counted)
  refuseBanned(user)
  if (address.kind === 'email' && !user.email_confirmed_at) {
    throw badRequest('email_not_confirmed', 'Email not confirmed')
  }
  if (address.kind === 'phone' && !user.phone_confirmed_at) {
    throw badRequest('phone_not_confirmed', 'Phone not confirmed')
  }
  const tokens = await database.transaction(
    async (client, [users]) => {
      // The password may have been changed, or the account deleted, while this one was being compared.
      const current = users?.[0] as User | undefined
      if (!current || current.encrypted_password !== user.encrypted_password) throw wrongCredentials()
      refuseBanned(current)
      const login = auditEntry(origin.ip, current, 'login', { provider: address.kind })
      return startSession(client, service, user.id, 'password', origin, { entries: [login] })
    },
    [selectUser(user.id, { lock: true })],
  )
  const weakness = await weaknessOf(body.password, service)
  return json(weakness ? { ...tokens, weak_password: weakness } : tokens)
}

/** Malformed addresses are no error here: they belong to no account. */
function readAddress({ settings }: AuthService, { email, phone }: z.output<typeof passwordBody>): Address {
  if (email !== '' && phone !== '') {
    throw invalid('Only an email address or phone number should be provided on login.')
  }
  if (email === '' && phone === '') throw invalid('missing email or phone')
  if (email !== '' && !settings.email.enable_signup) {
    throw unprocessable('email_provider_disabled', 'Email logins are disabled')
  }
  if (phone !== '' && !settings.sms.enable_signup) {
    throw unprocessable('phone_provider_disabled', 'Phone logins are disabled')
  }
  return phone === ''
    ? { kind: 'email', value: email.toLowerCase() }
    : { kind: 'phone', value: normalizePhone(phone) }
}

export const pkceBody = z.object({ auth_code: text, code_verifier: text })

/** Exchanges the code at the end of a PKCE flow, once, for a session. */
export async function exchangeCode(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof pkceBody>>,
): Promise<Answer> {
  if (body.auth_code === '' || body.code_verifier === '') {
    throw invalid('invalid request: both auth code and code verifier should be non-empty')
  }
  const tokens = await service.database.transaction(async (client) => {
    const flow = await findFlow(client, body.auth_code)
    const user = flow && (await findUserById(client, flow.user_id, { lock: true }))
    if (!flow || !user) {
      throw notFound('flow_state_not_found', 'invalid flow state, no valid flow state found')
    }
    if (flow.expired) {
      throw unprocessable('flow_state_expired', 'invalid flow state, flow state has expired')
    }
    refuseBanned(user)
    if (!provesChallenge(flow, body.code_verifier)) {
      throw badRequest('bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    await audit(client, origin.ip, user, 'login', { provider_type: flow.provider_type })
    await deleteFlow(client, flow.id)
    const { authentication_method: method, not_after: notAfter } = flow
    const session =
      method === 'recovery'
        ? await startResetSession(client, service, user.id, method, origin)
        : await startSession(client, service, user.id, method, origin, { notAfter })
    const { provider_access_token: provided, provider_refresh_token: renewal } = flow
    return {
      ...session,
      ...(provided ? { provider_token: provided } : {}),
      ...(renewal ? { provider_refresh_token: renewal } : {}),
    }
  })
  return json(tokens)
}
