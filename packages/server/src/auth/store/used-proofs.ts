// Rows of auth.used_proofs: what proves somebody once only and was used, until it would not be taken anyway.
import { createHash } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

/**
 * Notes that a proof was used, with the transaction, and answers whether that was the first time. `parts` name it
 * among all proofs; from `expiresAt` on it is refused for its age.
 */
export async function spendProof(client: Queryable, parts: string[], expiresAt: Date): Promise<boolean> {
  await client.query(
    `delete from auth.used_proofs where proof in (
       select proof from auth.used_proofs where expires_at < now() - interval '1 hour' limit 100 for update skip locked)`,
  )
  const proof = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  const { rowCount } = await client.query(
    'insert into auth.used_proofs (proof, expires_at) values ($1, $2) on conflict do nothing',
    [proof, expiresAt],
  )
  return rowCount === 1
}
