// Broadcasts sent from within the database: rows of realtime.messages, as the replication stream tells of them, and
// their end some days later.
import type pg from 'pg'
import type pino from 'pino'
import { isUnavailable } from '../../postgres/database.ts'
import type { DatabaseMessage } from '../changes-contract.ts'
import type { RowChange } from './wal.ts'

/** The message that a change carries; null when it is none. */
export function messageOf({ type, relation, record }: RowChange): DatabaseMessage | null {
  if (type !== 'INSERT' || relation.schema !== 'realtime' || relation.name !== 'messages') return null
  if (record?.extension !== 'broadcast' || !record.id || !record.topic) return null
  const { id, topic, event, binary_payload: bytes, payload } = record
  return {
    ...{ id, topic, event: event ?? '', private: record.private === 't' },
    payload: bytes ? Buffer.from(bytes.slice(2), 'hex') : (payload ?? 'null'),
  }
}

const KEPT_FOR = '3 days'
const EVERY = 60 * 60 * 1000

/** Deletes old messages from time to time, until the returned function is called. Several servers do no harm. */
export function expireMessages(pool: pg.Pool, log: pino.Logger): () => void {
  const expire = () =>
    pool
      .query(`delete from realtime.messages where inserted_at < now() at time zone 'utc' - $1::interval`, [
        KEPT_FOR,
      ])
      .catch((error) => {
        if (!isUnavailable(error))
          log.warn({ err: error }, 'old messages of realtime.messages were not deleted')
      })
  const timer = setInterval(expire, EVERY)
  timer.unref()
  return () => clearInterval(timer)
}
