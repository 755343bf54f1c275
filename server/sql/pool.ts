// A pool of pg that waits where PostgreSQL has no connection to give: while other servers hold them all, requests queue
// up for those that the pool has, and for the next one that becomes free, until their time is over.
import pg from 'pg'
import { Client, CONNECT_TIMEOUT_MS, pauseAfter } from './client.ts'
import { isOutOfConnections } from './errors.ts'

export interface PoolOptions {
  /** Most connections it opens. */
  max: number
  /** Connections that stay open though nobody needs them, 1 by default: with none, it could wait longer than its callers. */
  keep?: number
  /** As which they are seen in pg_stat_activity. */
  name: string
  /** PostgreSQL's settings for these connections, on top of what the role has. */
  settings?: Record<string, string>
}

/** A connection that nobody needs for so long is given back to the database. */
export const IDLE_TIMEOUT_MS = 5_000

/** A pool on `url`. Opens no connection yet, so it does not throw when the database is away. */
export function openPool(url: string, { max, name, keep = 1, settings = {} }: PoolOptions): pg.Pool {
  const options = {
    connectionString: url,
    max,
    min: keep,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    application_name: name,
    Client,
    async onConnect(client: Client) {
      const names = Object.keys(settings)
      const calls = names.map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, false)`)
      if (names.length > 0) await client.query(`select ${calls}`, Object.entries(settings).flat())
      await client.trustStatementTimeout()
    },
  }
  const pool = new RetryingPool(options as unknown as pg.PoolConfig)
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', () => {})
  // A client in use must not end the process either; its query reports the failure.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Somebody who waits for a connection. */
interface Pending {
  callback(error: Error | undefined, client?: pg.PoolClient, release?: unknown): void
  timedOut?: boolean
  /** When a connection for it was first refused. */
  since?: number
  timer?: NodeJS.Timeout
}

/** The parts of pg-pool that decide when it connects. */
interface PgPool {
  _pendingQueue: Pending[]
  _isFull(): boolean
  _pulseQueue(): void
  newClient(pending: Pending): void
}

const inherited = pg.Pool.prototype as unknown as PgPool

class RetryingPool extends pg.Pool {
  private refusals = 0
  /** Runs while no connection is tried, because the last one was refused. */
  private pause: NodeJS.Timeout | null = null

  private get internals(): PgPool {
    return this as unknown as PgPool
  }

  /** Called by pg-pool: while it is full, requests wait for connections that it has. */
  _isFull(): boolean {
    return this.pause !== null || inherited._isFull.call(this)
  }

  /** Called by pg-pool to connect for `pending`. */
  newClient(pending: Pending): void {
    inherited.newClient.call(this, {
      get timedOut() {
        return pending.timedOut
      },
      callback: (error: Error | undefined, client?: pg.PoolClient, release?: unknown) => {
        if (error && isOutOfConnections(error) && !this.ending) return this.putBack(pending)
        if (!error) this.refusals = 0
        clearTimeout(pending.timer)
        pending.callback(error, client, release)
      },
    } as Pending)
  }

  private putBack(pending: Pending): void {
    const queue = this.internals._pendingQueue
    if (pending.since === undefined) {
      pending.since = performance.now()
      pending.timer = setTimeout(() => {
        if (pending.timedOut) return
        const at = queue.indexOf(pending)
        if (at < 0) return
        queue.splice(at, 1)
        pending.timedOut = true
        pending.callback(new Error('timeout exceeded when trying to connect'))
      }, CONNECT_TIMEOUT_MS)
    }
    // Before all who came later.
    const { since } = pending
    const behind = queue.findIndex((other) => (other.since ?? Number.POSITIVE_INFINITY) > since)
    queue.splice(behind < 0 ? queue.length : behind, 0, pending)
    this.pause ??= setTimeout(
      () => {
        this.pause = null
        this.internals._pulseQueue()
      },
      pauseAfter(this.refusals++),
    )
  }
}
