// Rows of auth.refresh_tokens: each is revoked when it is exchanged, and its successor names it as parent.
import { randomBytes } from 'node:crypto'
import type { Statement } from '../../sql/pipeline.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { METHODS_OF_SESSION, type Method } from './sessions.ts'
import { type User, WHOLE_USER } from './users.ts'

export const makeRefreshToken = (): string => randomBytes(16).toString('base64url')

/** The statement that locks the session of a token, so that two tabs refresh one after the other. */
export const lockSessionOf = (token: string): Statement => ({
  text: `select from auth.sessions
    where id = (select session_id from auth.refresh_tokens where token = $1) for update`,
  values: [token],
})

/** A token with its user, and with its session where that is still there. */
export type RefreshToken = User & {
  revoked: boolean
  /** Within the reuse interval after the token's last change. */
  recent: boolean
  /** Made on another day than this one. */
  old: boolean
  session: { id: string; clientId: string | null; expired: boolean; inactive: boolean } | null
  methods: Method[]
  /** Of a revoked token: the session's newest one that is not. */
  active: { token: string; parent: string | null } | null
}

/** Seconds; 0 or nothing where there is no such end. */
type Lifetimes = { reuseInterval: number; timebox?: number; inactivity_timeout?: number }

/** The statement that reads a token as a row of the type above; no row where the token is unknown. */
export const selectRefreshToken = (
  token: string,
  { reuseInterval, timebox, inactivity_timeout: inactivity }: Lifetimes,
): Statement => ({
  text: `select ${WHOLE_USER}, coalesce(t.revoked, false) as revoked,
      t.updated_at + $2 * interval '1 second' >= now() as recent,
      t.created_at < date_trunc('day', now()) as old,
      case when s.id is not null then json_build_object(
        'id', s.id, 'clientId', s.oauth_client_id,
        'expired', coalesce(s.not_after < now(), false)
          or coalesce(s.created_at + $3 * interval '1 second' < now(), false),
        'inactive', coalesce(
          greatest(s.created_at, s.refreshed_at at time zone 'utc') + $4 * interval '1 second' < now(), false)
      ) end as session, ${METHODS_OF_SESSION} as methods, (
        select json_build_object('token', a.token, 'parent', a.parent) from auth.refresh_tokens a
        where t.revoked and a.session_id = t.session_id and not coalesce(a.revoked, false)
        order by a.id desc limit 1
      ) as active
    from auth.refresh_tokens t join auth.users u on u.id = t.user_id::uuid
      left join auth.sessions s on s.id = t.session_id
    where t.token = $1`,
  values: [token, String(reuseInterval), seconds(timebox), seconds(inactivity)],
})

const seconds = (lifetime = 0) => (lifetime === 0 ? null : String(lifetime))

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

/** The statement that deletes what the session revoked a day ago. */
export const forgetRefreshTokens = (sessionId: string): Statement => ({
  text: `delete from auth.refresh_tokens
    where session_id = $1 and revoked and updated_at < now() - interval '1 day'`,
  values: [sessionId],
})

/** The statement that revokes `token` and makes its successor `next`. */
export const rotateRefreshToken = (
  { userId, sessionId, token }: { userId: string; sessionId: string; token: string },
  next: string,
): Statement => ({
  text: `with revoked as (
      update auth.refresh_tokens set revoked = true, updated_at = now()
      where token = $3 and not coalesce(revoked, false)
    )
    insert into auth.refresh_tokens (instance_id, token, user_id, revoked, parent, session_id, created_at, updated_at)
    values ('00000000-0000-0000-0000-000000000000', $1, $2, false, $3, $4, now(), now())`,
  values: [next, userId, token, sessionId],
})
