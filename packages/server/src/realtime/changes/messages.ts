// Broadcasts sent from within the database: rows of realtime.messages, from the replication stream and, after it was
// lost, from the table; and their deletion some days later.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type pino from 'pino'
import { isUnavailable } from '../../sql/errors.ts'
import type { DatabaseMessage } from './contract.ts'
import type { RowChange } from './wal.ts'

export interface Messages {
  /** `onMissed` is called when messages may not have been delivered. */
  subscribe(listener: (message: DatabaseMessage) => void, onMissed?: () => void): void
  /** Delivers the message of a change, if it is one. */
  onChange(change: RowChange): void
  onStreamLost(): void
  /** The stream is attached: delivers what was sent since the start or the loss, from the table. */
  catchUp(): Promise<void>
  stop(): void
}

const RETENTION = '3 days'
const DELETE_INTERVAL_MS = 60 * 60 * 1000
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 5000
/** Ids of delivered messages that are kept, so that none is delivered twice. */
const MAX_DELIVERED_IDS = 10_000
/** How long before a loss to read: a message carries the time at which its transaction began. */
const CATCH_UP_MARGIN_SECONDS = 60

/** Deletes old messages from time to time, until stop(). Several servers do no harm. */
export function createMessages(pool: pg.Pool, log: pino.Logger): Messages {
  const listeners: ((message: DatabaseMessage) => void)[] = []
  const onMissed: (() => void)[] = []
  const delivered = new Set<string>()
  let stopped = false
  // By performance.now(); until the stream runs for the first time, it counts as lost.
  let lostAt: number | null = performance.now()
  let marginSeconds = 0

  function deliver(message: DatabaseMessage): void {
    if (delivered.has(message.id)) return
    delivered.add(message.id)
    if (delivered.size > MAX_DELIVERED_IDS) delivered.delete(delivered.values().next().value as string)
    for (const listener of listeners) {
      try {
        listener(message)
      } catch (error) {
        log.error({ err: error }, 'a listener of messages failed')
      }
    }
  }

  async function readSince(lost: number): Promise<void> {
    const seconds = (performance.now() - lost) / 1000 + marginSeconds
    // Those of one transaction have one time: their order is that of the rows in the table.
    const { rows } = await pool.query(
      `select id, topic, event, private, payload::text as payload, binary_payload from realtime.messages
       where extension = 'broadcast' and inserted_at > localtimestamp - make_interval(secs => $1)
       order by inserted_at desc, tableoid desc, ctid desc limit ${MAX_DELIVERED_IDS}`,
      [seconds],
    )
    for (const { binary_payload: bytes, payload, ...row } of rows.reverse()) {
      deliver({ ...row, event: row.event ?? '', payload: bytes ?? payload ?? 'null' })
    }
    // There were more than are read.
    if (rows.length === MAX_DELIVERED_IDS) for (const listener of onMissed) listener()
  }

  const timer = setInterval(() => deleteOld(pool, log), DELETE_INTERVAL_MS)
  timer.unref()

  return {
    subscribe(listener, missed) {
      listeners.push(listener)
      if (missed) onMissed.push(missed)
    },
    onChange(change) {
      const message = messageOf(change)
      if (message) deliver(message)
    },
    onStreamLost() {
      lostAt ??= performance.now()
      marginSeconds = CATCH_UP_MARGIN_SECONDS
    },
    async catchUp() {
      for (let pause = FIRST_RETRY_MS; !stopped; pause = Math.min(pause * 2, MAX_RETRY_MS)) {
        // If the stream is lost again meanwhile, that counts as a separate loss.
        const since = lostAt
        lostAt = null
        if (since === null || listeners.length === 0) return
        try {
          await readSince(since)
          return
        } catch (error) {
          lostAt = since
          if (!isUnavailable(error)) log.warn({ err: error }, 'messages sent meanwhile were not read')
        }
        await sleep(pause, undefined, { ref: false })
      }
    },
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}

async function deleteOld(pool: pg.Pool, log: pino.Logger): Promise<void> {
  try {
    const old = `inserted_at < localtimestamp - $1::interval`
    await pool.query(`delete from realtime.messages where ${old}`, [RETENTION])
  } catch (error) {
    if (!isUnavailable(error)) log.warn({ err: error }, 'old rows of realtime.messages were not deleted')
  }
}

function messageOf({ type, relation, record }: RowChange): DatabaseMessage | null {
  if (type !== 'INSERT' || relation.schema !== 'realtime' || relation.name !== 'messages') return null
  if (record?.extension !== 'broadcast' || !record.id || !record.topic) return null
  const { id, topic, event, binary_payload: bytes, payload } = record
  return {
    id,
    topic,
    event: event ?? '',
    private: record.private === 't',
    payload: bytes ? Buffer.from(bytes.slice(2), 'hex') : (payload ?? 'null'),
  }
}
