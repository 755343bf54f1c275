// Connections to PostgreSQL: the owner's own queries and transactions, and what callers do, as them.
import type pg from 'pg'
import { type AsCaller, asCaller } from './as-caller.ts'
import { type Client, withClient } from './client.ts'
import type { CommitMark } from './commit-mark.ts'
import { queryTogether, type Statement } from './pipeline.ts'
import { openPool } from './pool.ts'
import { throughRestarts } from './reconnect.ts'
import type { Settings } from './roles.ts'
import { inTransactionSpan } from './transaction-span.ts'

export interface Database {
  /** Connection URL, with the role that signs in. */
  url: string
  /** As the role that signed in; the platform's owner bypasses row-level security. */
  pool: pg.Pool
  /** SQL in a caller's role, with `settings` for one transaction; null is the platform itself. */
  as(caller: { role: string } | null, settings?: Settings): AsCaller
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. The statements that it
   * passes to `begin` are sent along with BEGIN; `work` gets the rows of each. The statements that it adds to `last`
   * are sent along with COMMIT. Where PostgreSQL restarts before it was committed, `work` runs once more from its
   * beginning.
   */
  transaction<T>(
    work: (client: pg.PoolClient, begun: pg.QueryResultRow[][], last: Statement[]) => Promise<T>,
    begin?: readonly Statement[],
  ): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Most connections this pool opens. */
  max?: number
  /** Connections that stay open though nobody needs them; 1 by default. */
  keep?: number
  /** Milliseconds for which requests wait for a PostgreSQL that restarts; 0 by default, 10 000 at most. */
  reconnectTimeoutMs?: number
  /** As which they are seen in pg_stat_activity. */
  name?: string
  /** PostgreSQL's settings for these connections, on top of what the role has. */
  settings?: Record<string, string>
  /** Called for each failure of an idle connection, which is dropped and needs no other answer. */
  onIdleError?: (error: Error) => void
}

/** The database as the platform's owner. Opens no connection yet, so it does not throw when the database is away. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  return open(url, { name: 'meadowlark', ...options }, true)
}

/**
 * The database as `authenticator`, who may become anon, authenticated, service_role and what the project granted it, and
 * is nothing by itself. It signs in with the owner's password, as all service roles of a self-hosted Supabase do.
 */
export function openRequestDatabase(
  ownerUrl: string,
  { login, ...options }: DatabaseOptions & { login?: string } = {},
): Database {
  return open(requestUrl(ownerUrl, login), { name: 'meadowlark-requests', ...options }, false)
}

/** The owner's connection URL with `login`, which apiLogin() gives, in its place. */
export function requestUrl(ownerUrl: string, login = 'authenticator'): string {
  const url = new URL(ownerUrl)
  // Takes precedence over a user before the host.
  url.searchParams.set('user', login)
  return url.href
}

/** Whom a connection URL that requestUrl() gave signs in. */
export function loginOf(url: string): string {
  return new URL(url).searchParams.get('user') ?? 'authenticator'
}

function open(
  url: string,
  { max = 10, name, onIdleError, ...more }: DatabaseOptions & { name: string },
  ofOwner: boolean,
): Database {
  const pool = openPool(url, { max, name, ...more })
  const { reconnectTimeoutMs = 0 } = more
  pool.on('error', (error) => onIdleError?.(error))
  return {
    url,
    pool,
    as: (caller, settings = {}) =>
      asCaller({ pool, role: caller?.role ?? null, settings, ofOwner, reconnectTimeoutMs }),
    async transaction(work, begin = []) {
      const attempt = {
        run: (mark: CommitMark, until?: number) =>
          withClient(
            pool,
            async (client) => {
              const [, ...begun] = await queryTogether(client, [{ text: 'begin' }, ...begin])
              const last: Statement[] = []
              const result = await work(client, begun, last)
              mark.result = result
              mark.sentOn((client as pg.PoolClient & Partial<Client>).wire ?? null)
              await queryTogether(client, [...last, mark.statement, { text: 'commit' }])
              return result
            },
            { transaction: true, until },
          ),
        kept: ({ result }: CommitMark) => result as Awaited<ReturnType<typeof work>>,
      }
      return inTransactionSpan(null, () =>
        throughRestarts(pool, attempt, performance.now() + reconnectTimeoutMs),
      )
    },
    async close() {
      await pool.end()
    },
  }
}
