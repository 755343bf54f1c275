// Rows of auth.refresh_tokens: each is revoked when it is exchanged, and its successor names it as parent.
import { randomBytes } from 'node:crypto'
import { prepared, type Queryable } from '../../sql/queryable.ts'

export const makeRefreshToken = (): string => randomBytes(16).toString('base64url')

/** `recent` is true within the reuse interval after the token's last change. */
export type RefreshToken = { revoked: boolean; recent: boolean }

/** The user and session of a token, or null. */
export async function findTokenOwner(
  client: Queryable,
  token: string,
): Promise<{ userId: string; sessionId: string | null } | null> {
  const { rows } = await client.query<{ userId: string; sessionId: string | null }>(
    prepared(
      'select user_id as "userId", session_id as "sessionId" from auth.refresh_tokens where token = $1',
      [token],
    ),
  )
  return rows[0] ?? null
}

/** The token's state, or null. `reuseInterval` is in seconds. */
export async function findRefreshToken(
  client: Queryable,
  token: string,
  reuseInterval: number,
): Promise<RefreshToken | null> {
  const { rows } = await client.query<RefreshToken>(
    prepared(
      `select coalesce(revoked, false) as revoked, updated_at + $2 * interval '1 second' >= now() as recent
       from auth.refresh_tokens where token = $1`,
      [token, reuseInterval],
    ),
  )
  return rows[0] ?? null
}

/** The session's newest token that is not revoked. */
export async function findActiveToken(
  client: Queryable,
  sessionId: string,
): Promise<{ token: string; parent: string | null } | null> {
  const { rows } = await client.query<{ token: string; parent: string | null }>(
    `select token, parent from auth.refresh_tokens where session_id = $1 and not coalesce(revoked, false)
     order by id desc limit 1`,
    [sessionId],
  )
  return rows[0] ?? null
}

/**
 * Gives the session a first token again and forgets all others: who held one before a second factor was proved must not
 * get a session by it that is worth more.
 */
export async function replaceRefreshTokens(
  client: Queryable,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<string> {
  const token = makeRefreshToken()
  await client.query('delete from auth.refresh_tokens where session_id = $1', [sessionId])
  await client.query(
    `insert into auth.refresh_tokens (instance_id, token, user_id, revoked, session_id, created_at, updated_at)
     values ('00000000-0000-0000-0000-000000000000', $1, $2, false, $3, now(), now())`,
    [token, userId, sessionId],
  )
  return token
}

/** Revokes `token`, answers its successor, and deletes the session's tokens that were revoked a day ago. */
export async function rotateRefreshToken(
  client: Queryable,
  { userId, sessionId, token }: { userId: string; sessionId: string; token: string },
): Promise<string> {
  const next = makeRefreshToken()
  await client.query(
    prepared(
      `with forgotten as (
         delete from auth.refresh_tokens where session_id = $4 and revoked and updated_at < now() - interval '1 day'
       ), revoked as (
         update auth.refresh_tokens set revoked = true, updated_at = now()
         where token = $3 and not coalesce(revoked, false)
       )
       insert into auth.refresh_tokens (instance_id, token, user_id, revoked, parent, session_id, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', $1, $2, false, $3, $4, now(), now())`,
      [next, userId, token, sessionId],
    ),
  )
  return next
}
