// DELETE /factors/:id: gives a second factor up; a verified one only in a session that has proved one, or that a reset by
// e-mail began while they were all provisional.
import { type Answer, json } from '../../http/answer.ts'
import { notifyByEmail } from '../emails/send.ts'
import { unprocessable } from '../errors.ts'
import { findFactor, findSession, isVerified, removeFactor } from '../flows/factors.ts'
import { mayRemoveUnproved } from '../flows/provisional-factors.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { endSessions } from '../store/sessions.ts'

export async function unenrollFactor(
  service: AuthService,
  { claims, origin, params }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  return service.database.transaction(async (client) => {
    const { user, session } = await findSession(client, claims, { lock: true })
    const factor = findFactor(user, params.id)
    if (isVerified(factor)) {
      if (session.aal === 'aal2') await requireRecentSignIn(client, service, user, session)
      else if (await mayRemoveUnproved(client, service, user, session))
        await endSessions(client, user.id, { except: session.id })
      else throw unprocessable('insufficient_aal', 'AAL2 required to unenroll verified factor')
    }
    await removeFactor(client, factor)
    await audit(client, origin.ip, user, 'factor_unenrolled', {
      factor_id: factor.id,
      factor_status: factor.status,
      session_id: session.id,
    })
    const details = { factorType: factor.factor_type, ip: origin.ip }
    await notifyByEmail(client, service, user, 'mfa_factor_unenrolled', details)
    return json({ id: factor.id })
  })
}
