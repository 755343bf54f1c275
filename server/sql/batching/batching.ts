// Sends queries to PostgreSQL on a few connections. Writing to a connection and being woken by it costs this process
// more than all else it does for a small query, so queries of quick kinds share connections: those that arrive
// together leave in one write and come back in one read. Anything else gets a connection to itself, so nothing waits
// behind what may be slow.

import type { ByteRows } from '../bytes.ts'
import { CONNECT_TIMEOUT_MS, pauseAfter } from '../client.ts'
import type { CommitMark } from '../commit-mark.ts'
import { endedSilently, isOutOfConnections, isRestarting } from '../errors.ts'
import { isQuick, isReliable, type LatencyEstimate } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import { IDLE_TIMEOUT_MS } from '../pool.ts'
import { MAX_REPEATS } from '../reconnect.ts'
import type { BatchedQuery } from './batch.ts'
import { type Connection, type ConnectionEvents, connect } from './connection.ts'
import { kindOf, type Queued, takeQuick } from './queued.ts'

export interface Batching {
  /**
   * Runs `statements` in one transaction and resolves with the rows of each. Rejects with PostgreSQL's error
   * (pg.DatabaseError) or a connection failure (see isUnavailable in errors.ts).
   *
   * `latency` is that of queries of this kind, and only for such as change nothing: they share transactions'
   * frames, and one that turns out to be stuck behind another is sent once more elsewhere. `statementTimeoutMs` is what
   * the statements set for themselves; null where they leave it as the session has it. `mark` is by which is found out
   * how they ended, null for such as change nothing: these are sent again when PostgreSQL restarts. `until` is how long
   * a connection is waited for, by performance.now().
   */
  run(
    statements: readonly Statement[],
    latency: LatencyEstimate | null,
    options?: { statementTimeoutMs?: number | null; mark?: CommitMark | null; until?: number | undefined },
  ): Promise<ByteRows[]>
  /** Connections open, of these idle, and queries waiting for one. */
  counts(): { open: number; idle: number; waiting: number }
  end(): Promise<void>
}

/** Connections that quick queries share at least. */
const MIN_SHARED = 2
/** As many share as it takes for so many queries a second: more than this process can do. */
const MAX_QUERIES_PER_SECOND = 10_000
/** Queries in a batch at most, and at least where there are as many. */
const MAX_BATCH = 12
const MIN_BATCH = 4
/** A connection that has been at one batch for longer does not count among those that are shared. */
const STUCK_AFTER_MS = 20
/** After as long on one batch, its queries and those behind it go elsewhere. */
const RESCUE_AFTER_MS = 50
/** After as long, what was never quick counts as held up. */
const HELD_UP_AFTER_MS = 250
/** After a connection that could not be opened, none is tried for so long. */
const OPEN_PAUSE_MS = 250
/** Connections that stay open though nobody needs them: with none, a server could wait for longer than its callers. */
const MIN_OPEN = 1
const MAX_RETRIES = 1
/** How many may wait while PostgreSQL is away. */
const MAX_WAITING_AWAY = 2000

export interface BatchingOptions {
  /** Most connections that are opened. */
  max: number
  /** Of these, how many are never shared; a third by default. */
  apart?: number
  /** See DatabaseOptions. */
  reconnectTimeoutMs?: number
  /** As which they are seen in pg_stat_activity. */
  name: string
}

export function openBatching(
  url: string,
  { max, name, apart = Math.ceil(max / 3), reconnectTimeoutMs = 0 }: BatchingOptions,
): Batching {
  const connections: Connection[] = []
  /** At work on a query that has to be alone. */
  const alone = new Set<Connection>()
  let queue: Queued[] = []
  let opening = 0
  let scheduled = false
  let ended = false
  let openAgain = 0
  let failures = 0
  /** Why no connection could be opened, while PostgreSQL restarts. */
  let away: Error | null = null
  const idleWatch = setInterval(closeIdle, IDLE_TIMEOUT_MS / 10).unref()
  /** Runs while anything is under way. */
  let watch: NodeJS.Timeout | null = null

  function schedule(): void {
    if (scheduled || queue.length === 0) return
    scheduled = true
    // After the sockets that are readable now have been read: what came together is sent together.
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    watch ??= setTimeout(rescue, RESCUE_AFTER_MS / 2).unref()
    const quick: Queued[] = []
    const single: Queued[] = []
    for (const query of queue)
      (query.latency && !query.alone && isQuick(query.latency) ? quick : single).push(query)
    const { left, lacking } = single.length > 0 ? sendAlone(single) : { left: single, lacking: 0 }
    const width = widthFor(quick)
    const shared = sharedConnections(width)
    // What comes while a connection is at work goes in its next batch.
    const free = shared.filter(({ waiting }) => waiting === 0)
    const share = Math.min(Math.max(Math.ceil(quick.length / free.length), MIN_BATCH), MAX_BATCH)
    for (const connection of free) {
      if (quick.length === 0) break
      sendTogether(connection, takeQuick(quick, share))
    }
    queue = left.length > 0 ? [...left, ...quick] : quick
    const wanted = lacking + (quick.length > 0 && shared.length < width ? 1 : 0)
    while (opening < wanted && connections.length + opening < max && performance.now() >= openAgain) open()
  }

  function sendTogether(connection: Connection, queries: readonly Queued[]): void {
    const now = performance.now()
    const together: Queued[] = []
    for (const query of queries) {
      if (!query.apart && isReliable(query.latency as LatencyEstimate, now)) together.push(query)
      else connection.add([query])
    }
    if (together.length > 0) connection.add(together)
    connection.flush()
  }

  /** How many connections the queries need, by what the slowest of them takes. */
  function widthFor(quick: readonly Queued[]): number {
    let slowest = 0
    for (const { latency } of quick) slowest = Math.max(slowest, latency?.ms ?? 0)
    const needed = Math.ceil((slowest / 1000) * MAX_QUERIES_PER_SECOND)
    return Math.max(Math.min(Math.max(needed, MIN_SHARED), max - apart), 1)
  }

  /** The first ones that are neither taken nor stuck. */
  function sharedConnections(width: number): Connection[] {
    const now = performance.now()
    const found: Connection[] = []
    for (const connection of connections) {
      if (found.length === width) break
      const { waiting, headSince } = connection
      if (alone.has(connection) || (waiting > 0 && now - headSince > STUCK_AFTER_MS)) continue
      found.push(connection)
    }
    return found
  }

  /**
   * Gives queries a connection each; returns those that have to wait, and for how many one more would be of use. One
   * kind of read takes half of the connections at most, and of what takes long a third: a table that is locked, or slow,
   * holds up nothing else.
   */
  function sendAlone(queries: readonly Queued[]): { left: Queued[]; lacking: number } {
    const now = performance.now()
    const atWork = new Map<string, { count: number; late: number }>()
    const of = (query: BatchedQuery) => {
      const kind = atWork.get(kindOf(query)) ?? { count: 0, late: 0 }
      atWork.set(kindOf(query), kind)
      return kind
    }
    for (const { headSince, working } of connections) {
      if (!working) continue
      const kind = of(working)
      kind.count++
      if (now - headSince > (working.latency ? RESCUE_AFTER_MS : HELD_UP_AFTER_MS)) kind.late++
    }
    const maxAlone = connectionsForSlow()
    let lacking = 0
    const left = queries.filter((query) => {
      const kind = of(query)
      if (kind.late >= Math.max(max / 3, 1)) return true
      if (query.latency && kind.count >= Math.max(max / 2, 1)) return true
      if (alone.size >= maxAlone) return true
      const connection = idleConnection()
      kind.count++
      if (!connection) {
        lacking++
        return true
      }
      alone.add(connection)
      connection.add([query])
      connection.flush()
      return false
    })
    return { left, lacking: Math.min(lacking, maxAlone - alone.size) }
  }

  /** One connection is left to what is quick. */
  function connectionsForSlow(): number {
    return Math.max(max - 1, 1) - stuckConnections()
  }

  /** Shared ones that are held up by something that was taken to be quick. */
  function stuckConnections(): number {
    const now = performance.now()
    const isStuck = (connection: Connection) =>
      !alone.has(connection) && connection.waiting > 0 && now - connection.headSince > RESCUE_AFTER_MS
    return connections.filter(isStuck).length
  }

  /** From the end, where the shared ones are not. */
  function idleConnection(): Connection | undefined {
    return connections.findLast((connection) => connection.waiting === 0 && !alone.has(connection))
  }

  function open(): void {
    opening++
    connect(url, name, events)
      .then((connection) => {
        failures = 0
        away = null
        if (ended) return connection.end()
        connections.push(connection)
      })
      .catch((error: Error) => {
        const restarts = reconnectTimeoutMs > 0 && isRestarting(error)
        const waits = restarts || isOutOfConnections(error)
        if (restarts) away = error
        openAgain = performance.now() + (waits ? pauseAfter(failures++) : OPEN_PAUSE_MS)
        // Without any connection nobody else will take what waits; but one may be free again in a moment.
        if (connections.length === 0)
          for (const query of queue.splice(waits ? MAX_WAITING_AWAY : 0)) query.reject(error)
      })
      .finally(() => {
        opening--
        schedule()
      })
  }

  const events = (connection: () => Connection): ConnectionEvents => ({
    onFree: () => {
      if (connection().waiting === 0) alone.delete(connection())
      schedule()
    },
    onRetry: (query) => retry(query as Queued),
    onSkipped: (queries) => {
      for (const query of queries as Queued[]) queue.push({ ...query, apart: true })
      schedule()
    },
    onLost: (queries, error) => {
      forget(connection())
      for (const query of queries as Queued[]) repeat(query, error)
    },
  })

  /** What changes nothing is sent again where PostgreSQL restarts. */
  function repeat(query: Queued, error: Error): void {
    const waits = reconnectTimeoutMs > 0 && query.mark === null && isRestarting(error)
    if (!waits || ended || query.repeats > MAX_REPEATS || performance.now() > query.until) query.reject(error)
    else {
      queue.push({ ...query, repeats: query.repeats + (endedSilently(error) ? 1 : 0) })
      schedule()
    }
  }

  function forget(connection: Connection): void {
    const at = connections.indexOf(connection)
    if (at >= 0) connections.splice(at, 1)
    alone.delete(connection)
  }

  function retry(query: Queued): void {
    if (query.retries++ >= MAX_RETRIES) query.reject(new Error('The statement cannot be prepared'))
    else {
      queue.push(query)
      schedule()
    }
  }

  /** Sends elsewhere what takes longer than it should, and refuses what has waited for too long. */
  function rescue(): void {
    watch = null
    const now = performance.now()
    let busy = queue.length > 0
    for (const connection of connections) {
      if (connection.waiting === 0) continue
      busy = true
      if (now - connection.headSince > RESCUE_AFTER_MS)
        for (const query of connection.takeBack() as Queued[]) queue.push({ ...query, alone: true })
    }
    const late = queue.filter(({ until }) => now > until)
    if (late.length > 0) {
      queue = queue.filter((query) => !late.includes(query))
      for (const query of late) query.reject(away ?? new Error('timeout exceeded when trying to connect'))
    }
    if (busy) watch = setTimeout(rescue, RESCUE_AFTER_MS / 2).unref()
    schedule()
  }

  function closeIdle(): void {
    const now = performance.now()
    for (const connection of [...connections]) {
      if (connections.length <= MIN_OPEN) return
      if (connection.waiting > 0 || now - connection.lastUsed < IDLE_TIMEOUT_MS) continue
      // Out of the list at once, so that nothing is sent to it any more.
      forget(connection)
      void connection.end().catch(() => {})
    }
  }

  open()
  return {
    run: (statements, latency, { statementTimeoutMs = null, mark = null, until } = {}) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(new Error('Connection terminated: the server stops'))
          return
        }
        const waits = { until: until ?? performance.now() + CONNECT_TIMEOUT_MS, retries: 0, repeats: 0 }
        const query = { statements, latency, statementTimeoutMs, mark, resolve, reject }
        queue.push({ ...query, ...waits, alone: false, apart: false })
        schedule()
      }),
    counts: () => ({
      open: connections.length,
      idle: connections.filter(({ waiting }) => waiting === 0).length,
      waiting: queue.length,
    }),
    async end() {
      ended = true
      clearInterval(idleWatch)
      if (watch) clearTimeout(watch)
      for (const query of queue.splice(0)) query.reject(new Error('Connection terminated: the server stops'))
      await Promise.all(connections.splice(0).map((connection) => connection.end().catch(() => {})))
    },
  }
}
