// The soft deletion of an account: its row stays, without anything that reveals whose it was.

import { createHash } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import { deletePasskeys } from '../store/passkeys.ts'
import { endSessions } from '../store/sessions.ts'
import { type User, updateUser } from '../store/users.ts'

/** Replaces a value by its hash with the id: the row can be found with both, but the value cannot be read. */
const obfuscate = (id: string, value: string): string =>
  createHash('sha256')
    .update(id + value)
    .digest('base64url')

const MAX_PHONE_LENGTH = 15

export async function softDelete(client: Queryable, user: User): Promise<void> {
  const phone = (value: string | null) => obfuscate(user.id, value ?? '').slice(0, MAX_PHONE_LENGTH)
  await updateUser(client, user.id, {
    email: obfuscate(user.id, user.email ?? ''),
    phone: phone(user.phone),
    email_change: obfuscate(user.id, user.email_change ?? ''),
    phone_change: phone(user.phone_change),
    encrypted_password: null,
    deleted_at: new Date(),
  })
  await client.query(
    `update auth.users set raw_user_meta_data = '{}', raw_app_meta_data = '{}' where id = $1`,
    [user.id],
  )
  for (const { id, provider, provider_id } of user.identities) {
    await client.query(`update auth.identities set identity_data = '{}', provider_id = $2 where id = $1`, [
      id,
      obfuscate(user.id, `${provider}:${provider_id}`),
    ])
  }
  await client.query('delete from auth.mfa_factors where user_id = $1', [user.id])
  await deletePasskeys(client, user.id)
  await clearTokens(client, user.id)
  await endSessions(client, user.id)
}
