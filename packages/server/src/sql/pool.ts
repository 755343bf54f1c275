// A pool of pg that waits if PostgreSQL has no free connection. While other servers hold them all, or while
// PostgreSQL restarts, requests queue for the pool's connections and for the next free one, until their time is over.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Client, CONNECT_TIMEOUT_MS, pauseAfter } from './client.ts'
import { isOutOfConnections, isRestarting, wasNotSent } from './errors.ts'

export interface PoolOptions {
  /** Most connections it opens. */
  max: number
  /** Connections that stay open though nobody needs them, 1 by default: with none, it could wait longer than its callers. */
  keep?: number
  /** As which they are seen in pg_stat_activity. */
  name: string
  /** Milliseconds for which requests wait for a PostgreSQL that restarts; 0 by default, CONNECT_TIMEOUT_MS at most. */
  reconnectTimeoutMs?: number
  /** PostgreSQL's settings for these connections, on top of what the role has. */
  settings?: Record<string, string>
}

/** A connection that nobody needs for so long is given back to the database. */
export const IDLE_TIMEOUT_MS = 5_000

/** Between an attempt of a statement and the next one. */
const REPEAT_PAUSE_MS = 25

/** As many may wait for a PostgreSQL that restarts. */
const MAX_WAITING = 1000

/** A pool on `url`. Opens no connection yet, so it does not throw when the database is away. */
export function openPool(
  url: string,
  { max, name, keep = 1, reconnectTimeoutMs = 0, settings = {} }: PoolOptions,
): pg.Pool {
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
  const pool = new RetryingPool(options as unknown as pg.PoolConfig, reconnectTimeoutMs)
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

const TIME_OVER = /timeout exceeded when trying to connect/

const inherited = pg.Pool.prototype as unknown as PgPool

type OnConnect = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void

/** Emits 'away' when PostgreSQL is found to be away. */
class RetryingPool extends pg.Pool {
  /** Why the last connection was refused by a PostgreSQL that restarts; null when one was opened since. */
  away: Error | null = null
  /** When the first of these connections was refused (performance.now()); null while the last connection was opened. */
  awaySince: number | null = null
  private failures = 0
  /** Runs while no connection is tried, because the last one was refused. */
  private pause: NodeJS.Timeout | null = null
  private readonly reconnectTimeoutMs: number

  constructor(config: pg.PoolConfig, reconnectTimeoutMs: number) {
    super(config)
    this.reconnectTimeoutMs = reconnectTimeoutMs
  }

  private get internals(): PgPool {
    return this as unknown as PgPool
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has it with a callback, and without.
  override connect(onConnect?: OnConnect): any {
    const { away } = this
    if (away && this.waitingCount >= MAX_WAITING) {
      return onConnect ? onConnect(away, undefined, () => {}) : Promise.reject(away)
    }
    // That the time is over is no reason: what it was waited for is.
    const why = (error: Error) => (TIME_OVER.test(error.message) ? (this.away ?? error) : error)
    if (!onConnect)
      return super.connect().catch((error) => {
        throw why(error)
      })
    super.connect((error, client, done) => onConnect(error && why(error), client, done))
  }

  /**
   * A statement by itself goes on after a restart of PostgreSQL where nothing of it was sent, or where it only reads: then
   * it runs once more in a transaction that refuses to write.
   */
  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen overloads; only those that resolve are repeated.
  override query(...given: any[]): any {
    const ask = (): Promise<unknown> => (super.query as (...given: unknown[]) => Promise<unknown>)(...given)
    const isRepeated = this.reconnectTimeoutMs > 0 && given.length <= 2 && typeof given[1] !== 'function'
    if (!isRepeated || typeof given[0]?.submit === 'function') return ask()
    return this.repeated(ask, given)
  }

  private async repeated(ask: () => Promise<unknown>, given: unknown[]): Promise<unknown> {
    const until = performance.now() + this.reconnectTimeoutMs
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (!isRestarting(error) || this.ending || performance.now() > until) throw error
        if (!wasNotSent(error)) return this.readOnly(given, error)
      }
      await sleep(REPEAT_PAUSE_MS)
    }
  }

  /** Rejects with `why` where the statement writes, or cannot be run again. */
  private async readOnly(given: unknown[], why: unknown): Promise<unknown> {
    await sleep(REPEAT_PAUSE_MS)
    const client = (await this.connect()) as pg.PoolClient
    let broken: Error | undefined
    try {
      await client.query('begin read only')
      const result = await (client.query as (...given: unknown[]) => Promise<unknown>)(...given)
      await client.query('commit')
      return result
    } catch {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw why
    } finally {
      client.release(broken)
    }
  }

  /** Refuses connections to callers that still wait. */
  // biome-ignore lint/suspicious/noExplicitAny: pg has it with a callback, and without.
  override end(...given: any[]): any {
    if (this.pause) clearTimeout(this.pause)
    this.pause = null
    for (const pending of this.internals._pendingQueue.splice(0)) {
      clearTimeout(pending.timer)
      pending.timedOut = true
      pending.callback(new Error('Connection terminated: the server stops'))
    }
    return (super.end as (...given: unknown[]) => unknown)(...given)
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
        if (error && !this.ending && this.waitsAfter(error, pending)) return this.putBack(pending, error)
        if (!error) {
          this.failures = 0
          this.away = null
          this.awaySince = null
        }
        clearTimeout(pending.timer)
        pending.callback(error, client, release)
      },
    } as Pending)
  }

  private waitsAfter(error: Error, { since }: Pending): boolean {
    if (isOutOfConnections(error)) return true
    if (this.reconnectTimeoutMs === 0 || !isRestarting(error)) return false
    this.away = error
    this.awaySince ??= performance.now()
    this.emit('away')
    return since === undefined || performance.now() - since < this.reconnectTimeoutMs
  }

  private putBack(pending: Pending, error: Error): void {
    const queue = this.internals._pendingQueue
    if (pending.since === undefined) {
      pending.since = performance.now()
      const timeoutMs = isOutOfConnections(error) ? CONNECT_TIMEOUT_MS : this.reconnectTimeoutMs
      pending.timer = setTimeout(() => {
        if (pending.timedOut) return
        const at = queue.indexOf(pending)
        if (at < 0) return
        queue.splice(at, 1)
        pending.timedOut = true
        pending.callback(this.away ?? new Error('timeout exceeded when trying to connect'))
      }, timeoutMs)
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
      pauseAfter(this.failures++),
    )
  }
}

/** Whether PostgreSQL was away when the pool last tried, and calls `onAway` when it next finds that it is. */
export function watchAway(pool: pg.Pool, onAway: () => void): { away: boolean; end(): void } {
  const emitter = pool as unknown as NodeJS.EventEmitter
  emitter.once('away', onAway)
  return {
    away: pool instanceof RetryingPool && pool.away !== null,
    end: () => emitter.off('away', onAway),
  }
}

/** Since when (performance.now()) the pool has found PostgreSQL away; null when its last connection was opened. */
export function awaySince(pool: pg.Pool): number | null {
  return pool instanceof RetryingPool ? pool.awaySince : null
}
