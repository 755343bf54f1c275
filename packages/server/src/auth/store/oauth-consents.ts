// Rows of auth.oauth_consents: which applications a person has given leave to, and to see what.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

/** The scopes to which the person has given this client leave; null for none. */
export async function findConsent(
  client: Queryable,
  userId: string,
  clientId: string,
): Promise<string[] | null> {
  const { rows } = await client.query<{ scopes: string }>(
    'select scopes from auth.oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null',
    [userId, clientId],
  )
  return rows[0]?.scopes.split(' ') ?? null
}

export async function saveConsent(
  client: Queryable,
  userId: string,
  clientId: string,
  scopes: readonly string[],
): Promise<void> {
  await client.query(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes) values ($1, $2, $3, $4)
     on conflict (user_id, client_id) do update set scopes = excluded.scopes, granted_at = now(), revoked_at = null`,
    [randomUUID(), userId, clientId, scopes.join(' ')],
  )
}

export type Grant = {
  id: string
  client_name: string | null
  client_uri: string | null
  logo_uri: string | null
  scopes: string
  granted_at: Date
}

/** The person's active consents, newest first. `id` is the client's. */
export async function listGrants(client: Queryable, userId: string): Promise<Grant[]> {
  const { rows } = await client.query<Grant>(
    `select c.id, c.client_name, c.client_uri, c.logo_uri, s.scopes, s.granted_at
     from auth.oauth_consents s join auth.oauth_clients c on c.id = s.client_id
     where s.user_id = $1 and s.revoked_at is null and c.deleted_at is null
     order by s.granted_at desc, c.id`,
    [userId],
  )
  return rows
}

/** Takes the leave back, and with it all that the client was given by it. Answers whether there was any. */
export async function revokeConsent(client: Queryable, userId: string, clientId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update auth.oauth_consents set revoked_at = greatest(now(), granted_at)
     where user_id = $1 and client_id = $2 and revoked_at is null`,
    [userId, clientId],
  )
  await client.query('delete from auth.oauth_authorizations where user_id = $1 and client_id = $2', [
    userId,
    clientId,
  ])
  await client.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', [
    userId,
    clientId,
  ])
  return (rowCount ?? 0) > 0
}
