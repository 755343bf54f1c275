// How long a change of the schema waits for its locks: whatever comes after it, reads too, waits behind it. So it waits
// for a moment, gives way, and tries again: it finds its gap between the parts of a dump and keeps no reader for long.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../cluster/start-error.ts'

/**
 * In PostgreSQL's notation. A migration may set another one for itself. Well below the three seconds that a stranger's
 * statement may take (`statement_timeout` of anon).
 */
export const LOCK_TIMEOUT = '1s'
/** Milliseconds between two attempts, in which those who waited are served. */
const PAUSE_MS = 500
/** Milliseconds after which no other attempt begins. */
const GIVE_UP_AFTER_MS = 10_000

/** Runs `change`, which keeps nothing when it fails, until it has its locks; rejects with its last error. */
export async function withLocks<T>(change: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + GIVE_UP_AFTER_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await change()
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > deadline) throw error
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return (code ?? cause?.code) === '55P03'
}

/**
 * A statement that waited for its lock in vain, with the sessions that block it; any other error comes back as it
 * was.
 */
export async function lockError(client: pg.ClientBase, error: unknown): Promise<unknown> {
  if (!isLockTimeout(error)) return error
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
  const described = new StartError(
    `The database has to be changed, but others have held what is to be changed for longer than ${GIVE_UP_AFTER_MS / 1000}s ` +
      `(${(error as Error).message}). The change was given up, so that nobody waits behind it; start again when ` +
      `they are done.${holders.join('')}`,
  )
  described.cause = error
  return described
}
