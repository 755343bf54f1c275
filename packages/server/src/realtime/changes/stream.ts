// The replication connection: its slot is temporary, so that nothing is left behind when it ends, and it is opened again
// whenever it is lost. Follows
// https://www.postgresql.org/docs/18/protocol-logical-replication.html
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { LogicalReplicationService, type Pgoutput, PgoutputPlugin } from 'pg-logical-replication'
import type pino from 'pino'
import { isUnavailable } from '../../sql/errors.ts'
import { type Attempt, attemptAt, StandbyHost } from '../../sql/hosts.ts'
import { precedingLsn } from './wal.ts'

export interface StreamOptions {
  /** Of the platform's owner, who must have the right to replicate. */
  url: string
  publications: string[]
  log: pino.Logger
  /** Every message of the stream; values are PostgreSQL's text. */
  onMessage(message: Pgoutput.Message): void
  /** The stream runs; `reattached` after it was lost, when changes in between were missed. */
  onAttached(reattached: boolean): void
  /** It ended, and is opened again. */
  onLost(): void
}

export interface ReplicationStream {
  /** Connects, now and after each loss, until stop(). */
  start(): void
  /** Resolves once the stream runs. Rejects with StreamError after `timeoutMs`, or when waiting is pointless. */
  ready(timeoutMs: number): Promise<void>
  readonly attached: boolean
  stop(): Promise<void>
}

/** Why there is no stream, for clients and operators. */
export class StreamError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StreamError'
  }
}

const CONNECT_TIMEOUT_MS = 10_000
const ACKNOWLEDGE_INTERVAL_MS = 10_000
const IDLE_TIMEOUT_MS = 30_000
/** A slot is created at once unless older transactions are open. */
const SLOT_TIMEOUT_MS = 2_000
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 2_000

/** The text of values must not depend on the role's settings. */
const SESSION = '-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1 -c bytea_output=hex'

/**
 * pgoutput that creates its slot before it reads, on a host that can be written to, and leaves values as the text that
 * PostgreSQL sent.
 */
function textPlugin(publicationNames: string[], { isWatched }: Attempt) {
  const pgoutput = new PgoutputPlugin({ protoVersion: 1, publicationNames })
  return {
    name: pgoutput.name,
    options: pgoutput.options,
    async start(client: Client, slot: string, lsn: string): Promise<unknown> {
      const { rows } = isWatched ? await client.query('select pg_is_in_recovery() as standby') : { rows: [] }
      if (rows[0]?.standby) throw new StandbyHost()
      await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
      return pgoutput.start(client, slot, lsn)
    },
    /** Parses later: what is thrown while the library reads would end the process. */
    parse(buffer: Buffer): () => Pgoutput.Message {
      return () => {
        const message = pgoutput.parse(buffer)
        // The parser keeps this very object and reads the rows that follow with it.
        if (message.tag === 'relation') for (const column of message.columns) column.parser = asText
        return message
      }
    },
  }
}

const asText = (text: string) => text

/** It connects at start(). */
export function createStream(options: StreamOptions): ReplicationStream {
  return new ReconnectingStream(options)
}

/** Whether the stream runs, why not, and who waits for it. */
class ReconnectingStream implements ReplicationStream {
  attached = false
  /** Settle the promises of ready(). */
  private readonly waiting = new Set<() => void>()
  private problem = 'the replication stream has not begun'
  /** The problem goes away only when a setting is changed. */
  private permanent = false
  private service: LogicalReplicationService | null = null
  private running: Promise<void> | null = null
  private readonly stopping = new AbortController()
  private stopped = false
  private attachedBefore = false
  private retryMs = FIRST_RETRY_MS
  private readonly options: StreamOptions

  constructor(options: StreamOptions) {
    this.options = options
  }

  start(): void {
    if (!this.stopped) this.running ??= this.run()
  }

  ready(timeoutMs: number): Promise<void> {
    if (this.attached) return Promise.resolve()
    if (this.permanent) return Promise.reject(new StreamError(this.problem))
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.waiting.delete(settle)
        clearTimeout(timer)
        if (this.attached) resolve()
        else reject(new StreamError(this.stopped ? 'the server stops' : this.problem))
      }
      const timer = setTimeout(settle, timeoutMs)
      this.waiting.add(settle)
    })
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.settleAll()
    this.stopping.abort()
    await this.service?.stop().catch(() => {})
    await this.running
  }

  private settleAll(): void {
    for (const settle of [...this.waiting]) settle()
  }

  private onStart(): void {
    this.attached = true
    this.permanent = false
    this.retryMs = FIRST_RETRY_MS
    if (this.attachedBefore) this.options.log.info('row changes are received again')
    this.options.onAttached(this.attachedBefore)
    this.attachedBefore = true
    this.settleAll()
  }

  /** Reads until the connection ends, and throws why it did. */
  private async read(): Promise<void> {
    const attempt = attemptAt(this.options.url)
    const connection = new LogicalReplicationService(
      {
        connectionString: attempt.connectionString,
        application_name: 'meadowlark-realtime',
        keepAlive: true,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        options: SESSION,
      },
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    )
    this.service = connection
    const slotTimer = setTimeout(() => {
      this.problem =
        'PostgreSQL makes the replication slot, for which it waits until older transactions have ended'
    }, SLOT_TIMEOUT_MS)
    let lastMessageAt = performance.now()
    connection.on('error', () => {})
    connection.on('start', () => {
      clearTimeout(slotTimer)
      this.onStart()
    })
    connection.on('heartbeat', (lsn, _time, replyRequested) => {
      lastMessageAt = performance.now()
      if (replyRequested) acknowledge(connection, lsn)
    })
    connection.on('data', (_lsn, parse: () => Pgoutput.Message) => {
      lastMessageAt = performance.now()
      try {
        this.options.onMessage(parse())
      } catch (error) {
        this.options.log.error({ err: error }, 'the replication stream could not be read, and is recreated')
        void connection.stop()
      }
    })
    // Acknowledged log may be recycled. The slot ends with this connection, so nothing is read twice.
    const timer = setInterval(() => {
      if (!this.attached) return
      if (performance.now() - lastMessageAt > IDLE_TIMEOUT_MS) void connection.stop()
      else acknowledge(connection, connection.lastLsn(), true)
    }, ACKNOWLEDGE_INTERVAL_MS)
    timer.unref()
    try {
      await connection.subscribe(
        textPlugin(this.options.publications, attempt),
        `meadowlark_realtime_${randomBytes(8).toString('hex')}`,
      )
      throw new Error('the replication connection ended')
    } catch (error) {
      attempt.failed(error as Error)
      throw error
    } finally {
      clearInterval(timer)
      clearTimeout(slotTimer)
      if (this.attached && !this.stopped) this.options.onLost()
      this.attached = false
      await connection.destroy().catch(() => {})
    }
  }

  private async run(): Promise<void> {
    let logged = ''
    while (!this.stopped) {
      try {
        await this.read()
      } catch (error) {
        if (this.stopped) return
        this.problem = explain(error as Error)
        this.permanent = this.problem === WAL_LEVEL_TOO_LOW || (error as { code?: string }).code === '42501'
        if (this.permanent) this.settleAll()
        if (this.problem !== logged) this.options.log.warn(`row changes are not received: ${this.problem}`)
        logged = this.attachedBefore ? '' : this.problem
      }
      await sleep(this.retryMs, undefined, { ref: false, signal: this.stopping.signal }).catch(() => {})
      this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS)
    }
  }
}

/**
 * Tells PostgreSQL that everything up to `lsn` was received, and exactly that: a fast shutdown waits until what was
 * acknowledged equals what was sent, and the library adds one to what it is given.
 */
function acknowledge(service: LogicalReplicationService, lsn: string, ping = false): void {
  const preceding = precedingLsn(lsn)
  if (preceding) void service.acknowledge(preceding, ping)
}

/** Why there is no stream, with the setting that helps. */
function explain(error: Error & { code?: string }): string {
  const { code, message } = error
  if (/wal_level/.test(message)) return WAL_LEVEL_TOO_LOW
  if (code === '53400') return `${message}: every server holds one; raise max_replication_slots`
  if (/max_wal_senders/.test(message)) return `${message}: every server needs one; raise max_wal_senders`
  if (code === '42501') return `${message}: run "alter role … replication" for the role of DATABASE_URL`
  if (isUnavailable(error)) return `the database is away (${message})`
  return message
}

export const WAL_LEVEL_TOO_LOW =
  "the database's wal_level is not logical; run \"alter system set wal_level = 'logical'\" and restart PostgreSQL"
