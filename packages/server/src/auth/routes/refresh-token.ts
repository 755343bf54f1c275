// POST /token?grant_type=refresh_token: rotation, the interval in which an old token may be used again, and the end of
// the session when a token comes back after its successor was used.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Statement } from '../../sql/pipeline.ts'
import { text } from '../body.ts'
import { type AuthError, badRequest, OAuthError } from '../errors.ts'
import { claimsFor, type Grant, signedResponse, type TokenResponse } from '../flows/sessions.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { auditEntry } from '../store/audit.ts'
import {
  forgetRefreshTokens,
  lockSessionOf,
  makeRefreshToken,
  type RefreshToken,
  rotateRefreshToken,
  selectRefreshToken,
} from '../store/refresh-tokens.ts'
import { deleteSessions, noteRefresh } from '../store/sessions.ts'
import { isBanned } from '../store/users.ts'

export const refreshBody = z.object({ refresh_token: text })

const refused = (code: string, reason: string) => badRequest(code, `Invalid Refresh Token: ${reason}`)
const unknownToken = () => refused('refresh_token_not_found', 'Refresh Token Not Found')

/**
 * Renews a session. Throws invalid_request, refresh_token_not_found, refresh_token_already_used, session_expired,
 * user_banned.
 */
export async function refresh(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof refreshBody>>,
): Promise<Answer> {
  if (body.refresh_token === '') throw new OAuthError('invalid_request', 'refresh_token required')
  return json(await refreshSession(service, { token: body.refresh_token, clientId: null }, origin))
}

/** The refresh token, and the OAuth client that authenticated itself. */
type Presented = { token: string; clientId: string | null }

/** Renews a session of a person, or of the client. Throws what `refresh` throws, and invalid_client for another's. */
export async function refreshSession(
  service: AuthService,
  presented: Presented,
  origin: Origin,
): Promise<TokenResponse> {
  const { token } = presented
  const { refresh_token_reuse_interval: reuseInterval, sessions: lifetimes } = service.settings
  const outcome = await service.database.transaction(
    async (client, [, rows], last) => {
      const renewed = renew(service, presented, rows?.[0] as RefreshToken, origin)
      last.push(...renewed.statements)
      if ('error' in renewed) return renewed
      return { grant: renewed.grant, access: await claimsFor(client, service, renewed.grant) }
    },
    // The second one waits for the lock, too, and so reads what another refresh has written meanwhile.
    [lockSessionOf(token), selectRefreshToken(token, { ...lifetimes, reuseInterval })],
  )
  // A reused token is refused only after the transaction that ends its session is committed.
  if ('error' in outcome) throw outcome.error
  return signedResponse(service, outcome.grant, outcome.access)
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

/** The statements for the presented token, and either the grant for a new access token or the error. */
type Renewal = { statements: Statement[] } & ({ grant: Grant } | { error: AuthError })

function renew(
  { settings }: AuthService,
  { token, clientId }: Presented,
  found: RefreshToken | undefined,
  origin: Origin,
): Renewal {
  const { revoked, recent, old, session, methods, active, ...user } = requireUsable(found, clientId)
  const sessionId = session.id
  const tokenRevoked = auditEntry(origin.ip, user, 'token_revoked')
  // The client that did not get, or did not keep, the answer to its last refresh is given the same token again.
  const again = active?.parent === token ? active.token : null
  if (revoked && !recent && again === null) {
    // Thief or owner, one of them holds a newer token: the session ends for both.
    const ended = settings.enable_refresh_token_rotation ? [deleteSessions(user.id, { only: sessionId })] : []
    return {
      statements: [...ended, tokenRevoked],
      error: refused('refresh_token_already_used', 'Already Used'),
    }
  }
  const next = again ?? makeRefreshToken()
  const rotated = [rotateRefreshToken({ userId: user.id, sessionId, token }, next), tokenRevoked]
  const statements = [
    ...(again === null ? rotated : []),
    auditEntry(origin.ip, user, 'token_refreshed'),
    noteRefresh(sessionId, origin),
    // The first refresh of a day does it for the rest of the day.
    ...(old ? [forgetRefreshTokens(sessionId)] : []),
  ]
  const grant = { user, sessionId, methods, refreshToken: next, ip: origin.ip }
  return { statements, grant: { ...grant, method: 'token_refresh' } }
}

/** Throws unless the token is of a user and a session that go on, and is presented by whom it was given to. */
function requireUsable(found: RefreshToken | undefined, clientId: string | null) {
  if (!found) throw unknownToken()
  const { session } = found
  if (isBanned(found)) throw refused('user_banned', 'User Banned')
  if (!session) throw refused('session_not_found', 'No Valid Session Found')
  if (session.clientId !== clientId) throw wrongClient(session.clientId, clientId)
  if (session.expired) throw refused('session_expired', 'Session Expired')
  if (session.inactive) throw refused('session_expired', 'Session Expired (Inactivity)')
  return { ...found, session }
}
