// Rows of auth.flow_state: PKCE flows (RFC 7636) from the client's challenge to the exchange of the code, and sign-ins
// that lead by way of a provider, whose state is the row's id.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'
import { badRequest } from '../errors.ts'
import type { AuthenticationMethod } from './sessions.ts'

/** The client's challenge, or null for the implicit flow, in which the link itself brings the tokens. */
export type Flow = { challenge: string; method: 's256' | 'plain' } | null

const CODE_LIFETIME = '5 minutes'

/** Stores the challenge until the user follows the link, and deletes the user's flows that are older than a day. */
export async function saveFlow(
  client: Queryable,
  flow: NonNullable<Flow>,
  userId: string,
  method: AuthenticationMethod,
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
export async function issueAuthCode(
  client: Queryable,
  userId: string,
  method: AuthenticationMethod,
): Promise<string> {
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

export type FlowState = {
  id: string
  user_id: string
  code_challenge: string
  code_challenge_method: 's256' | 'plain'
  provider_type: string
  provider_access_token: string | null
  provider_refresh_token: string | null
  authentication_method: AuthenticationMethod
  /** When the session has to end that the code is exchanged for; null where nothing says so. */
  not_after: Date | null
  expired: boolean
}

/** The flow that a code belongs to, locked, or null. */
export async function findFlow(client: Queryable, code: string): Promise<FlowState | null> {
  const { rows } = await client.query<FlowState>(
    `select *, coalesce(auth_code_issued_at, created_at) + interval '${CODE_LIFETIME}' < now() as expired,
       (select not_after from auth.flow_session_ends where flow_state_id = f.id)
     from auth.flow_state f where auth_code = $1 and user_id is not null limit 1 for update`,
    [code],
  )
  return rows[0] ?? null
}

export async function deleteFlow(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.flow_state where id = $1', [id])
}

/** Deletes every flow of the user. */
export async function deleteFlows(client: Queryable, userId: string): Promise<void> {
  await client.query('delete from auth.flow_state where user_id = $1', [userId])
}

/** A sign-in by way of a provider. */
export type ProviderFlow = {
  id: string
  provider_type: string
  /** Of the client; null for the implicit flow. */
  code_challenge: string | null
  auth_code: string | null
  /** Where it ends. */
  referrer: string
  /** The account that gets the identity. */
  linking_target_id: string | null
  expired: boolean
}

/** The account that gets an identity, and the session that requested it if its token has one. */
export type LinkTarget = { userId: string; sessionId: string | null }

/** Whether the session that asked for an identity to be added goes on. */
export async function isStillAsked(client: Queryable, flowId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from auth.linking_sessions where flow_state_id = $1 for share',
    [flowId],
  )
  return rowCount === 1
}

/** How long somebody may stay at the provider. */
const STATE_LIFETIME = '5 minutes'

/** Stores a flow before somebody goes to a provider, and deletes some of those that nobody came back from. */
export async function openProviderFlow(
  client: Queryable,
  {
    provider,
    flow,
    redirectTo,
    linkTo,
  }: {
    provider: string
    flow: Flow
    redirectTo: string
    linkTo: LinkTarget | null
  },
): Promise<string> {
  const id = randomUUID()
  await client.query(
    `with old as (
       delete from auth.flow_state where id in (
         select id from auth.flow_state where authentication_method = 'oauth'
           and created_at < now() - interval '1 hour' order by created_at limit 100 for update skip locked)
     )
     insert into auth.flow_state (id, auth_code, code_challenge_method, code_challenge, provider_type,
       authentication_method, provider_access_token, provider_refresh_token, referrer, linking_target_id,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'oauth', '', '', $6, $7, now(), now())`,
    [
      ...[id, flow ? randomUUID() : null, flow?.method ?? null, flow?.challenge ?? null],
      ...[provider, redirectTo, linkTo?.userId ?? null],
    ],
  )
  if (linkTo) {
    await client.query('insert into auth.linking_sessions (flow_state_id, session_id) values ($1, $2)', [
      id,
      linkTo.sessionId,
    ])
  }
  return id
}

/**
 * Takes the flow of a state that came back, once. Throws bad_oauth_state, and flow_state_already_used for one that was
 * taken before.
 */
export async function takeProviderFlow(client: Queryable, id: string): Promise<ProviderFlow> {
  const { rows } = await client.query<ProviderFlow>(
    `update auth.flow_state set auth_code_issued_at = now(), updated_at = now()
     where id = $1 and authentication_method = 'oauth' and auth_code_issued_at is null
     returning *, created_at + interval '${STATE_LIFETIME}' < now() as expired`,
    [id],
  )
  const [flow] = rows
  if (flow?.expired) throw badRequest('bad_oauth_state', 'OAuth state has expired')
  if (flow) return flow
  const { rowCount } = await client.query('select from auth.flow_state where id = $1', [id])
  throw rowCount
    ? badRequest('flow_state_already_used', 'State has already been used')
    : badRequest('bad_oauth_state', 'OAuth state not found or expired')
}

/** Notes whose the code of a PKCE flow is, and what the provider gave, until the client exchanges the code. */
export async function completeProviderFlow(
  client: Queryable,
  id: string,
  userId: string,
  tokens: { accessToken: string; refreshToken: string },
): Promise<void> {
  await client.query(
    `update auth.flow_state set user_id = $2, provider_access_token = $3, provider_refresh_token = $4,
       auth_code_issued_at = now(), updated_at = now() where id = $1`,
    [id, userId, tokens.accessToken, tokens.refreshToken],
  )
}
