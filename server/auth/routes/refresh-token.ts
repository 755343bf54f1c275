// POST /token?grant_type=refresh_token: rotation, the interval in which an old token may be used again, and the end of
// the session when a token comes back after its successor was used.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { text } from '../body.ts'
import { AuthError, badRequest, invalid, OAuthError } from '../errors.ts'
import { type TokenResponse, tokenResponse } from '../flows/sessions.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import {
  findActiveToken,
  findRefreshToken,
  findTokenOwner,
  rotateRefreshToken,
} from '../store/refresh-tokens.ts'
import { endSessions, lockSession, noteRefresh } from '../store/sessions.ts'
import { findUserById, isBanned, type User } from '../store/users.ts'

export const refreshBody = z.object({ refresh_token: text })

const refused = (code: string, reason: string) => badRequest(code, `Invalid Refresh Token: ${reason}`)
const unknownToken = () => refused('refresh_token_not_found', 'Refresh Token Not Found')

/** Renews a session. Throws refresh_token_not_found, refresh_token_already_used, session_expired, user_banned. */
export async function refresh(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof refreshBody>>,
): Promise<Answer> {
  if (body.refresh_token === '') throw invalid('refresh_token required')
  return json(await refreshSession(service, { token: body.refresh_token, clientId: null }, origin))
}

/** What is presented to renew a session: the token, and the OAuth client that has shown who it is. */
type Presented = { token: string; clientId: string | null }

/** Renews a session of a person, or of the client. Throws what `refresh` throws, and invalid_client for another's. */
export async function refreshSession(
  service: AuthService,
  presented: Presented,
  origin: Origin,
): Promise<TokenResponse> {
  const outcome = await service.database.transaction((client) =>
    refreshOnce(client, service, presented, origin),
  )
  // A reused token is refused only after the transaction that ends its session is committed.
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

/** The session is an OAuth client's and another, or none, asks; or it is a person's own and a client asks. */
function wrongClient(owner: string | null, presented: string | null): OAuthError {
  if (owner === null) {
    return new OAuthError('invalid_client', 'Client authentication not allowed for non-OAuth session')
  }
  return new OAuthError(
    'invalid_client',
    presented === null
      ? 'Client authentication required for OAuth session'
      : "Client does not match the session's OAuth client",
  )
}

async function refreshOnce(
  client: Queryable,
  service: AuthService,
  { token, clientId }: Presented,
  origin: Origin,
): Promise<TokenResponse | AuthError> {
  const { settings } = service
  const { user, sessionId } = await lockOwner(client, service, { token, clientId })
  const presented = await findRefreshToken(client, token, settings.refresh_token_reuse_interval)
  if (!presented) throw unknownToken()

  const active = presented.revoked ? await findActiveToken(client, sessionId) : null
  let next: string
  if (active?.parent === token) {
    // The client did not get, or did not keep, the answer to its last refresh: it is given the same token again.
    next = active.token
  } else if (presented.revoked && !presented.recent) {
    // Thief or owner, one of them holds a newer token: the session ends for both.
    if (settings.enable_refresh_token_rotation) await endSessions(client, user.id, { only: sessionId })
    await audit(client, origin.ip, user, 'token_revoked')
    return refused('refresh_token_already_used', 'Already Used')
  } else {
    next = await rotateRefreshToken(client, { userId: user.id, sessionId, token })
    await audit(client, origin.ip, user, 'token_revoked')
  }
  await audit(client, origin.ip, user, 'token_refreshed')
  await noteRefresh(client, sessionId, origin)
  const grant = { user, sessionId, refreshToken: next, method: 'token_refresh', ip: origin.ip } as const
  return tokenResponse(client, service, grant)
}

/** Locks the token's session, so that two tabs refresh one after the other, and checks it and its user. */
async function lockOwner(
  client: Queryable,
  { settings }: AuthService,
  { token, clientId }: Presented,
): Promise<{ user: User; sessionId: string }> {
  const owner = await findTokenOwner(client, token)
  const user = owner && (await findUserById(client, owner.userId))
  if (!user) throw unknownToken()
  if (isBanned(user)) throw refused('user_banned', 'User Banned')
  const session = await lockSession(client, owner.sessionId, settings.sessions)
  if (!session) throw refused('session_not_found', 'No Valid Session Found')
  if (session.clientId !== clientId) throw wrongClient(session.clientId, clientId)
  if (session.expired) throw refused('session_expired', 'Session Expired')
  if (session.inactive) throw refused('session_expired', 'Session Expired (Inactivity)')
  return { user, sessionId: session.id }
}
