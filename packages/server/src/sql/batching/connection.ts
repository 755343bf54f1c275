// One connection that is sent batch after batch, as many as are to leave in one write. PostgreSQL answers them in the
// order in which they came. https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import type { Socket } from 'node:net'
import pg from 'pg'
import { CONNECT_TIMEOUT_MS, KEEP_ALIVE, type Session, sessionOf, streamOf } from '../client.ts'
import { isStalePlan } from '../errors.ts'
import { attemptAt } from '../hosts.ts'
import { markSlow } from '../latency.ts'
import { Prepared } from '../prepared.ts'
import { answerTimeout, ResponseTimeout } from '../response-timeout.ts'
import { Batch, type BatchedQuery } from './batch.ts'
import { MessageReader, readError, readRow } from './messages.ts'

const MESSAGE = { ERROR: 0x45, ROW: 0x44, COMPLETE: 0x43, EMPTY: 0x49, READY: 0x5a } as const
/** The transaction status in a Sync's answer when no transaction is open. */
const NO_TRANSACTION = 0x49

export type ConnectionEvents = {
  /** After each answer, and when the connection is lost. */
  onFree(): void
  /** PostgreSQL refused the query before it did anything. */
  onRetry(query: BatchedQuery): void
  /** Queries that were not run because one before them failed. */
  onSkipped(queries: readonly BatchedQuery[]): void
  /** The connection ended with this error, before these were answered. */
  onLost(queries: readonly BatchedQuery[], error: Error): void
}

/** Opens a connection; rejects with the failure to do so. */
export async function connect(
  url: string,
  name: string,
  events: (connection: () => Connection) => ConnectionEvents,
): Promise<Connection> {
  const attempt = attemptAt(url)
  const client = new pg.Client({
    ...KEEP_ALIVE,
    connectionString: attempt.connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: name,
  })
  client.on('error', () => {})
  attempt.watch(client)
  try {
    await client.connect()
    const connection: Connection = new Connection(
      client,
      await sessionOf(client),
      events(() => connection),
    )
    return connection
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
}

export class Connection {
  /** When the batch that is answered now began to be worked on, by performance.now(). */
  headSince = 0
  lastUsed = performance.now()
  private readonly sent: Batch[] = []
  private readonly outgoing: Buffer[] = []
  private readonly prepared = new Prepared()
  private readonly client: pg.Client
  private readonly wire: Session['wire']
  private readonly stream: Socket
  private readonly events: ConnectionEvents
  private readonly watch: ResponseTimeout
  private failure: Error | null = null

  /**
   * The client is connected and from here on belongs to the connection.
   */
  constructor(client: pg.Client, { statementTimeoutMs, wire }: Session, events: ConnectionEvents) {
    this.client = client
    this.wire = wire
    this.events = events
    this.stream = streamOf(client)
    this.watch = new ResponseTimeout({
      stream: () => this.stream,
      timeoutMs: () => answerTimeout(this.sent[0]?.statementTimeoutMs(statementTimeoutMs) ?? 0),
      address: () => client,
    })
    const reader = new MessageReader((type, bytes, from, to) => this.receive(type, bytes, from, to))
    // pg's own reader turns every message into an object and an event.
    this.stream.removeAllListeners('data')
    this.stream.on('data', (chunk: Buffer) => reader.push(chunk))
    this.stream.on('error', (error) => {
      this.failure ??= error
    })
    this.stream.once('close', () => this.lost())
  }

  /** Batches sent or about to be sent whose answers are still to come. */
  get waiting(): number {
    return this.sent.length
  }

  /** The query that PostgreSQL works on. */
  get working(): BatchedQuery | undefined {
    return this.sent[0]?.working
  }

  /**
   * Adds a batch to what `flush` sends. Several queries have to be such as only read and seldom fail, and nothing may be
   * added behind them before they are answered: a failure leaves their transaction open.
   */
  add(queries: readonly BatchedQuery[]): void {
    const now = performance.now()
    if (this.sent.length === 0) {
      this.headSince = now
      this.watch.begin()
    }
    this.lastUsed = now
    for (const { mark } of queries) mark?.sentOn(this.wire)
    const batch = new Batch(queries)
    this.sent.push(batch)
    this.outgoing.push(...batch.messages(this.prepared))
  }

  /** Sends what was added, in one write. */
  flush(): void {
    const bytes = Buffer.concat(this.outgoing.splice(0))
    if (bytes.length > 0 && this.stream.writable) this.stream.write(bytes)
  }

  /** Gives back all queries but one that is worked on by itself; their answers will be ignored. Only for reads. */
  takeBack(): BatchedQuery[] {
    const [head, ...behind] = this.sent
    if (head?.working?.latency) markSlow(head.working.latency)
    const queries = head?.isShared ? [...head.takeUnanswered()] : []
    for (const batch of behind) queries.push(...batch.takeUnanswered())
    return queries
  }

  async end(): Promise<void> {
    await this.client.end()
  }

  private receive(type: number, bytes: Buffer, from: number, to: number): void {
    const head = this.sent[0]
    if (!head) return
    switch (type) {
      case MESSAGE.ROW:
        head.row(readRow(bytes, from))
        break
      case MESSAGE.COMPLETE:
      case MESSAGE.EMPTY:
        head.completed()
        break
      case MESSAGE.ERROR:
        head.error ??= readError(bytes, from, to)
        break
      case MESSAGE.READY:
        this.answered(head, bytes[from] === NO_TRANSACTION)
        break
    }
  }

  private answered(batch: Batch, idle: boolean): void {
    const now = performance.now()
    const took = now - this.headSince
    this.sent.shift()
    this.headSince = now
    if (this.sent.length === 0) this.watch.end()
    batch.learn(took)
    if (batch.error) this.refused(batch, batch.error, now)
    else batch.ended()
    if (!idle && this.sent.length === 0) {
      this.add([])
      this.flush()
    }
    this.events.onFree()
  }

  private refused(batch: Batch, error: pg.DatabaseError, now: number): void {
    for (const text of batch.unsure()) this.prepared.forget(text)
    const [failing, ...behind] = batch.takeUnanswered()
    if (!failing) return
    if (isStalePlan(error)) {
      // The schema changed under a prepared statement, before it did anything: prepare anew, once.
      this.prepared.forgetAll()
      this.events.onRetry(failing)
    } else {
      if (failing.latency) failing.latency.failedAt = now
      failing.reject(error)
    }
    if (behind.length > 0) this.events.onSkipped(behind)
  }

  private lost(): void {
    this.watch.end()
    const error = this.failure ?? new Error('Connection terminated unexpectedly')
    const batches = this.sent.splice(0)
    const last = batches[0]?.error ?? error
    this.events.onLost(
      batches.flatMap((batch) => batch.takeUnanswered()),
      last,
    )
    this.events.onFree()
  }
}
