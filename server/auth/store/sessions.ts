// Sessions: a row per sign-in, its refresh tokens, and the access tokens (JWTs) that GoTrue's clients know.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../jobs/jobs.ts'
import { claimsByHook } from '../flows/access-token-hook.ts'
import { rememberDevice } from '../limits/password-attempts.ts'
import { type AuthService, audience, type Origin } from '../service.ts'
import { reloadUser, type User, userJson } from './users.ts'

export type Session = {
  id: string
  user_id: string
  created_at: Date
  aal: string | null
  not_after: Date | null
  refreshed_at: Date | null
}

/** How a person proved who they are, as the token's `amr` names it. */
export type Method =
  | 'password'
  | 'otp'
  | 'anonymous'
  | 'email/signup'
  | 'magiclink'
  | 'recovery'
  | 'invite'
  | 'email_change'

/** The answer to a sign-in or a refresh. Times are in seconds. */
export type TokenResponse = {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  expires_at: number
  refresh_token: string
  user: Record<string, unknown>
}

export const makeRefreshToken = (): string => randomBytes(16).toString('base64url')

/** Starts a session for a user who has just proved who they are. */
export async function startSession(
  client: Queryable,
  service: AuthService,
  userId: string,
  method: Method,
  origin: Origin,
): Promise<TokenResponse> {
  const id = randomUUID()
  const refreshToken = makeRefreshToken()
  await client.query(
    `with session as (
       insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
       values ($1, $2, now(), now(), 'aal1', $3, $4)
     ), claim as (
       insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
       values ($5, $1, now(), now(), $6)
     ), token as (
       insert into auth.refresh_tokens (instance_id, token, user_id, revoked, session_id, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', $7, $2::uuid::text, false, $1, now(), now())
     )
     update auth.users set last_sign_in_at = now(), updated_at = now() where id = $2`,
    [id, userId, origin.userAgent, origin.ip, randomUUID(), method, refreshToken],
  )
  await rememberDevice(client, service.keys, userId, origin)
  const user = await reloadUser(client, userId)
  return tokenResponse(client, service, { user, sessionId: id, refreshToken, method })
}

/** What a token is made for. */
type Grant = { user: User; sessionId: string; refreshToken: string; method: Method | 'token_refresh' }

/** An access token for the session, beside the refresh token that renews it. Throws what the project's hook throws. */
export async function tokenResponse(
  client: Queryable,
  service: AuthService,
  { user, sessionId, refreshToken, method }: Grant,
): Promise<TokenResponse> {
  const { rows } = await client.query<{ method: string; timestamp: number; aal: string }>(
    `select c.authentication_method as method, extract(epoch from c.updated_at)::bigint::int as timestamp,
       coalesce(s.aal::text, 'aal1') as aal
     from auth.mfa_amr_claims c join auth.sessions s on s.id = c.session_id
     where c.session_id = $1 order by c.updated_at desc`,
    [sessionId],
  )
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + service.settings.jwt_expiry
  const claims = {
    iss: service.authUrl,
    sub: user.id,
    aud: user.aud ?? audience,
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role || 'authenticated',
    aal: rows[0]?.aal ?? 'aal1',
    amr: rows.map(({ method, timestamp }) => ({ method, timestamp })),
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
  }
  return {
    access_token: await service.keys.sign(await claimsByHook(client, service, claims, method)),
    token_type: 'bearer',
    expires_in: service.settings.jwt_expiry,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userJson(user),
  }
}

export async function findSession(client: Queryable, id: string): Promise<Session | null> {
  const { rows } = await client.query<Session>('select * from auth.sessions where id = $1', [id])
  return rows[0] ?? null
}

/** Ends sessions of a user, with their refresh tokens: all of them, only `only`, or all except `except`. */
export async function endSessions(
  client: Queryable,
  userId: string,
  which: { only?: string; except?: string } = {},
): Promise<void> {
  await client.query(
    `delete from auth.sessions where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
    [userId, which.only ?? null, which.except ?? null],
  )
}
