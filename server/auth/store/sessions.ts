// Rows of auth.sessions, one per sign-in, with their authentication methods (auth.mfa_amr_claims).
import { randomUUID } from 'node:crypto'
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

/** The OAuth client that a session is for, and the session's id. */
export type ClientSession = { id: string; clientId: string; scopes: string }

/** Inserts a session of an OAuth client with its first refresh token. It is no sign-in of the person's. */
export async function insertClientSession(
  client: Queryable,
  userId: string,
  { id, clientId, scopes }: ClientSession,
  refreshToken: string,
  { ip, userAgent }: Client,
): Promise<void> {
  const method: AuthenticationMethod = 'oauth_provider/authorization_code'
  await client.query(
    `with session as (
       insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes)
       values ($1, $2, now(), now(), 'aal1', $3, $4, $8, $9)
     ), claim as (
       insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
       values ($5, $1, now(), now(), $6)
     )
     insert into auth.refresh_tokens (instance_id, token, user_id, revoked, session_id, created_at, updated_at)
     values ('00000000-0000-0000-0000-000000000000', $7, $2::uuid::text, false, $1, now(), now())`,
    [id, userId, userAgent, ip, randomUUID(), method, refreshToken, clientId, scopes],
  )
}

/** Inserts a session with its first refresh token and notes the sign-in on the user. Answers the session's id. */
export async function insertSession(
  client: Queryable,
  userId: string,
  method: AuthenticationMethod,
  refreshToken: string,
  { ip, userAgent }: Client,
): Promise<string> {
  const id = randomUUID()
  await client.query(
    prepared(
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
      [id, userId, userAgent, ip, randomUUID(), method, refreshToken],
    ),
  )
  return id
}

/** Sets the moment at which a session ends. */
export async function limitSession(client: Queryable, id: string, notAfter: Date): Promise<void> {
  await client.query('update auth.sessions set not_after = $2 where id = $1', [id, notAfter])
}

export type LockedSession = { id: string; clientId: string | null; expired: boolean; inactive: boolean }

/** Locks the session. Lifetimes are in seconds, 0 for none. */
export async function lockSession(
  client: Queryable,
  id: string | null,
  { timebox, inactivity_timeout: inactivity }: { timebox?: number; inactivity_timeout?: number },
): Promise<LockedSession | null> {
  const { rows } = await client.query<LockedSession>(
    prepared(
      `select id, oauth_client_id as "clientId", coalesce(not_after < now(), false)
           or coalesce(created_at + $2 * interval '1 second' < now(), false) as expired,
         coalesce(greatest(created_at, refreshed_at at time zone 'utc') + $3 * interval '1 second' < now(), false)
           as inactive
       from auth.sessions where id = $1 for update`,
      [id, timebox || null, inactivity || null],
    ),
  )
  return rows[0] ?? null
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

/** Notes when and from where the session was refreshed. */
export async function noteRefresh(client: Queryable, id: string, { ip, userAgent }: Client): Promise<void> {
  await client.query(
    prepared(
      `update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now(), user_agent = $2, ip = $3
       where id = $1`,
      [id, userAgent, ip],
    ),
  )
}

/** One proof of a session, with what is known of the session itself. `timestamp` is in Unix seconds. */
export type Method = {
  method: string
  timestamp: number
  aal: string
  /** Of the OAuth client whose session it is, and what the person let it see; null for their own. */
  clientId: string | null
  scopes: string | null
}

/** The session's authentication methods, newest first. */
export async function findMethods(client: Queryable, sessionId: string): Promise<Method[]> {
  const { rows } = await client.query<Method>(
    prepared(
      `select c.authentication_method as method, extract(epoch from c.updated_at)::bigint::int as timestamp,
         coalesce(s.aal::text, 'aal1') as aal, s.oauth_client_id as "clientId", s.scopes
       from auth.mfa_amr_claims c join auth.sessions s on s.id = c.session_id
       where c.session_id = $1 order by c.updated_at desc`,
      [sessionId],
    ),
  )
  return rows
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
