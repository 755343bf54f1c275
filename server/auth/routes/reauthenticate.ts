// GET /reauthenticate: sends the code that a change of password asks for.
import { type Answer, json } from '../../http/answer.ts'
import { invalid, unprocessable } from '../errors.ts'
import { sendEmailCode, sendSmsCode } from '../flows/codes.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { countMessageRequest } from '../limits/messages.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'

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
