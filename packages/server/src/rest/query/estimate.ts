// How many rows there are, where an estimate will do: null where the planner's guess is to be taken (see execute.ts).

import type { Estimate } from '../plan/types.ts'
import { MAX_COUNTED } from '../request/limits.ts'
import { literal, quoteQualified } from '../schema-cache/quote.ts'
import type { QualifiedName } from '../schema-cache/types.ts'
import type { SqlWriter } from './writer.ts'

/** Writes the number of rows of `count`, a statement that gives one row for each of them, or null. */
export function writeEstimate(
  sql: SqlWriter,
  { tables, exactUpTo }: Estimate,
  count: (sql: SqlWriter) => void,
): void {
  const counted = (select: string, most: number) => {
    sql.add(`(select ${select} from (`)
    count(sql)
    sql.add(` limit ${most}) pgrst_all)`)
  }
  if (!tables) {
    counted('count(*)', MAX_COUNTED)
    return
  }
  sql.add(`case when ${hidden(tables)} then `)
  counted('count(*)', MAX_COUNTED)
  if (exactUpTo !== null) {
    sql.add(' else ')
    counted(`case when count(*) <= ${exactUpTo} then count(*) end`, exactUpTo + 1)
  }
  sql.add(' end')
}

/**
 * Whether row-level security may hide rows of one of the tables from the current role. It hides none where a policy
 * for the role lets every row be read and no restrictive one forbids it.
 */
function hidden(tables: QualifiedName[]): string {
  const names = tables.map((name) => `${literal(quoteQualified(name))}::regclass`)
  const policies = (permissive: boolean) =>
    `exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd in ('r', '*') ` +
    `and p.polpermissive = ${permissive} and exists (select from unnest(p.polroles) r ` +
    `where r = 0 or pg_has_role(r, 'usage'))${permissive ? ` and pg_get_expr(p.polqual, p.polrelid) = 'true'` : ''})`
  return (
    `exists (select from unnest(array[${names.join(', ')}]) as c (oid) where row_security_active(c.oid) ` +
    `and (${policies(false)} or not ${policies(true)}))`
  )
}
