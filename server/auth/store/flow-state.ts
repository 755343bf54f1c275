// PKCE (RFC 7636): the challenge a client starts with is kept in auth.flow_state; the link it asked for then ends
// with a code, which only the holder of the verifier can exchange for a session.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../../jobs/jobs.ts'
import { badRequest, invalid } from '../errors.ts'
import type { Method } from './sessions.ts'

/** The client's challenge, or null for the implicit flow, in which the link itself brings the tokens. */
export type Flow = { challenge: string; method: 's256' | 'plain' } | null

/** How long a code can be exchanged. */
const lifetime = '5 minutes'

/** Reads the two fields of a request's body. Throws validation_failed for half a challenge or a malformed one. */
export function readFlow(body: { code_challenge: string; code_challenge_method: string }): Flow {
  const { code_challenge: challenge, code_challenge_method: asked } = body
  if (challenge === '' && asked === '') return null
  if (challenge === '' || asked === '') {
    throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (challenge.length < 43 || challenge.length > 128) {
    throw invalid('code challenge has to be between 43 and 128 characters')
  }
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) {
    throw invalid(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  }
  const method = asked.toLowerCase()
  if (method !== 's256' && method !== 'plain') {
    throw invalid(`unsupported code_challenge method ${JSON.stringify(asked)}`)
  }
  return { challenge, method }
}

/** Keeps the challenge until the user comes back through the link, and forgets the user's old ones. */
export async function saveFlow(
  client: Queryable,
  flow: NonNullable<Flow>,
  userId: string,
  method: Method,
): Promise<void> {
  await client.query(
    `delete from auth.flow_state where user_id = $1 and created_at < now() - interval '1 day'`,
    [userId],
  )
  await client.query(
    `insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
       authentication_method, provider_access_token, provider_refresh_token, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6, '', '', now(), now())`,
    [randomUUID(), userId, randomUUID(), flow.method, flow.challenge, method],
  )
}

/** The code for the redirect at the end of the newest flow of this kind. Throws flow_state_not_found. */
export async function issueAuthCode(client: Queryable, userId: string, method: Method): Promise<string> {
  const { rows } = await client.query<{ auth_code: string }>(
    `update auth.flow_state set auth_code_issued_at = now(), updated_at = now()
     where id = (select id from auth.flow_state where user_id = $1 and authentication_method = $2
                 order by created_at desc limit 1)
     returning auth_code`,
    [userId, method],
  )
  const code = rows[0]?.auth_code
  if (!code) {
    throw badRequest(
      'flow_state_not_found',
      'No associated flow state found. No valid flow state found for user.',
    )
  }
  return code
}

type FlowState = {
  id: string
  user_id: string
  code_challenge: string
  code_challenge_method: 's256' | 'plain'
  authentication_method: Method
  expired: boolean
}

/** The flow that a code belongs to, locked, or null. */
export async function findFlow(client: Queryable, code: string): Promise<FlowState | null> {
  const { rows } = await client.query<FlowState>(
    `select *, coalesce(auth_code_issued_at, created_at) + interval '${lifetime}' < now() as expired
     from auth.flow_state where auth_code = $1 and user_id is not null limit 1 for update`,
    [code],
  )
  return rows[0] ?? null
}

export async function deleteFlow(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.flow_state where id = $1', [id])
}

/** Forgets every flow that the user has begun. */
export async function deleteFlows(client: Queryable, userId: string): Promise<void> {
  await client.query('delete from auth.flow_state where user_id = $1', [userId])
}

/** Whether `verifier` is what the flow's challenge was made from. */
export function provesFlow(flow: FlowState, verifier: string): boolean {
  const derived =
    flow.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier
  const [expected, given] = [Buffer.from(flow.code_challenge), Buffer.from(derived)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
