// Broadcasts sent from within the database: rows of realtime.messages, as the replication stream tells of them and,
// after it was lost, out of the table; and their end some days later.
import type pg from 'pg'
import type pino from 'pino'
import { isUnavailable } from '../../sql/database.ts'
import type { DatabaseMessage } from './contract.ts'
import type { RowChange } from './wal.ts'

export interface Messages {
  listen(listener: (message: DatabaseMessage) => void): void
  /** Passes on the message that a change carries, if it is one. */
  hear(change: RowChange): void
  /** The stream was lost. */
  lost(): void
  /** The stream runs, for the first time or again: what was sent since the start or the loss is read from the table. */
  catchUp(): Promise<void>
  stop(): void
}

const KEPT_FOR = '3 days'
const EXPIRE_EVERY = 60 * 60 * 1000
/** Messages remembered, so that none is passed on twice. */
const REMEMBERED = 10_000
/** Seconds before a loss from which to read: a message carries the time at which its transaction began. */
const MARGIN = 60

/** Deletes old messages from time to time, until stop(). Several servers do no harm. */
export function createMessages(pool: pg.Pool, log: pino.Logger): Messages {
  const listeners: ((message: DatabaseMessage) => void)[] = []
  const heard = new Set<string>()
  // Until the stream runs for the first time, it is as good as lost.
  let lostAt: number | null = Date.now()
  let margin = 0

  function pass(message: DatabaseMessage): void {
    if (heard.has(message.id)) return
    heard.add(message.id)
    if (heard.size > REMEMBERED) heard.delete(heard.values().next().value as string)
    for (const listener of listeners) {
      try {
        listener(message)
      } catch (error) {
        log.error({ err: error }, 'a listener of messages failed')
      }
    }
  }

  async function expire(): Promise<void> {
    try {
      const old = `inserted_at < localtimestamp - $1::interval`
      await pool.query(`delete from realtime.messages where ${old}`, [KEPT_FOR])
    } catch (error) {
      if (!isUnavailable(error)) log.warn({ err: error }, 'old rows of realtime.messages were not deleted')
    }
  }
  const timer = setInterval(expire, EXPIRE_EVERY)
  timer.unref()

  return {
    listen: (listener) => void listeners.push(listener),
    hear(change) {
      const message = messageOf(change)
      if (message) pass(message)
    },
    lost() {
      lostAt ??= Date.now()
      margin = MARGIN
    },
    async catchUp() {
      if (lostAt === null) return
      if (listeners.length === 0) {
        lostAt = null
        return
      }
      const seconds = (Date.now() - lostAt) / 1000 + margin
      try {
        const { rows } = await pool.query(
          `select id, topic, event, private, payload::text as payload, binary_payload from realtime.messages
           where extension = 'broadcast' and inserted_at > localtimestamp - make_interval(secs => $1)
           order by inserted_at limit ${REMEMBERED}`,
          [seconds],
        )
        lostAt = null
        for (const { binary_payload: bytes, payload, ...row } of rows) {
          pass({ ...row, event: row.event ?? '', payload: bytes ?? payload ?? 'null' })
        }
      } catch (error) {
        if (!isUnavailable(error)) log.warn({ err: error }, 'messages sent meanwhile were not read')
      }
    },
    stop: () => clearInterval(timer),
  }
}

function messageOf({ type, relation, record }: RowChange): DatabaseMessage | null {
  if (type !== 'INSERT' || relation.schema !== 'realtime' || relation.name !== 'messages') return null
  if (record?.extension !== 'broadcast' || !record.id || !record.topic) return null
  const { id, topic, event, binary_payload: bytes, payload } = record
  return {
    ...{ id, topic, event: event ?? '', private: record.private === 't' },
    payload: bytes ? Buffer.from(bytes.slice(2), 'hex') : (payload ?? 'null'),
  }
}
