// Receives the write-ahead log from PostgreSQL as it is written and hands it to the archive, twice a second:
// https://www.postgresql.org/docs/18/protocol-replication.html. The replication slot keeps what was not received yet.
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type pino from 'pino'
import { formatLsn, parseLsn } from './lsn.ts'
import type { BackupPlace } from './place.ts'
import { historyFile, historyName } from './timelines.ts'
import { openWalArchive, type WalArchive } from './wal-archive.ts'

export const SLOT = 'meadowlark_backup'

const FLUSH_INTERVAL_MS = 500
/** Bytes that are handed over at once, and so many that wait that no more are read until they are kept. */
const FLUSH_BYTES = 4 * 1024 * 1024
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const RETRY_MS = 1000
/** Written before each connection: a place that takes nothing ends the following, which the metrics then show. */
const REACHED = 'database/reached'
/** SQLSTATE of a segment of the log that PostgreSQL has removed. */
const REMOVED = '58P01'
/** PostgreSQL counts microseconds from the beginning of 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** What pg's connection does besides what its types tell. */
type ReplicationConnection = EventEmitter & {
  sendCopyFromChunk(chunk: Buffer): void
  stream: { pause(): void; resume(): void }
}

export interface WalReceiver {
  /** Resolves once everything up to `lsn` is kept. Rejects after `timeoutMs`, and when it is stopped. */
  kept(lsn: bigint, timeoutMs: number): Promise<void>
  /** The archive of the timeline that PostgreSQL is on; resolves once the first connection stands. */
  archive(): Promise<WalArchive>
  /** Since when a part of the log has waited to be kept, in milliseconds since 1970; null while none does. */
  waitingSince(): number | null
  stop(): Promise<void>
}

export interface WalReceiverOptions {
  /** Of the cluster's superuser. */
  url: string
  place: BackupPlace
  log: pino.Logger
  /** What was not received is gone: only a new base backup can be restored to what follows. */
  onGap: () => void
}

/** Receives until it is stopped, and connects again whenever the connection is lost. */
export function receiveWal({ url, place, log, onGap }: WalReceiverOptions): WalReceiver {
  const events = new EventEmitter()
  let archive: WalArchive | null = null
  /** Until PostgreSQL has said where its log ends, all of it may be waiting. */
  let waitingSince: number | null = Date.now()
  /** The log after the last byte that is kept is gone; it begins anew where the slot holds it. */
  let hasGap = false
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    let reported = ''
    while (!stopping.signal.aborted) {
      try {
        await receive()
        reported = ''
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        waitingSince ??= Date.now()
        if (code === REMOVED && !hasGap) {
          hasGap = true
          onGap()
        }
        if (!stopping.signal.aborted && message !== reported)
          log.warn({ err: error }, 'the log is not backed up')
        reported = message
      }
      await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  /** One connection, from its beginning to its end. */
  async function receive(): Promise<void> {
    const config = { connectionString: url, application_name: SLOT, replication: 'database', keepAlive: true }
    await place.write(REACHED, Buffer.from(new Date().toISOString()))
    const client = new pg.Client(config as pg.ClientConfig)
    client.on('error', () => {})
    await client.connect()
    const end = () => void client.end().catch(() => {})
    stopping.signal.addEventListener('abort', end)
    try {
      const timeline = Number((await client.query('IDENTIFY_SYSTEM')).rows[0].timeline)
      const [{ setting }] = (
        await client.query(`select setting from pg_settings where name = 'wal_segment_size'`)
      ).rows
      const segmentBytes = BigInt(setting)
      await keepHistory(client, timeline)
      archive ??= await openWalArchive(place, { timeline, segmentBytes, onDamage })
      events.emit('archive')
      const reserved = await reserve(client)
      // From a segment's beginning, so that it can be put together again.
      const first = reserved - (reserved % segmentBytes)
      const from = hasGap ? first : (archive.position ?? first)
      await stream(client, archive, from, timeline)
    } finally {
      stopping.signal.removeEventListener('abort', end)
      end()
    }
  }

  const onDamage = (fault: string) => {
    log.error({ fault }, 'the log in the backup is damaged; a new base backup begins')
    onGap()
  }

  /** The slot's position; a new slot when there is none, or when what it kept is gone. */
  async function reserve(client: pg.Client): Promise<bigint> {
    const find = () =>
      client.query(`select restart_lsn, wal_status from pg_replication_slots where slot_name = '${SLOT}'`)
    const [slot] = (await find()).rows
    if (slot && slot.wal_status !== 'lost') return parseLsn(slot.restart_lsn)
    if (slot) await client.query(`DROP_REPLICATION_SLOT ${SLOT} WAIT`)
    await client.query(`CREATE_REPLICATION_SLOT ${SLOT} PHYSICAL RESERVE_WAL`)
    return parseLsn((await find()).rows[0].restart_lsn)
  }

  /** How the timeline came about and when, so that a restored cluster never takes a number that was used. */
  async function keepHistory(client: pg.Client, timeline: number): Promise<void> {
    const name = `history/${historyName(timeline)}`
    if (timeline === 1 || (await place.list(name)).length > 0) return
    const { rows } = await client.query(`TIMELINE_HISTORY ${timeline}`)
    await place.write(name, historyFile(Buffer.from(rows[0].content).toString(), new Date()))
  }

  async function stream(client: pg.Client, into: WalArchive, from: bigint, timeline: number): Promise<void> {
    const { connection } = client as unknown as { connection: ReplicationConnection }
    let received = from
    let kept = from
    let waiting: Buffer[] = []
    let waitingBytes = 0
    let flushing: Promise<void> | null = null
    let failure: Error | undefined

    const acknowledge = (wantsAnswer = false) => {
      const status = Buffer.alloc(34)
      status.write('r')
      for (const offset of [1, 9]) status.writeBigUInt64BE(kept, offset)
      status.writeBigInt64BE(BigInt(Date.now() - EPOCH_MS) * 1000n, 25)
      status[33] = wantsAnswer ? 1 : 0
      connection.sendCopyFromChunk(status)
    }
    const flush = async () => {
      while (waitingBytes > 0) {
        const data = Buffer.concat(waiting)
        waiting = []
        waitingBytes = 0
        await into.append(kept, data)
        kept += BigInt(data.length)
        events.emit('kept')
        connection.stream.resume()
        acknowledge()
      }
      if (kept > from) [waitingSince, hasGap] = [null, false]
    }
    const flushNow = () => {
      flushing ??= flush()
        .catch((error) => {
          failure = error
          void client.end().catch(() => {})
        })
        .finally(() => {
          flushing = null
        })
      return flushing
    }
    connection.on('copyData', ({ chunk }: { chunk: Buffer }) => {
      // A keepalive that wants an answer; anything else of this kind is the log itself.
      if (chunk[0] === 0x6b) {
        if (kept >= chunk.readBigUInt64BE(1)) [waitingSince, hasGap] = [null, false]
        if (chunk[17] === 1) acknowledge()
        return
      }
      const start = chunk.readBigUInt64BE(1)
      // A copy: the connection writes what comes next over this memory.
      const data = Buffer.from(chunk.subarray(25))
      if (start !== received) throw new Error('the log does not continue where it was left')
      waitingSince ??= Date.now()
      waiting.push(data)
      waitingBytes += data.length
      received += BigInt(data.length)
      if (waitingBytes >= FLUSH_BYTES) void flushNow()
      if (waitingBytes >= MAX_WAITING_BYTES) connection.stream.pause()
    })
    connection.once('replicationStart', () => acknowledge(true))
    const timer = setInterval(() => void flushNow(), FLUSH_INTERVAL_MS)
    try {
      await client.query(`START_REPLICATION SLOT ${SLOT} PHYSICAL ${formatLsn(from)} TIMELINE ${timeline}`)
      throw new Error('PostgreSQL ended the replication')
    } catch (error) {
      throw failure ?? error
    } finally {
      clearInterval(timer)
      await flushNow()
    }
  }

  return {
    async kept(lsn, timeoutMs) {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal])
      while ((archive?.position ?? -1n) < lsn) await once(events, 'kept', { signal })
    },
    async archive() {
      while (!archive) await once(events, 'archive', { signal: stopping.signal })
      return archive
    },
    waitingSince: () => waitingSince,
    async stop() {
      stopping.abort()
      await running
    },
  }
}
