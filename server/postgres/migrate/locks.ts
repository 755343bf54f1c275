// How long a change of the schema waits for its locks: whatever comes after it, reads too, waits behind it.
import type pg from 'pg'
import { StartError } from '../cluster/start-error.ts'

/** In PostgreSQL's notation. A migration may set another one for itself. */
export const LOCK_TIMEOUT = '5s'

/** A statement that waited for its lock in vain, with who is in the way; any other error comes back as it was. */
export async function lockRefusal(client: pg.ClientBase, error: unknown): Promise<unknown> {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  if ((code ?? cause?.code) !== '55P03') return error
  const { rows } = await client
    .query<{ pid: number; name: string; began: string; query: string }>(
      `select pid, application_name as name, to_char(xact_start, 'HH24:MI:SS') as began, left(query, 80) as query
       from pg_stat_activity where xact_start < now() - interval '${LOCK_TIMEOUT}' and pid <> pg_backend_pid()
         and datname = current_database()
       order by xact_start limit 3`,
    )
    .catch(() => ({ rows: [] }))
  const holders = rows.map(
    ({ pid, name, began, query }) =>
      `\n  pid ${pid}${name && ` (${name})`}, in a transaction since ${began}: ${query}`,
  )
  const refusal = new StartError(
    `The database has to be changed, but others have held what is to be changed for longer than ${LOCK_TIMEOUT} ` +
      `(${(error as Error).message}). The change was given up, so that nobody waits behind it; start again when ` +
      `they are done.${holders.join('')}`,
  )
  refusal.cause = error
  return refusal
}
