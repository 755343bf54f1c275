// Rows of auth.saml_relay_states: people who were sent to an identity provider and are not back yet, each with the
// request that they took along and, for PKCE, the flow (auth.flow_state) that ends when they are.
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'
import { badRequest } from '../errors.ts'
import type { Flow } from './flow-state.ts'

/** `flow_state_id` is null for the implicit flow. */
export type RelayState = {
  sso_provider_id: string
  request_id: string
  redirect_to: string
  flow_state_id: string | null
  expired: boolean
}

/** Stores what is to be known when somebody comes back, and deletes some of those who never came. Answers its id. */
export async function openRelayState(
  client: Queryable,
  state: { providerId: string; requestId: string; redirectTo: string; flow: Flow },
): Promise<string> {
  const { providerId, requestId, redirectTo, flow } = state
  // Flows take their relay states along.
  await client.query(
    `with flows as (
       delete from auth.flow_state where id in (
         select id from auth.flow_state where authentication_method = 'sso/saml'
           and created_at < now() - interval '1 day' limit 100 for update skip locked)
     )
     delete from auth.saml_relay_states where id in (
       select id from auth.saml_relay_states where flow_state_id is null
         and created_at < now() - interval '1 day' limit 100 for update skip locked)`,
  )
  const flowId = flow && randomUUID()
  if (flow) {
    await client.query(
      `insert into auth.flow_state (id, auth_code, code_challenge_method, code_challenge, provider_type,
         authentication_method, provider_access_token, provider_refresh_token, created_at, updated_at)
       values ($1, $2, $3, $4, 'sso/saml', 'sso/saml', '', '', now(), now())`,
      [flowId, randomUUID(), flow.method, flow.challenge],
    )
  }
  const id = randomUUID()
  await client.query(
    `insert into auth.saml_relay_states (id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at,
       updated_at) values ($1, $2, $3, $4, $5, now(), now())`,
    [id, providerId, requestId, redirectTo, flowId],
  )
  return id
}

/** Takes a relay state, once; null for one that there is not, or not any more. `validity` is in seconds. */
export async function takeRelayState(
  client: Queryable,
  id: string,
  validity: number,
): Promise<RelayState | null> {
  const { rows } = await client.query<RelayState>(
    `delete from auth.saml_relay_states where id = $1
     returning *, created_at + $2 * interval '1 second' <= now() as expired`,
    [id, validity],
  )
  return rows[0] ?? null
}

/**
 * The code of a flow that a person has come back to, which their client exchanges for a session that ends at `notAfter` at
 * last. Throws flow_state_already_used.
 */
export async function completeFlow(
  client: Queryable,
  flowId: string,
  userId: string,
  notAfter: Date | null,
): Promise<string> {
  const { rows } = await client.query<{ auth_code: string }>(
    `update auth.flow_state set user_id = $2, auth_code_issued_at = now(), updated_at = now()
     where id = $1 and user_id is null returning auth_code`,
    [flowId, userId],
  )
  const code = rows[0]?.auth_code
  if (!code) throw badRequest('flow_state_already_used', 'State has already been used')
  if (notAfter) {
    await client.query('insert into auth.flow_session_ends (flow_state_id, not_after) values ($1, $2)', [
      ...[flowId, notAfter],
    ])
  }
  return code
}
