// The server's own connections to PostgreSQL: one pool as the platform's owner, and transactions on it.
import type pg from 'pg'
import { isOutOfConnections } from './client.ts'
import { openPool } from './pool.ts'

/** Anything that can run one statement: a pool, or the client of a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

export interface Database {
  /** Connection URL of the platform's owner. */
  url: string
  /** As the platform's owner, who bypasses row-level security. */
  pool: pg.Pool
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Most connections this pool opens. */
  max?: number
  /** Connections that stay open though nobody needs them; 1 by default. */
  keep?: number
  /** As which they are seen in pg_stat_activity. */
  name?: string
  /** PostgreSQL's settings for these connections, on top of what the role has. */
  settings?: Record<string, string>
  /** Called for each failure of an idle connection, which is dropped and needs no other answer. */
  onIdleError?: (error: Error) => void
}

/** A pool on `url`. Opens no connection yet, so it does not throw when the database is away. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { max = 10, name = 'meadowlark', onIdleError, ...more } = options
  const pool = openPool(url, { max, name, ...more })
  pool.on('error', (error) => onIdleError?.(error))
  return {
    url,
    pool,
    transaction: (work) => transaction(pool, work),
    close: () => pool.end(),
  }
}

async function transaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    // A connection that could not even roll back is closed, not reused.
    client.release(broken)
  }
}

/** True for failures that mean "the database is away just now", after which trying again is right. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: string }).code ?? ''
  // Class 08: connection failures. 57P01-57P03: shutting down, crashed, starting up. 53000-53300: no memory, disk or
  // connection left.
  if (/^08|^57P0[123]$|^53[0-3]00$/.test(code) || isOutOfConnections(error)) return true
  return NETWORK_FAILURES.includes(code) || OWN_WORDS.test(error.message)
}

const NETWORK_FAILURES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]

/** What pg says of connections that are lost, not to be had or given up. */
const OWN_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Query read timeout|use a pool after calling end/
