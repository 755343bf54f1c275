// The open connections of batching: how many there are, which are shared, and which are at work on a single query.
import { pauseAfter } from '../client.ts'
import { isOutOfConnections, isRestarting } from '../errors.ts'
import { IDLE_TIMEOUT_MS } from '../pool.ts'
import type { BatchedQuery } from './batch.ts'
import { type Connection, type ConnectionEvents, connect } from './connection.ts'

/** Connections that quick queries share at least. */
const MIN_SHARED = 2
/** As many share as it takes for so many queries a second: more than this process can do. */
const MAX_QUERIES_PER_SECOND = 10_000
/** A connection that has been at one batch for longer does not count among those that are shared. */
const STUCK_AFTER_MS = 20
/** After as long on one batch, its queries and those behind it go elsewhere. */
export const RESCUE_AFTER_MS = 50
/** After a connection that could not be opened, none is tried for so long. */
const OPEN_PAUSE_MS = 250
/** Connections that stay open though nobody needs them: with none, a server could wait for longer than its callers. */
const MIN_OPEN = 1

export interface ConnectionSetOptions {
  url: string
  /** As which the connections are seen in pg_stat_activity. */
  name: string
  /** Most connections that are opened. */
  max: number
  /** Of these, how many are never shared. */
  apart: number
  /** Whether requests wait for a PostgreSQL that restarts. */
  waitsForRestarts: boolean
  /** The events of each connection, in addition to the set's own handling. */
  events: ConnectionEvents
  /** After each attempt at opening a connection, whether it succeeded or not. */
  onAttempted(): void
  /** No connection is open and none could be opened; `waits` where one may be free in a moment. */
  onNoneOpen(error: Error, waits: boolean): void
}

export class ConnectionSet implements Iterable<Connection> {
  /** Why no connection could be opened, while PostgreSQL restarts. */
  away: Error | null = null
  private readonly connections: Connection[] = []
  /** At work on a query that has to be alone. */
  private readonly alone = new Set<Connection>()
  private readonly options: ConnectionSetOptions
  private readonly idleWatch = setInterval(() => this.closeIdle(), IDLE_TIMEOUT_MS / 10).unref()
  private opening = 0
  private openAgain = 0
  private failures = 0
  private ended = false

  constructor(options: ConnectionSetOptions) {
    this.options = options
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.connections.values()
  }

  counts(): { open: number; idle: number } {
    const idle = this.connections.filter(({ waiting }) => waiting === 0).length
    return { open: this.connections.length, idle }
  }

  /** How many connections should share queries of which the slowest takes `slowestMs`. */
  widthFor(slowestMs: number): number {
    const { max, apart } = this.options
    const needed = Math.ceil((slowestMs / 1000) * MAX_QUERIES_PER_SECOND)
    return Math.max(Math.min(Math.max(needed, MIN_SHARED), max - apart), 1)
  }

  /** The first ones that are neither alone at work nor stuck. */
  shared(width: number): Connection[] {
    const now = performance.now()
    const found: Connection[] = []
    for (const connection of this.connections) {
      if (found.length === width) break
      const { waiting, headSince } = connection
      if (this.alone.has(connection) || (waiting > 0 && now - headSince > STUCK_AFTER_MS)) continue
      found.push(connection)
    }
    return found
  }

  /** How many more queries may have a connection to themselves. One connection is left for quick queries. */
  roomForAlone(): number {
    return Math.max(this.options.max - 1, 1) - this.stuck() - this.alone.size
  }

  /** Sends the query on a connection that is idle; false where there is none. */
  sendAlone(query: BatchedQuery): boolean {
    // From the end, where the shared ones are not.
    const connection = this.connections.findLast((one) => one.waiting === 0 && !this.alone.has(one))
    if (!connection) return false
    this.alone.add(connection)
    connection.add([query])
    connection.flush()
    return true
  }

  /** Opens so many more, where the bounds and the pause after a failure allow it. */
  open(wanted: number): void {
    const { max } = this.options
    const mayOpen = () => this.connections.length + this.opening < max && performance.now() >= this.openAgain
    while (this.opening < wanted && mayOpen()) this.openOne()
  }

  async end(): Promise<void> {
    this.ended = true
    clearInterval(this.idleWatch)
    await Promise.all(this.connections.splice(0).map((connection) => connection.end().catch(() => {})))
  }

  /** Shared ones that are held up by something that was taken to be quick. */
  private stuck(): number {
    const now = performance.now()
    const isStuck = (connection: Connection) =>
      !this.alone.has(connection) && connection.waiting > 0 && now - connection.headSince > RESCUE_AFTER_MS
    return this.connections.filter(isStuck).length
  }

  private openOne(): void {
    const { url, name, onAttempted } = this.options
    this.opening++
    connect(url, name, (connection) => this.eventsOf(connection))
      .then((connection) => {
        this.failures = 0
        this.away = null
        if (this.ended) return connection.end()
        this.connections.push(connection)
      })
      .catch((error: Error) => this.failedToOpen(error))
      .finally(() => {
        this.opening--
        onAttempted()
      })
  }

  private failedToOpen(error: Error): void {
    const restarts = this.options.waitsForRestarts && isRestarting(error)
    const waits = restarts || isOutOfConnections(error)
    if (restarts) this.away = error
    this.openAgain = performance.now() + (waits ? pauseAfter(this.failures++) : OPEN_PAUSE_MS)
    if (this.connections.length === 0) this.options.onNoneOpen(error, waits)
  }

  private eventsOf(connection: () => Connection): ConnectionEvents {
    const { events } = this.options
    return {
      ...events,
      onFree: () => {
        if (connection().waiting === 0) this.alone.delete(connection())
        events.onFree()
      },
      onLost: (queries, error) => {
        this.forget(connection())
        events.onLost(queries, error)
      },
    }
  }

  private forget(connection: Connection): void {
    const at = this.connections.indexOf(connection)
    if (at >= 0) this.connections.splice(at, 1)
    this.alone.delete(connection)
  }

  private closeIdle(): void {
    const now = performance.now()
    for (const connection of [...this.connections]) {
      if (this.connections.length <= MIN_OPEN) return
      if (connection.waiting > 0 || now - connection.lastUsed < IDLE_TIMEOUT_MS) continue
      // Out of the list at once, so that nothing is sent to it any more.
      this.forget(connection)
      void connection.end().catch(() => {})
    }
  }
}
