// The replication connection: a temporary slot made on the connection that reads it, so that nothing is left behind
// when it goes, and a new one whenever it is lost. Follows
// https://www.postgresql.org/docs/18/protocol-logical-replication.html
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { LogicalReplicationService, type Pgoutput, PgoutputPlugin } from 'pg-logical-replication'
import type pino from 'pino'
import { isUnavailable } from '../../sql/database.ts'
import { precedingLsn } from './wal.ts'

export interface StreamOptions {
  /** Of the platform's owner, who must have the right to replicate. */
  url: string
  publications: string[]
  log: pino.Logger
  /** Every message of the stream; values are PostgreSQL's text. */
  onMessage(message: Pgoutput.Message): void
  /** The stream runs; `again` after it was lost, when changes in between went unheard. */
  onAttached(again: boolean): void
  /** It ended, and is being made anew. */
  onLost(): void
}

export interface ReplicationStream {
  /** Connects, now and after each loss, until stop(). */
  start(): void
  /** Whether changes are heard at this moment. */
  readonly attached: boolean
  /** Resolves once the stream runs. Rejects with StreamError after `patience` milliseconds, or when waiting is idle. */
  ready(patience: number): Promise<void>
  stop(): Promise<void>
}

/** Why there is no stream, in words for who can change it. */
export class StreamError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StreamError'
  }
}

const ACKNOWLEDGE_EVERY = 10_000
const SILENCE = 30_000
/** A slot is made at once unless somebody's transaction is in the way. */
const SLOW = 2_000
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 2_000

/** Values must not depend on how somebody configured the role. */
const SESSION = '-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1 -c bytea_output=hex'

/** pgoutput, which makes its own slot before it reads and leaves values as the text that PostgreSQL sent. */
function textPlugin(publicationNames: string[]) {
  const pgoutput = new PgoutputPlugin({ protoVersion: 1, publicationNames })
  return {
    name: pgoutput.name,
    options: pgoutput.options,
    async start(client: Client, slot: string, lsn: string): Promise<unknown> {
      await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`)
      return pgoutput.start(client, slot, lsn)
    },
    /** Puts the reading off: what is thrown while the library reads would end the process. */
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

/** Makes the stream; it connects at start(). */
export function createStream(options: StreamOptions): ReplicationStream {
  const { url, publications, log, onMessage, onAttached, onLost } = options
  const waiting = new Set<() => void>()
  let problem = 'the replication stream has not begun'
  /** The problem goes away only when somebody changes a setting. */
  let lasting = false
  let service: LogicalReplicationService | null = null
  let running: Promise<void> | null = null
  const end = new AbortController()
  let stopped = false
  let attached = false
  let before = false
  let pause = FIRST_PAUSE

  function onStart(): void {
    attached = true
    lasting = false
    pause = FIRST_PAUSE
    if (before) log.info('row changes are heard again')
    onAttached(before)
    before = true
    for (const settle of [...waiting]) settle()
  }

  /** Reads until the connection ends, and throws why it did. */
  async function read(): Promise<void> {
    const one = new LogicalReplicationService(
      {
        connectionString: url,
        application_name: 'meadowlark-realtime',
        keepAlive: true,
        connectionTimeoutMillis: 10_000,
        options: SESSION,
      },
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    )
    service = one
    const slow = setTimeout(() => {
      problem =
        'PostgreSQL makes the replication slot, for which it waits until older transactions have ended'
    }, SLOW)
    let heard = Date.now()
    one.on('error', () => {})
    one.on('start', () => {
      clearTimeout(slow)
      onStart()
    })
    one.on('heartbeat', (lsn, _time, wanted) => {
      heard = Date.now()
      if (wanted) acknowledge(one, lsn)
    })
    one.on('data', (_lsn, read: () => Pgoutput.Message) => {
      heard = Date.now()
      try {
        onMessage(read())
      } catch (error) {
        log.error({ err: error }, 'the replication stream could not be read, and is made anew')
        void one.stop()
      }
    })
    // What is acknowledged may be recycled: the slot never outlives this connection, so nothing is read twice.
    const timer = setInterval(() => {
      if (!attached) return
      if (Date.now() - heard > SILENCE) void one.stop()
      else acknowledge(one, one.lastLsn(), true)
    }, ACKNOWLEDGE_EVERY)
    timer.unref()
    try {
      await one.subscribe(textPlugin(publications), `meadowlark_realtime_${randomBytes(8).toString('hex')}`)
      throw new Error('the replication connection ended')
    } finally {
      clearInterval(timer)
      clearTimeout(slow)
      if (attached && !stopped) onLost()
      attached = false
      await one.destroy().catch(() => {})
    }
  }

  async function run(): Promise<void> {
    let told = ''
    while (!stopped) {
      try {
        await read()
      } catch (error) {
        if (stopped) return
        problem = explain(error as Error)
        lasting = problem === WAL_LEVEL || (error as { code?: string }).code === '42501'
        if (lasting) for (const settle of [...waiting]) settle()
        if (problem !== told) log.warn(`row changes are not heard: ${problem}`)
        told = before ? '' : problem
      }
      await sleep(pause, undefined, { ref: false, signal: end.signal }).catch(() => {})
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  return {
    get attached() {
      return attached
    },
    start() {
      if (!stopped) running ??= run()
    },
    ready(patience) {
      if (attached) return Promise.resolve()
      if (lasting) return Promise.reject(new StreamError(problem))
      return new Promise((resolve, reject) => {
        const settle = () => {
          waiting.delete(settle)
          clearTimeout(timer)
          if (attached) resolve()
          else reject(new StreamError(stopped ? 'the server stops' : problem))
        }
        const timer = setTimeout(settle, patience)
        waiting.add(settle)
      })
    },
    async stop() {
      stopped = true
      for (const settle of [...waiting]) settle()
      end.abort()
      await service?.stop().catch(() => {})
      await running
    },
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

/** What stands in the way, with the setting that removes it. */
function explain(error: Error & { code?: string }): string {
  const { code, message } = error
  if (/wal_level/.test(message)) return WAL_LEVEL
  if (code === '53400') return `${message}: every server holds one; raise max_replication_slots`
  if (/max_wal_senders/.test(message)) return `${message}: every server needs one; raise max_wal_senders`
  if (code === '42501') return `${message}: run "alter role … replication" for the role of DATABASE_URL`
  if (isUnavailable(error)) return `the database is away (${message})`
  return message
}

/** What is wrong with a database that keeps too little in its log. */
export const WAL_LEVEL =
  "the database's wal_level is not logical; run \"alter system set wal_level = 'logical'\" and restart PostgreSQL"
