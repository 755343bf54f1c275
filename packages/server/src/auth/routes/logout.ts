// POST /logout: ends this session (`local`), all others (`others`), or all (`global`, the default).
import { type Answer, empty } from '../../http/answer.ts'
import { invalid } from '../errors.ts'
import { findSignedIn } from '../flows/sessions.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { endSessions } from '../store/sessions.ts'

const SCOPES = ['', 'global', 'local', 'others']

export async function logout(
  { database }: AuthService,
  { claims, query, origin }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const scope = query.get('scope') ?? ''
  if (!SCOPES.includes(scope)) throw invalid(`Unsupported logout scope ${JSON.stringify(scope)}`)
  await database.transaction(async (client) => {
    const { user, session } = await findSignedIn(client, claims, { lock: true })
    await audit(client, origin.ip, user, 'logout')
    const which =
      session && scope === 'local'
        ? { only: session.id }
        : session && scope === 'others'
          ? { except: session.id }
          : {}
    await endSessions(client, user.id, which)
  })
  return empty()
}
