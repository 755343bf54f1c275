// Messages between the servers of one database: NOTIFY on a channel that all of them LISTEN to. A long message is split
// into parts that fit a notification; messages arrive in the order they were published.
// https://www.postgresql.org/docs/18/sql-notify.html
import type pg from 'pg'
import type pino from 'pino'
import { Client, CONNECT_TIMEOUT_MS } from '../../sql/client.ts'

export interface PubSub {
  /** Publishes to every other server. Messages published while the database is away are lost: see onLost. */
  publish(message: string): void
  /** Whether what others publish arrives. */
  readonly listening: boolean
  stop(): Promise<void>
}

export interface PubSubOptions {
  url: string
  /** This server's name: letters and digits. */
  server: string
  log: pino.Logger
  /** Called with another server's message. */
  onMessage: (server: string, message: string) => void
  /** Listening has begun, for the first time or again after the connection was lost. */
  onListening: () => void
  /** Something that was published went nowhere; called once the next message can go. */
  onLost: () => void
}

const CHANNEL = 'meadowlark_realtime'
/** A notification holds just under 8,000 bytes, of which the part's header needs some. */
const MAX_PART_BYTES = 7800
/** Characters that wait to be sent; what exceeds them is dropped, since the database is too slow for it. */
const MAX_QUEUED_CHARACTERS = 64 * 1024 * 1024
/** Characters of one message from another server. */
const MAX_MESSAGE_CHARACTERS = 64 * 1024 * 1024
const MAX_PARTS_PER_QUERY = 200
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 5000
/** Milliseconds that stop() waits for queued messages, and how often it looks. */
const FLUSH_TIMEOUT_MS = 500
const FLUSH_POLL_MS = 25

/** Connects, and again whenever the connection is lost. */
export function openPubSub(options: PubSubOptions): PubSub {
  return new NotifyChannel(options)
}

/** The connection that listens and publishes, and the messages queued for it. */
class NotifyChannel implements PubSub {
  listening = false
  private client: pg.Client | null = null
  private timer: NodeJS.Timeout | null = null
  /** A message went nowhere, and onLost was not called since. */
  private lost = false
  private stopped = false
  private retryMs = FIRST_RETRY_MS
  private sequence = 0
  private flushing = false
  private queue: string[] = []
  private queuedCharacters = 0
  /** Messages of which only the first parts have come, by the server that sends them. */
  private readonly incomplete = new Map<string, { sequence: string; parts: string[]; size: number }>()
  private readonly options: PubSubOptions

  constructor(options: PubSubOptions) {
    this.options = options
    void this.connect()
  }

  private async connect(): Promise<void> {
    const connecting = new Client({
      connectionString: this.options.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'meadowlark-realtime-pubsub',
    })
    connecting.on('error', () => this.onDisconnected(connecting))
    connecting.on('end', () => this.onDisconnected(connecting))
    connecting.on('notification', ({ payload = '' }) => this.receive(payload))
    this.client = connecting
    try {
      await connecting.connect()
      // Losing the last messages in a crash of the database is no harm: it takes the sockets' servers along.
      await connecting.query(`set synchronous_commit = off; listen ${CHANNEL}`)
    } catch (error) {
      this.options.log.debug({ err: error }, 'the other servers of this database cannot be reached')
      return this.onDisconnected(connecting)
    }
    if (this.stopped || this.client !== connecting) return
    this.retryMs = FIRST_RETRY_MS
    this.incomplete.clear()
    this.listening = true
    this.options.onListening()
    this.notifyLost()
  }

  private notifyLost(): void {
    if (!this.lost || !this.listening) return
    this.lost = false
    this.options.onLost()
  }

  private onDisconnected(from: pg.Client): void {
    if (this.client !== from) return
    this.client = null
    this.listening = false
    from.end().catch(() => {})
    if (this.queue.length > 0) this.lost = true
    this.queue = []
    this.queuedCharacters = 0
    if (this.stopped) return
    this.timer = setTimeout(() => this.connect(), this.retryMs)
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2)
  }

  private receive(notification: string): void {
    const [, from, number, index, count, part] =
      /^([a-z0-9]+) (\d+) (\d+)\/(\d+) ([\s\S]*)$/.exec(notification) ?? []
    if (!from || from === this.options.server || part === undefined || number === undefined) return
    if (count === '1') {
      this.options.onMessage(from, part)
      return
    }
    let message = this.incomplete.get(from)
    if (message?.sequence !== number) {
      message = { sequence: number, parts: [], size: 0 }
      this.incomplete.set(from, message)
    }
    message.parts.push(part)
    message.size += part.length
    if (message.size > MAX_MESSAGE_CHARACTERS || message.parts.length !== Number(index)) {
      this.incomplete.delete(from)
      return
    }
    if (index !== count) return
    this.incomplete.delete(from)
    this.options.onMessage(from, Buffer.from(message.parts.join(''), 'base64').toString('utf8'))
  }

  publish(message: string): void {
    if (this.stopped) return
    if (!this.client) {
      this.lost = true
      return
    }
    if (this.queuedCharacters > MAX_QUEUED_CHARACTERS) {
      this.options.log.warn('the database is too slow for the messages between servers: one was dropped')
      this.lost = true
      return
    }
    const parts = split(message)
    this.sequence++
    // Every notification differs from the others: equal ones of a transaction would arrive once.
    for (const [index, part] of parts.entries()) {
      this.queue.push(`${this.options.server} ${this.sequence} ${index + 1}/${parts.length} ${part}`)
      this.queuedCharacters += part.length
    }
    this.flush()
  }

  private async flush(): Promise<void> {
    if (this.flushing) return
    this.flushing = true
    try {
      // Messages of the same tick are published together.
      await null
      while (this.queue.length > 0 && this.client) {
        const batch = this.queue.splice(0, MAX_PARTS_PER_QUERY)
        for (const part of batch) this.queuedCharacters -= part.length
        await this.client.query('select pg_notify($1, part) from unnest($2::text[]) as part', [
          CHANNEL,
          batch,
        ])
      }
      this.notifyLost()
    } catch (error) {
      this.lost = true
      this.options.log.debug({ err: error }, 'a message to the other servers was lost')
    } finally {
      this.flushing = false
    }
  }

  async stop(): Promise<void> {
    // The last message still goes out.
    for (let waited = 0; waited < FLUSH_TIMEOUT_MS; waited += FLUSH_POLL_MS) {
      if (!this.client || (!this.flushing && this.queue.length === 0)) break
      await new Promise((resolve) => setTimeout(resolve, FLUSH_POLL_MS))
    }
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
    const open = this.client
    this.client = null
    await open?.end().catch(() => {})
  }
}

/** A short message goes as it is; a long one as Base64, which can be cut anywhere. */
function split(message: string): string[] {
  if (Buffer.byteLength(message) <= MAX_PART_BYTES) return [message]
  const encoded = Buffer.from(message).toString('base64')
  return Array.from({ length: Math.ceil(encoded.length / MAX_PART_BYTES) }, (_, index) =>
    encoded.slice(index * MAX_PART_BYTES, (index + 1) * MAX_PART_BYTES),
  )
}
