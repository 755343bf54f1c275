// Decides which waiting query leaves on which connection, and when. Quick reads that arrive together leave in one
// batch; all other queries have a connection to themselves. Statements stuck behind a slow one are sent again
// elsewhere.
import { endedSilently, isRestarting } from '../errors.ts'
import { isQuick, isReliable, type LatencyEstimate } from '../latency.ts'
import { MAX_REPEATS } from '../reconnect.ts'
import type { BatchedQuery } from './batch.ts'
import type { Connection } from './connection.ts'
import { ConnectionSet, RESCUE_AFTER_MS } from './connection-set.ts'
import { kindOf, type Queued, takeQuick } from './queued.ts'

/** Queries in a batch at most, and at least where there are as many. */
const MAX_BATCH = 12
const MIN_BATCH = 4
/** All of a batch together usually take at most so long: the first one's answer comes with the last one's. */
const MAX_BATCH_MS = 5
/** The same where more wait than leave at once: then they wait for their turn, not for their batch. */
const MAX_BATCH_MS_IN_BACKLOG = 20
/** After as long, what was never quick counts as held up. */
const HELD_UP_AFTER_MS = 250
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

/** How many connections are at work on one kind of query, and how many of them for too long. */
type KindAtWork = { count: number; late: number }

export class Dispatcher {
  ended = false
  private queue: Queued[] = []
  private scheduled = false
  /** Runs while anything is under way. */
  private watch: NodeJS.Timeout | null = null
  private readonly connections: ConnectionSet
  private readonly max: number
  private readonly waitsForRestarts: boolean

  constructor(
    url: string,
    { max, name, apart = Math.ceil(max / 3), reconnectTimeoutMs = 0 }: BatchingOptions,
  ) {
    this.max = max
    this.waitsForRestarts = reconnectTimeoutMs > 0
    this.connections = new ConnectionSet({
      url,
      name,
      max,
      apart,
      waitsForRestarts: this.waitsForRestarts,
      events: {
        onFree: () => this.schedule(),
        onRetry: (query) => this.retry(query as Queued),
        onSkipped: (queries) => {
          for (const query of queries as Queued[]) this.queue.push({ ...query, apart: true })
          this.schedule()
        },
        onLost: (queries, error) => {
          for (const query of queries as Queued[]) this.repeat(query, error)
        },
      },
      onAttempted: () => this.schedule(),
      // Without any connection nobody else will take what waits; but one may be free again in a moment.
      onNoneOpen: (error, waits) => {
        for (const query of this.queue.splice(waits ? MAX_WAITING_AWAY : 0)) query.reject(error)
      },
    })
    this.connections.open(1)
  }

  add(query: Queued): void {
    this.queue.push(query)
    this.schedule()
  }

  counts(): { open: number; idle: number; waiting: number } {
    return { ...this.connections.counts(), waiting: this.queue.length }
  }

  async end(reason: Error): Promise<void> {
    this.ended = true
    if (this.watch) clearTimeout(this.watch)
    for (const query of this.queue.splice(0)) query.reject(reason)
    await this.connections.end()
  }

  private schedule(): void {
    if (this.scheduled || this.queue.length === 0) return
    this.scheduled = true
    // After the sockets that are readable now have been read: what came together is sent together.
    setImmediate(() => this.flush())
  }

  private flush(): void {
    this.scheduled = false
    this.startWatch()
    const quick: Queued[] = []
    const single: Queued[] = []
    for (const query of this.queue)
      (query.latency && !query.alone && isQuick(query.latency) ? quick : single).push(query)
    const { left, lacking } = single.length > 0 ? this.sendAlone(single) : { left: single, lacking: 0 }
    const needsShared = this.sendShared(quick)
    this.queue = left.length > 0 ? [...left, ...quick] : quick
    this.connections.open(lacking + (needsShared ? 1 : 0))
  }

  /** Takes out and sends what the shared connections can take now; returns whether one more would be of use. */
  private sendShared(quick: Queued[]): boolean {
    let slowest = 0
    for (const { latency } of quick) slowest = Math.max(slowest, latency?.ms ?? 0)
    const width = this.connections.widthFor(slowest)
    const shared = this.connections.shared(width)
    // Queries that arrive while a connection works join its next batch.
    const free = shared.filter(({ waiting }) => waiting === 0)
    const share = Math.min(Math.max(Math.ceil(quick.length / free.length), MIN_BATCH), MAX_BATCH)
    const maxMs = quick.length > free.length * MAX_BATCH ? MAX_BATCH_MS_IN_BACKLOG : MAX_BATCH_MS
    for (const connection of free) {
      if (quick.length === 0) break
      sendTogether(connection, takeQuick(quick, share, maxMs))
    }
    return quick.length > 0 && shared.length < width
  }

  /**
   * Gives queries a connection each; returns those that have to wait, and for how many one more would be of use. One
   * kind of read takes half of the connections at most, and of what takes long a third: a table that is locked, or slow,
   * holds up nothing else.
   */
  private sendAlone(queries: readonly Queued[]): { left: Queued[]; lacking: number } {
    const kinds = kindsAtWork(this.connections)
    let room = this.connections.roomForAlone()
    let lacking = 0
    const left = queries.filter((query) => {
      const kind = kindIn(kinds, query)
      if (kind.late >= Math.max(this.max / 3, 1)) return true
      if (query.latency && kind.count >= Math.max(this.max / 2, 1)) return true
      if (room <= 0) return true
      kind.count++
      if (!this.connections.sendAlone(query)) {
        lacking++
        return true
      }
      room--
      return false
    })
    return { left, lacking: Math.min(lacking, room) }
  }

  /** Repeats a query that changes nothing after a restart of PostgreSQL. */
  private repeat(query: Queued, error: Error): void {
    const waits = this.waitsForRestarts && query.mark === null && isRestarting(error)
    const tooLate = query.repeats > MAX_REPEATS || performance.now() > query.until
    if (!waits || this.ended || tooLate) query.reject(error)
    else this.add({ ...query, repeats: query.repeats + (endedSilently(error) ? 1 : 0) })
  }

  private retry(query: Queued): void {
    if (query.retries++ >= MAX_RETRIES) query.reject(new Error('The statement cannot be prepared'))
    else this.add(query)
  }

  private startWatch(): void {
    this.watch ??= setTimeout(() => this.rescue(), RESCUE_AFTER_MS / 2).unref()
  }

  /** Sends elsewhere what takes longer than it should, and refuses what has waited for too long. */
  private rescue(): void {
    this.watch = null
    const now = performance.now()
    let busy = this.queue.length > 0
    for (const connection of this.connections) {
      if (connection.waiting === 0) continue
      busy = true
      if (now - connection.headSince > RESCUE_AFTER_MS)
        for (const query of connection.takeBack() as Queued[]) this.queue.push({ ...query, alone: true })
    }
    this.refuseLate(now)
    if (busy) this.startWatch()
    this.schedule()
  }

  private refuseLate(now: number): void {
    const late = this.queue.filter(({ until }) => now > until)
    if (late.length === 0) return
    this.queue = this.queue.filter((query) => !late.includes(query))
    const reason = this.connections.away ?? new Error('timeout exceeded when trying to connect')
    for (const query of late) query.reject(reason)
  }
}

/** One batch of those that seldom fail; each of the others has a Sync to itself, before them. */
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

function kindsAtWork(connections: Iterable<Connection>): Map<string, KindAtWork> {
  const now = performance.now()
  const kinds = new Map<string, KindAtWork>()
  for (const { headSince, working } of connections) {
    if (!working) continue
    const kind = kindIn(kinds, working)
    kind.count++
    if (now - headSince > (working.latency ? RESCUE_AFTER_MS : HELD_UP_AFTER_MS)) kind.late++
  }
  return kinds
}

function kindIn(kinds: Map<string, KindAtWork>, query: BatchedQuery): KindAtWork {
  const kind = kinds.get(kindOf(query)) ?? { count: 0, late: 0 }
  kinds.set(kindOf(query), kind)
  return kind
}
