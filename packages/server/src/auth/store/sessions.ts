// Rows of auth.sessions, one per sign-in, with their authentication methods (auth.mfa_amr_claims).
import { randomUUID } from 'node:crypto'
import type { Statement } from '../../sql/pipeline.ts'
import { prepared, type Queryable } from '../../sql/queryable.ts'

export type Session = {
  id: string
  user_id: string
  created_at: Date
  aal: string | null
  /** The OAuth client whose session it is, and what the person let it see; null for their own. */
  oauth_client_id: string | null
  scopes: string | null
}

/** How a person proved who they are, as the token's `amr` names it. */
export type AuthenticationMethod =
  | 'password'
  | 'otp'
  | 'anonymous'
  | 'email/signup'
  | 'magiclink'
  | 'recovery'
  | 'invite'
  | 'email_change'
  | 'oauth'
  | 'sso/saml'
  | 'web3'
  | 'passkey'
  | 'oauth_provider/authorization_code'
  | SecondFactorMethod

/** A proof that comes second and raises a session to aal2. */
export type SecondFactorMethod = 'totp' | 'mfa/phone' | 'mfa/webauthn'

/** From where a session is used. */
export type Client = { ip: string | null; userAgent: string | null }

/** A session that begins, with its first refresh token. */
export type NewSession = {
  id: string
  userId: string
  method: AuthenticationMethod
  refreshToken: string
  /** The OAuth client that it is for, and what the person let it see; null for their own. */
  client: { id: string; scopes: string } | null
  /** When it ends, whatever is refreshed. */
  notAfter: Date | null
}

/** The statements that begin a session. One of an OAuth client is no sign-in of the person's. */
export function beginSession(session: NewSession, { ip, userAgent }: Client): Statement[] {
  const { id, userId, method, refreshToken, client, notAfter } = session
  const rows = {
    text: `with session as (
        insert into auth.sessions
          (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes, not_after)
        values ($1, $2, now(), now(), 'aal1', $3, $4, $8, $9, $10)
      ), claim as (
        insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values ($5, $1, now(), now(), $6)
      )
      insert into auth.refresh_tokens (instance_id, token, user_id, revoked, session_id, created_at, updated_at)
      values ('00000000-0000-0000-0000-000000000000', $7, $2::uuid::text, false, $1, now(), now())`,
    values: [
      ...[id, userId, userAgent, ip, randomUUID(), method, refreshToken],
      ...[client?.id ?? null, client?.scopes ?? null, notAfter?.toISOString() ?? null],
    ],
  }
  const signIn = {
    text: 'update auth.users set last_sign_in_at = now(), updated_at = now() where id = $1',
    values: [userId],
  }
  return client ? [rows] : [rows, signIn]
}

/**
 * Raises a session to aal2 by a factor, and ends the person's own sessions that have not come so far. Those of OAuth
 * clients stay: nobody signed in there, and they may do less than any session of the person.
 */
export async function raiseSession(
  client: Queryable,
  session: { id: string; userId: string },
  factorId: string,
  method: SecondFactorMethod,
): Promise<void> {
  await client.query(
    `with claim as (
       insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
       values ($1, $2, now(), now(), $3)
       on conflict (session_id, authentication_method) do update set updated_at = now()
     )
     update auth.sessions set aal = 'aal2', factor_id = $4, updated_at = now() where id = $2`,
    [randomUUID(), session.id, method, factorId],
  )
  await client.query(
    `delete from auth.sessions where user_id = $1 and id <> $2 and coalesce(aal, 'aal1') < 'aal2'
       and oauth_client_id is null`,
    [session.userId, session.id],
  )
}

/** Notes that the person has just proved once more, within the session, who they are. */
export async function renewProof(
  client: Queryable,
  sessionId: string,
  method: 'password' | 'otp',
): Promise<void> {
  await client.query(
    `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values ($1, $2, now(), now(), $3)
     on conflict (session_id, authentication_method) do update set updated_at = now()`,
    [randomUUID(), sessionId, method],
  )
}

/** Takes sessions that a factor had raised back to aal1. */
export async function lowerSessions(
  client: Queryable,
  factorId: string,
  method: SecondFactorMethod,
): Promise<void> {
  await client.query(
    `delete from auth.mfa_amr_claims where authentication_method = $2
       and session_id in (select id from auth.sessions where factor_id = $1)`,
    [factorId, method],
  )
  await client.query(`update auth.sessions set aal = 'aal1', factor_id = null where factor_id = $1`, [
    factorId,
  ])
}

/** The statement that notes when and from where the session was refreshed. */
export const noteRefresh = (id: string, { ip, userAgent }: Client): Statement => ({
  text: `update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now(), user_agent = $2, ip = $3
    where id = $1`,
  values: [id, userAgent, ip],
})

/** One proof of a session, with what is known of the session itself. `timestamp` is in Unix seconds. */
export type Method = {
  method: string
  timestamp: number
  aal: string
  /** Of the OAuth client whose session it is, and what the person let it see; null for their own. */
  clientId: string | null
  scopes: string | null
}

/** The authentication methods of the session `s` as JSON, newest first. */
export const METHODS_OF_SESSION = `(
    select coalesce(json_agg(json_build_object(
      'method', c.authentication_method, 'timestamp', extract(epoch from c.updated_at)::bigint,
      'aal', coalesce(s.aal::text, 'aal1'), 'clientId', s.oauth_client_id, 'scopes', s.scopes
    ) order by c.updated_at desc), '[]')
    from auth.mfa_amr_claims c where c.session_id = s.id
  )`

/** The statement that reads a session's authentication methods. */
export const selectMethods = (sessionId: string): Statement => ({
  text: `select ${METHODS_OF_SESSION} as methods from auth.sessions s where s.id = $1`,
  values: [sessionId],
})

export async function findMethods(client: Queryable, sessionId: string): Promise<Method[]> {
  const { text, values } = selectMethods(sessionId)
  const { rows } = await client.query<{ methods: Method[] }>(prepared(text, values))
  return rows[0]?.methods ?? []
}

/** Which sessions of a user: all of them, only `only`, or all except `except`. */
type Which = { only?: string; except?: string }

/** The statement that ends sessions of a user, with their refresh tokens. */
export const deleteSessions = (userId: string, { only, except }: Which = {}): Statement => ({
  text: `delete from auth.sessions
    where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
  values: [userId, only ?? null, except ?? null],
})

export async function endSessions(client: Queryable, userId: string, which?: Which): Promise<void> {
  const { text, values = [] } = deleteSessions(userId, which)
  await client.query(text, [...values])
}
