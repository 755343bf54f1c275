// POST /token?grant_type=refresh_token: rotation, the interval in which an old token may come again, and the end of
// the session when one comes back that a thief or its owner has used before.
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import { text } from '../body.ts'
import { AuthError, badRequest, invalid } from '../errors.ts'
import { type AuthService, countRequest, type Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { endSessions, makeRefreshToken, type TokenResponse, tokenResponse } from '../store/sessions.ts'
import { findUserById, isBanned, type User } from '../store/users.ts'

export const refreshBody = z.object({ refresh_token: text })

const refused = (code: string, why: string) => badRequest(code, `Invalid Refresh Token: ${why}`)

/** Renews a session. Throws refresh_token_not_found, refresh_token_already_used, session_expired, user_banned. */
export async function refreshGrant(
  service: AuthService,
  body: z.output<typeof refreshBody>,
  origin: Origin,
): Promise<TokenResponse> {
  countRequest(service.limits.tokenRefresh, origin)
  if (body.refresh_token === '') throw invalid('refresh_token required')
  const outcome = await service.database.transaction((client) =>
    refresh(client, service, body.refresh_token, origin),
  )
  // A reused token is refused only after the transaction that ends its session is committed.
  if (outcome instanceof AuthError) throw outcome
  return outcome
}

async function refresh(
  client: Queryable,
  service: AuthService,
  token: string,
  origin: Origin,
): Promise<TokenResponse | AuthError> {
  const { user, session } = await lockSession(client, service, token)
  const { rows } = await client.query<{ id: string; revoked: boolean; recent: boolean }>(
    `select id, coalesce(revoked, false) as revoked, updated_at + $2 * interval '1 second' >= now() as recent
     from auth.refresh_tokens where token = $1`,
    [token, service.settings.refresh_token_reuse_interval],
  )
  const presented = rows[0]
  if (!presented) throw refused('refresh_token_not_found', 'Refresh Token Not Found')

  const active = presented.revoked ? await activeToken(client, session.id) : null
  let next: string
  if (presented.revoked && active?.parent === token) {
    // The client did not get, or did not keep, the answer to its last refresh: it is given the same token again.
    next = active.token
  } else if (presented.revoked && !presented.recent) {
    // Thief or owner, one of them holds a newer token: the session ends for both.
    if (service.settings.enable_refresh_token_rotation)
      await endSessions(client, user.id, { only: session.id })
    await audit(client, origin.ip, user, 'token_revoked')
    return refused('refresh_token_already_used', 'Already Used')
  } else {
    next = await swapToken(client, session.id, user, token)
    await audit(client, origin.ip, user, 'token_revoked')
  }
  await audit(client, origin.ip, user, 'token_refreshed')
  await client.query(
    `update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now(), user_agent = $2, ip = $3
     where id = $1`,
    [session.id, origin.userAgent, origin.ip],
  )
  return tokenResponse(client, service, {
    user,
    sessionId: session.id,
    refreshToken: next,
    method: 'token_refresh',
  })
}

/** Locks the token's session and user, so that two tabs refresh one after the other, and checks both. */
async function lockSession(client: Queryable, service: AuthService, token: string) {
  const { timebox, inactivity_timeout: inactivity } = service.settings.sessions
  const { rows: tokens } = await client.query<{ user_id: string; session_id: string | null }>(
    'select user_id, session_id from auth.refresh_tokens where token = $1',
    [token],
  )
  const found = tokens[0]
  const user = found && (await findUserById(client, found.user_id))
  if (!found || !user) throw refused('refresh_token_not_found', 'Refresh Token Not Found')
  if (isBanned(user)) throw refused('user_banned', 'User Banned')
  const { rows } = await client.query<{ id: string; over: boolean; idle: boolean }>(
    `select id, coalesce(not_after < now(), false)
         or coalesce(created_at + $2 * interval '1 second' < now(), false) as over,
       coalesce(greatest(created_at, refreshed_at at time zone 'utc') + $3 * interval '1 second' < now(), false) as idle
     from auth.sessions where id = $1 for update`,
    [found.session_id, timebox || null, inactivity || null],
  )
  const session = rows[0]
  if (!session) throw refused('session_not_found', 'No Valid Session Found')
  if (session.over) throw refused('session_expired', 'Session Expired')
  if (session.idle) throw refused('session_expired', 'Session Expired (Inactivity)')
  return { user, session }
}

/** The session's newest token that is not revoked. */
async function activeToken(client: Queryable, sessionId: string) {
  const { rows } = await client.query<{ token: string; parent: string | null }>(
    `select token, parent from auth.refresh_tokens where session_id = $1 and not coalesce(revoked, false)
     order by id desc limit 1`,
    [sessionId],
  )
  return rows[0] ?? null
}

/** Revokes `token`, gives the session a new one in its place, and forgets what was revoked a day ago. */
async function swapToken(client: Queryable, sessionId: string, user: User, token: string): Promise<string> {
  const next = makeRefreshToken()
  await client.query(
    `delete from auth.refresh_tokens where session_id = $1 and revoked and updated_at < now() - interval '1 day'`,
    [sessionId],
  )
  await client.query(
    `update auth.refresh_tokens set revoked = true, updated_at = now()
     where token = $1 and not coalesce(revoked, false)`,
    [token],
  )
  await client.query(
    `insert into auth.refresh_tokens (instance_id, token, user_id, revoked, parent, session_id, created_at, updated_at)
     values ('00000000-0000-0000-0000-000000000000', $1, $2, false, $3, $4, now(), now())`,
    [next, user.id, token, sessionId],
  )
  return next
}
