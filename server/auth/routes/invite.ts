// POST /invite: creates an unconfirmed account, or takes the one there is, and mails an invitation.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { type Address, checkEmail } from '../addresses.ts'
import { object, text } from '../body.ts'
import { rethrowTaken } from '../flows/accounts.ts'
import { sendEmailCode } from '../flows/codes.ts'
import { auditInvitation, prepareAccount } from '../flows/invitations.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { updateUser, userJson } from '../store/users.ts'

export const inviteBody = z.object({ email: text, data: object })

/** Throws email_exists. */
export async function invite(
  service: AuthService,
  { body, origin, admin }: AuthRequest<z.output<typeof inviteBody>, 'service'>,
): Promise<Answer> {
  const address: Address = { kind: 'email', value: checkEmail(body.email) }
  const invited = service.database.transaction(async (client) => {
    const user = await prepareAccount(client, { address, encryptedPassword: null, data: body.data ?? {} })
    await auditInvitation(client, user, origin, admin)
    await sendEmailCode(client, service, user, 'invite', { redirectTo: origin.redirectTo })
    return updateUser(client, user.id, { invited_at: new Date() })
  })
  return json(userJson(await invited.catch(rethrowTaken)))
}
