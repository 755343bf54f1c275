// How the servers of one database talk to each other: NOTIFY on a channel that all of them LISTEN to. Texts of any
// length are cut into parts that a notification holds, and arrive in the order they were sent.
// https://www.postgresql.org/docs/18/sql-notify.html
import type pg from 'pg'
import type pino from 'pino'
import { Client, CONNECT_PATIENCE } from '../../sql/client.ts'

export interface Bus {
  /** Sends to every other server. What is sent while the database is away is lost. */
  send(text: string): void
  stop(): Promise<void>
}

export interface BusOptions {
  url: string
  /** This server's name: letters and digits. */
  server: string
  log: pino.Logger
  /** What another server sent. */
  onText: (server: string, text: string) => void
  /** Listening has begun, for the first time or again after the connection was lost. */
  onListening: () => void
}

const CHANNEL = 'meadowlark_realtime'
/** A notification holds just under 8,000 bytes, of which the part's heading needs some. */
const MAX_PART = 7800
/** Characters that wait to be sent, above which more is dropped: the database is too slow for what is asked. */
const MAX_WAITING = 64 * 1024 * 1024
/** Characters of one text from another server. */
const MAX_TEXT = 64 * 1024 * 1024
const PARTS_AT_ONCE = 200
const FIRST_RETRY = 250
const LONGEST_RETRY = 5000

/** Connects, and again whenever the connection is lost. */
export function openBus({ url, server, log, onText, onListening }: BusOptions): Bus {
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let stopped = false
  let retry = FIRST_RETRY
  let sequence = 0
  let sending = false
  let waiting: string[] = []
  let waitingSize = 0
  const partial = new Map<string, { sequence: string; parts: string[]; size: number }>()

  async function connect(): Promise<void> {
    const made = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_PATIENCE,
      application_name: 'meadowlark-realtime-bus',
    })
    made.on('error', () => lost(made))
    made.on('end', () => lost(made))
    made.on('notification', ({ payload = '' }) => receive(payload))
    client = made
    try {
      await made.connect()
      // Losing the last messages in a crash of the database is no harm: it takes the sockets' servers along.
      await made.query(`set synchronous_commit = off; listen ${CHANNEL}`)
    } catch (error) {
      log.debug({ err: error }, 'the servers of this database cannot be reached')
      return lost(made)
    }
    if (stopped) return
    retry = FIRST_RETRY
    partial.clear()
    onListening()
  }

  function lost(which: pg.Client): void {
    if (client !== which) return
    client = null
    which.end().catch(() => {})
    waiting = []
    waitingSize = 0
    if (stopped) return
    timer = setTimeout(connect, retry)
    retry = Math.min(LONGEST_RETRY, retry * 2)
  }

  function receive(payload: string): void {
    const [, from, number, index, count, text] =
      /^([a-z0-9]+) (\d+) (\d+)\/(\d+) ([\s\S]*)$/.exec(payload) ?? []
    if (!from || from === server || text === undefined || number === undefined) return
    if (count === '1') {
      onText(from, text)
      return
    }
    let known = partial.get(from)
    if (known?.sequence !== number) {
      known = { sequence: number, parts: [], size: 0 }
      partial.set(from, known)
    }
    known.parts.push(text)
    known.size += text.length
    if (known.size > MAX_TEXT || known.parts.length !== Number(index)) {
      partial.delete(from)
      return
    }
    if (index !== count) return
    partial.delete(from)
    onText(from, Buffer.from(known.parts.join(''), 'base64').toString('utf8'))
  }

  function send(text: string): void {
    if (!client || stopped) return
    if (waitingSize > MAX_WAITING) {
      log.warn('the database is too slow for what is sent between servers: a message is dropped')
      return
    }
    const parts = partsOf(text)
    sequence++
    // Every notification differs from the others: equal ones of a transaction would arrive once.
    for (const [index, part] of parts.entries()) {
      waiting.push(`${server} ${sequence} ${index + 1}/${parts.length} ${part}`)
      waitingSize += part.length
    }
    flush()
  }

  async function flush(): Promise<void> {
    if (sending) return
    sending = true
    try {
      // What is sent within one turn of the event loop goes together.
      await null
      while (waiting.length > 0 && client) {
        const batch = waiting.splice(0, PARTS_AT_ONCE)
        for (const part of batch) waitingSize -= part.length
        await client.query('select pg_notify($1, part) from unnest($2::text[]) as part', [CHANNEL, batch])
      }
    } catch (error) {
      log.debug({ err: error }, 'a message to the other servers was lost')
    } finally {
      sending = false
    }
  }

  connect()
  return {
    send,
    async stop() {
      // What was said last is still heard.
      for (let turn = 0; turn < 20 && client && (sending || waiting.length > 0); turn++) {
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      stopped = true
      if (timer) clearTimeout(timer)
      const open = client
      client = null
      await open?.end().catch(() => {})
    },
  }
}

/** A short text goes as it is; a long one as Base64, which can be cut anywhere. */
function partsOf(text: string): string[] {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_PART) return [text]
  const encoded = Buffer.from(text).toString('base64')
  return Array.from({ length: Math.ceil(encoded.length / MAX_PART) }, (_, index) =>
    encoded.slice(index * MAX_PART, (index + 1) * MAX_PART),
  )
}
