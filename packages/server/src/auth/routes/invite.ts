// POST /invite: creates an unconfirmed account, or takes the one there is, and mails an invitation.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { type Address, checkEmail } from '../addresses.ts'
import { object, text } from '../body.ts'
import { type AccountRequest, proposeAccount, rethrowTaken } from '../flows/accounts.ts'
import { sendEmailCode } from '../flows/codes.ts'
import { auditInvitation, prepareAccount } from '../flows/invitations.ts'
import { afterUserCreated } from '../hooks/user-created.ts'
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
  const account = { address, encryptedPassword: null, data: body.data ?? {} }
  const proposed = await proposeAccount<AccountRequest>(service, account, origin.ip)
  const invited = service.database.transaction(async (client) => {
    const user = await prepareAccount(client, proposed)
    await auditInvitation(client, user, origin, admin)
    await sendEmailCode(client, service, user, 'invite', origin)
    return updateUser(client, user.id, { invited_at: new Date() })
  })
  const user = await invited.catch(rethrowTaken)
  if (user.id === proposed.id) await afterUserCreated(service, user.id, origin.ip)
  return json(userJson(user))
}
