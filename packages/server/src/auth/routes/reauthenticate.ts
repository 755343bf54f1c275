// GET and POST /reauthenticate: sends the code that changes of how an account is signed in to ask for, and takes it, or the
// password, as a proof that makes the session's sign-in recent. GoTrue has the first of them.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { text } from '../body.ts'
import { badRequest, invalid, unprocessable } from '../errors.ts'
import { sendEmailCode, sendSmsCode } from '../flows/codes.ts'
import { findSession } from '../flows/factors.ts'
import { verifyPassword } from '../flows/passwords.ts'
import { invalidNonce, requireRecentProof, tryNonce } from '../flows/reauthentication.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { passwordTried } from '../hooks/attempts.ts'
import { countPasswordAttempt } from '../limits/attempts.ts'
import { countMessageRequest } from '../limits/messages.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { renewProof } from '../store/sessions.ts'
import type { User } from '../store/users.ts'

export async function reauthenticate(
  service: AuthService,
  { claims, origin }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const sent = await service.database.transaction(async (client) => {
    const { user } = await findSignedIn(client, claims, { lock: true })
    countMessageRequest(service, user.email ? 'email' : 'phone', origin)
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
      const id = await sendSmsCode(client, service, user, user.phone ?? '', 'reauthentication', origin)
      return id ? { message_id: id } : {}
    }
    await sendEmailCode(client, service, user, 'reauthentication', origin)
    return {}
  })
  return json(sent)
}

export const proofBody = z.object({ password: text, nonce: text })

/**
 * Makes the session's sign-in recent, by the password or by the code that was sent. Throws invalid_credentials,
 * reauthentication_not_valid and over_request_rate_limit.
 */
export async function proveAgain(
  service: AuthService,
  { body, claims, origin }: AuthRequest<z.output<typeof proofBody>, 'user'>,
): Promise<Answer> {
  const { database } = service
  if ((body.password === '') === (body.nonce === '')) {
    throw invalid('Only a password or a nonce should be provided')
  }
  const { user } = await findSession(database.pool, claims)
  const nonce = body.nonce === '' ? null : await tryNonce(service, user, body.nonce)
  if (body.password !== '') await provePassword(service, user, body.password, origin)
  else if (nonce === null) throw invalidNonce()
  await database.transaction(async (client) => {
    const { user: current, session } = await findSession(client, claims, { lock: true })
    // The password may have been changed while it was being compared.
    if (nonce !== null) await requireRecentProof(client, service, current, session, { nonce, owed: true })
    else if (current.encrypted_password !== user.encrypted_password) throw wrongPassword()
    await renewProof(client, session.id, nonce === null ? 'password' : 'otp')
    await audit(client, origin.ip, current, 'user_reauthenticated')
  })
  return json({})
}

const wrongPassword = () => badRequest('invalid_credentials', 'Invalid login credentials')

async function provePassword(service: AuthService, user: User, password: string, origin: Origin) {
  const address = user.email || user.phone || user.id
  const counted = await countPasswordAttempt(service, { address, userId: user.id }, origin)
  const valid = await verifyPassword(password, user.encrypted_password)
  if (user.encrypted_password) await passwordTried(service, { userId: user.id, valid, ip: origin.ip })
  if (!valid) throw wrongPassword()
  await service.shared.giveBack(counted)
}
