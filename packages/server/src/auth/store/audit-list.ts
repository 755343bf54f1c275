// Pages of auth.audit_log_entries, for administrators.
import type { Queryable } from '../../sql/queryable.ts'

/** An entry as GoTrue answers it. */
export type AuditEntry = { id: string; payload: unknown; created_at: Date; ip_address: string }

/** Fields of the payload, of which one holds the text, whatever its case. */
export type AuditFilter = { fields: readonly string[]; text: string }

/** One page of entries, newest first, and how many there are in all. `filter` is null for all of them. */
export async function listAuditEntries(
  client: Queryable,
  { page, perPage, filter }: { page: number; perPage: number; filter: AuditFilter | null },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const where = `$1::text[] is null or exists (select from unnest($1::text[]) as field where payload ->> field ilike $2)`
  const values = filter ? [filter.fields, `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`] : [null, null]
  const { rows: counted } = await client.query<{ total: number }>(
    `select count(*)::int as total from auth.audit_log_entries where ${where}`,
    values,
  )
  const { rows: entries } = await client.query<AuditEntry>(
    `select id, payload, created_at, ip_address from auth.audit_log_entries where ${where}
     order by created_at desc, id desc limit $3 offset $4`,
    [...values, perPage, (page - 1) * perPage],
  )
  return { entries, total: counted[0]?.total ?? 0 }
}
