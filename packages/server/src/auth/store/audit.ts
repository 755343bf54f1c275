// Rows of auth.audit_log_entries: what people and administrators did to accounts, written in the same transaction.
import { randomUUID } from 'node:crypto'
import type { Statement } from '../../sql/pipeline.ts'
import { prepared, type Queryable } from '../../sql/queryable.ts'
import type { Metadata } from './users.ts'

const LOG_TYPES = {
  login: 'account',
  logout: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_reauthenticated: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  token_refreshed: 'token',
  token_revoked: 'token',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  challenge_created: 'factor',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  verification_attempted: 'factor',
} as const

export type AuditAction = keyof typeof LOG_TYPES

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The actor: a user, or the role of an administrative key. */
export type Actor = {
  id: string
  email: string | null
  phone: string | null
  is_sso_user: boolean
  raw_user_meta_data: Metadata | null
}

export const adminActor = (role: string): Actor => ({
  id: NIL_UUID,
  email: role,
  phone: null,
  is_sso_user: false,
  raw_user_meta_data: null,
})

/** Writes one entry; `traits` are the details of the action. */
export async function audit(client: Queryable, ...given: Parameters<typeof auditEntry>): Promise<void> {
  const { text, values } = auditEntry(...given)
  await client.query(prepared(text, values))
}

/** The statement that writes one entry. */
export function auditEntry(
  ip: string | null,
  actor: Actor,
  action: AuditAction,
  traits?: Record<string, unknown>,
) {
  const name = actor.raw_user_meta_data?.full_name
  const payload = {
    actor_id: actor.id,
    actor_via_sso: actor.is_sso_user,
    actor_username: actor.phone || actor.email || '',
    action,
    log_type: LOG_TYPES[action],
    ...(name === undefined ? {} : { actor_name: name }),
    ...(traits ? { traits } : {}),
  }
  return {
    text: `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
      values ('00000000-0000-0000-0000-000000000000', $1, $2, now(), $3)`,
    values: [randomUUID(), JSON.stringify(payload), ip ?? ''],
  } satisfies Statement
}
