// The server's own connections to PostgreSQL: one pool as the platform's owner, and transactions on it.
import pg from 'pg'

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
  /** Called for each failure of an idle connection, which is dropped and needs no other answer. */
  onIdleError?: (error: Error) => void
}

/** A pool on `url`. Opens no connection yet, so it does not throw when the database is away. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: 'meadowlark',
  })
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', (error) => options.onIdleError?.(error))
  // A client that is lent out must not end the process either; its query reports the failure.
  pool.on('connect', (client) => client.on('error', () => {}))
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
  // Class 08: connection failures. 57P01-57P03: shutting down, crashed, starting up. 53300: no connection left.
  if (/^08|^57P0[123]$|^53300$/.test(code)) return true
  if (['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'].includes(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(error.message)
}
