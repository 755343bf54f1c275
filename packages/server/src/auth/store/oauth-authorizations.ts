// Rows of auth.oauth_authorizations: requests of OAuth clients, from the browser's arrival to the exchange of the code.
// A request and its code live for ten minutes; codes are kept as hashes, and a used one for a day, to be recognised.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

/** From the browser's arrival to the exchange of the code, as GoTrue's. */
const LIFETIME = '10 minutes'

export type AuthorizationRequest = {
  clientId: string
  redirectUri: string
  scope: string
  state: string
  resource: string
  nonce: string
  codeChallenge: string
}

export type Authorization = {
  /** The id of the session that the code is exchanged for, so that both are found by each other. Never shown. */
  id: string
  authorization_id: string
  client_id: string
  user_id: string | null
  redirect_uri: string
  scope: string
  state: string | null
  resource: string | null
  nonce: string | null
  code_challenge: string
  code_challenge_method: 's256'
  status: 'pending' | 'approved' | 'denied' | 'expired'
  expired: boolean
}

/** Keeps a request of a client until somebody decides on it. Answers the id by which pages know it. */
export async function insertAuthorization(client: Queryable, request: AuthorizationRequest): Promise<string> {
  const authorizationId = randomBytes(24).toString('base64url')
  await client.query(
    `insert into auth.oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state, resource, nonce,
       code_challenge, code_challenge_method, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 's256', now(), now() + interval '${LIFETIME}')`,
    [
      ...[randomUUID(), authorizationId, request.clientId, request.redirectUri, request.scope],
      ...[request.state || null, request.resource || null, request.nonce || null, request.codeChallenge],
    ],
  )
  return authorizationId
}

/** Deletes requests that nobody decided on in time, and used ones that are a day old. */
export async function sweepAuthorizations(client: Queryable): Promise<void> {
  await client.query(`delete from auth.oauth_authorizations where status = 'pending' and expires_at < now()`)
  await client.query(`delete from auth.oauth_authorizations where expires_at < now() - interval '1 day'`)
}

const SELECT = 'select *, expires_at < now() as expired from auth.oauth_authorizations'

/** The request that pages know by this id, locked for the rest of the transaction, or null. */
export async function lockAuthorization(
  client: Queryable,
  authorizationId: string,
): Promise<Authorization | null> {
  const { rows } = await client.query<Authorization>(`${SELECT} where authorization_id = $1 for update`, [
    authorizationId,
  ])
  return rows[0] ?? null
}

/** The request that this code was given for, locked, or null. `expired` as status means that the code was used. */
export async function lockByCode(client: Queryable, code: string): Promise<Authorization | null> {
  const { rows } = await client.query<Authorization>(
    `${SELECT} where authorization_code = $1 and status in ('approved', 'expired') for update`,
    [hashOf(code)],
  )
  return rows[0] ?? null
}

/** Makes the request that of the person who opened it. */
export async function claimAuthorization(client: Queryable, id: string, userId: string): Promise<void> {
  await client.query('update auth.oauth_authorizations set user_id = $2 where id = $1', [id, userId])
}

/** Grants the request. Answers the code, which is kept as a hash alone. */
export async function approveAuthorization(client: Queryable, id: string): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await client.query(
    `update auth.oauth_authorizations set status = 'approved', approved_at = now(), authorization_code = $2
     where id = $1`,
    [id, hashOf(code)],
  )
  return code
}

export async function denyAuthorization(client: Queryable, id: string): Promise<void> {
  await client.query(`update auth.oauth_authorizations set status = 'denied' where id = $1`, [id])
}

/** Marks the code as used. */
export async function spendAuthorization(client: Queryable, id: string): Promise<void> {
  await client.query(`update auth.oauth_authorizations set status = 'expired' where id = $1`, [id])
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64url')
