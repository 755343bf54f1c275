// Messages between the servers of one database: NOTIFY on a channel that all of them LISTEN to. A long message is split
// into parts that fit a notification; messages arrive in the order they were published.
// https://www.postgresql.org/docs/18/sql-notify.html
import type pg from 'pg'
import type pino from 'pino'
import { Client, CONNECT_TIMEOUT_MS } from '../../sql/client.ts'

export interface PubSub {
  /** Publishes to every other server. What is published while the database is away is lost: see onLost. */
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
  /** What another server published. */
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
/** Milliseconds that stop() waits for what is queued, and how often it looks. */
const FLUSH_TIMEOUT_MS = 500
const FLUSH_POLL_MS = 25

/** Connects, and again whenever the connection is lost. */
export function openPubSub(options: PubSubOptions): PubSub {
  const { url, server, log, onMessage, onListening } = options
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let listening = false
  /** A message went nowhere, and onLost was not called since. */
  let lost = false
  let stopped = false
  let retryMs = FIRST_RETRY_MS
  let sequence = 0
  let flushing = false
  let queue: string[] = []
  let queuedCharacters = 0
  const incomplete = new Map<string, { sequence: string; parts: string[]; size: number }>()

  async function connect(): Promise<void> {
    const connecting = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'meadowlark-realtime-pubsub',
    })
    connecting.on('error', () => onDisconnected(connecting))
    connecting.on('end', () => onDisconnected(connecting))
    connecting.on('notification', ({ payload = '' }) => receive(payload))
    client = connecting
    try {
      await connecting.connect()
      // Losing the last messages in a crash of the database is no harm: it takes the sockets' servers along.
      await connecting.query(`set synchronous_commit = off; listen ${CHANNEL}`)
    } catch (error) {
      log.debug({ err: error }, 'the other servers of this database cannot be reached')
      return onDisconnected(connecting)
    }
    if (stopped || client !== connecting) return
    retryMs = FIRST_RETRY_MS
    incomplete.clear()
    listening = true
    onListening()
    notifyLost()
  }

  function notifyLost(): void {
    if (!lost || !listening) return
    lost = false
    options.onLost()
  }

  function onDisconnected(from: pg.Client): void {
    if (client !== from) return
    client = null
    listening = false
    from.end().catch(() => {})
    if (queue.length > 0) lost = true
    queue = []
    queuedCharacters = 0
    if (stopped) return
    timer = setTimeout(connect, retryMs)
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2)
  }

  function receive(notification: string): void {
    const [, from, number, index, count, part] =
      /^([a-z0-9]+) (\d+) (\d+)\/(\d+) ([\s\S]*)$/.exec(notification) ?? []
    if (!from || from === server || part === undefined || number === undefined) return
    if (count === '1') {
      onMessage(from, part)
      return
    }
    let message = incomplete.get(from)
    if (message?.sequence !== number) {
      message = { sequence: number, parts: [], size: 0 }
      incomplete.set(from, message)
    }
    message.parts.push(part)
    message.size += part.length
    if (message.size > MAX_MESSAGE_CHARACTERS || message.parts.length !== Number(index)) {
      incomplete.delete(from)
      return
    }
    if (index !== count) return
    incomplete.delete(from)
    onMessage(from, Buffer.from(message.parts.join(''), 'base64').toString('utf8'))
  }

  function publish(message: string): void {
    if (stopped) return
    if (!client) {
      lost = true
      return
    }
    if (queuedCharacters > MAX_QUEUED_CHARACTERS) {
      log.warn('the database is too slow for what is sent between servers: a message is dropped')
      lost = true
      return
    }
    const parts = split(message)
    sequence++
    // Every notification differs from the others: equal ones of a transaction would arrive once.
    for (const [index, part] of parts.entries()) {
      queue.push(`${server} ${sequence} ${index + 1}/${parts.length} ${part}`)
      queuedCharacters += part.length
    }
    flush()
  }

  async function flush(): Promise<void> {
    if (flushing) return
    flushing = true
    try {
      // What is published in the same tick of the event loop goes together.
      await null
      while (queue.length > 0 && client) {
        const batch = queue.splice(0, MAX_PARTS_PER_QUERY)
        for (const part of batch) queuedCharacters -= part.length
        await client.query('select pg_notify($1, part) from unnest($2::text[]) as part', [CHANNEL, batch])
      }
      notifyLost()
    } catch (error) {
      lost = true
      log.debug({ err: error }, 'a message to the other servers was lost')
    } finally {
      flushing = false
    }
  }

  connect()
  return {
    publish,
    get listening() {
      return listening
    },
    async stop() {
      // The last message still goes out.
      for (let waited = 0; waited < FLUSH_TIMEOUT_MS; waited += FLUSH_POLL_MS) {
        if (!client || (!flushing && queue.length === 0)) break
        await new Promise((resolve) => setTimeout(resolve, FLUSH_POLL_MS))
      }
      stopped = true
      if (timer) clearTimeout(timer)
      const open = client
      client = null
      await open?.end().catch(() => {})
    },
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
