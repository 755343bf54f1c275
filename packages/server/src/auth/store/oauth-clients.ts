// Rows of auth.oauth_clients: applications of others that people sign in to with their account here.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

export type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

export type OAuthClient = {
  id: string
  /** SHA-256, in base64url; null for a public client. */
  client_secret_hash: string | null
  registration_type: 'dynamic' | 'manual'
  client_type: 'public' | 'confidential'
  token_endpoint_auth_method: AuthMethod
  redirect_uris: string[]
  grant_types: string[]
  client_name: string | null
  client_uri: string | null
  logo_uri: string | null
  created_at: Date
  updated_at: Date
}

/** The registered fields of a client. */
export type ClientFields = Omit<OAuthClient, 'id' | 'created_at' | 'updated_at'>

/** As GoTrue keeps lists: texts with commas between, so that no address with a comma is taken. */
type Row = Omit<OAuthClient, 'redirect_uris' | 'grant_types'> & { redirect_uris: string; grant_types: string }

const fromRow = (row: Row): OAuthClient => ({
  ...row,
  redirect_uris: row.redirect_uris.split(','),
  grant_types: row.grant_types.split(','),
})

export async function insertClient(client: Queryable, fields: ClientFields): Promise<OAuthClient> {
  const columns = Object.entries(joined(fields))
  const { rows } = await client.query<Row>(
    `insert into auth.oauth_clients (id, ${columns.map(([name]) => name).join(', ')})
     values ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')}) returning *`,
    [randomUUID(), ...columns.map(([, value]) => value)],
  )
  return fromRow(rows[0] as Row)
}

/** A client that is not deleted, or null. */
export async function findClient(client: Queryable, id: string): Promise<OAuthClient | null> {
  const { rows } = await client.query<Row>(
    'select * from auth.oauth_clients where id = $1 and deleted_at is null',
    [id],
  )
  return rows[0] ? fromRow(rows[0]) : null
}

/** A page of the clients, the newest first, and how many there are. */
export async function listClients(
  client: Queryable,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ clients: OAuthClient[]; total: number }> {
  const { rows } = await client.query<Row>(
    `select * from auth.oauth_clients where deleted_at is null
     order by created_at desc, id limit $1 offset $2`,
    [perPage, (page - 1) * perPage],
  )
  const { rows: counted } = await client.query<{ total: number }>(
    'select count(*)::int as total from auth.oauth_clients where deleted_at is null',
  )
  return { clients: rows.map(fromRow), total: counted[0]?.total ?? 0 }
}

export async function updateClient(
  client: Queryable,
  id: string,
  changes: Partial<ClientFields>,
): Promise<OAuthClient> {
  const columns = Object.entries(joined(changes))
  const { rows } = await client.query<Row>(
    `update auth.oauth_clients set updated_at = now()${columns.map(([name], index) => `, ${name} = $${index + 2}`).join('')}
     where id = $1 returning *`,
    [id, ...columns.map(([, value]) => value)],
  )
  return fromRow(rows[0] as Row)
}

/** Hides the client from then on, and ends what it was given. */
export async function deleteClient(client: Queryable, id: string): Promise<void> {
  await client.query('update auth.oauth_clients set deleted_at = now(), updated_at = now() where id = $1', [
    id,
  ])
  await client.query('delete from auth.oauth_authorizations where client_id = $1', [id])
  await client.query('delete from auth.oauth_consents where client_id = $1', [id])
  await client.query('delete from auth.sessions where oauth_client_id = $1', [id])
}

const joined = (fields: Partial<ClientFields>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
