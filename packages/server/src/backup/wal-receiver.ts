// Receives the write-ahead log from PostgreSQL as it is written and hands it to the archive, twice a second:
// https://www.postgresql.org/docs/18/protocol-replication.html. The replication slot retains the log that was not
// received yet.
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type pino from 'pino'
import { parseLsn } from './lsn.ts'
import type { BackupRepository } from './repository.ts'
import { historyFile, historyName } from './timelines.ts'
import { openWalArchive, type WalArchive } from './wal-archive.ts'
import { streamWal } from './wal-stream.ts'

export const SLOT = 'meadowlark_backup'

const RETRY_MS = 1000
/** Written before each connection: a backup repository that takes nothing ends the following, which the metrics then show. */
const REACHED = 'database/reached'
/** SQLSTATE of a segment of the log that PostgreSQL has removed. */
const REMOVED = '58P01'
export interface WalReceiver {
  /** Resolves once everything up to `lsn` is kept. Rejects after `timeoutMs`, and when it is stopped. */
  kept(lsn: bigint, timeoutMs: number): Promise<void>
  /** The archive of the timeline that PostgreSQL is on; resolves once the first connection is open. */
  archive(): Promise<WalArchive>
  /** Since when a part of the log has waited to be kept, in milliseconds since 1970; null while none does. */
  waitingSince(): number | null
  stop(): Promise<void>
}

export interface WalReceiverOptions {
  /** Of the cluster's superuser. */
  url: string
  repository: BackupRepository
  log: pino.Logger
  /** The missing log is lost. Only a new base backup can be restored to later moments. */
  onGap: () => void
}

/** Receives until it is stopped, and connects again whenever the connection is lost. */
export function receiveWal(options: WalReceiverOptions): WalReceiver {
  return new Receiver(options)
}

class Receiver implements WalReceiver {
  private readonly options: WalReceiverOptions
  private readonly events = new EventEmitter()
  private opened: WalArchive | null = null
  /** Until PostgreSQL has said where its log ends, all of it may be waiting. */
  private waiting: number | null = Date.now()
  /** The log after the last byte that is kept is gone; it begins anew where the slot holds it. */
  private hasGap = false
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>

  constructor(options: WalReceiverOptions) {
    this.options = options
    this.running = this.run()
  }

  async kept(lsn: bigint, timeoutMs: number): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.stopping.signal])
    while ((this.opened?.position ?? -1n) < lsn) await once(this.events, 'kept', { signal })
  }

  async archive(): Promise<WalArchive> {
    while (!this.opened) await once(this.events, 'archive', { signal: this.stopping.signal })
    return this.opened
  }

  waitingSince(): number | null {
    return this.waiting
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    let reported = ''
    while (!this.stopping.signal.aborted) {
      try {
        await this.receive()
        reported = ''
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        this.waiting ??= Date.now()
        if (code === REMOVED && !this.hasGap) {
          this.hasGap = true
          this.options.onGap()
        }
        if (!this.stopping.signal.aborted && message !== reported)
          this.options.log.warn({ err: error }, 'the log is not backed up')
        reported = message
      }
      await sleep(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => {})
    }
  }

  /** One connection, from its beginning to its end. */
  private async receive(): Promise<void> {
    const config = {
      connectionString: this.options.url,
      application_name: SLOT,
      replication: 'database',
      keepAlive: true,
    }
    await this.options.repository.write(REACHED, Buffer.from(new Date().toISOString()))
    const client = new pg.Client(config as pg.ClientConfig)
    client.on('error', () => {})
    await client.connect()
    const end = () => void client.end().catch(() => {})
    this.stopping.signal.addEventListener('abort', end)
    try {
      const timeline = Number((await client.query('IDENTIFY_SYSTEM')).rows[0].timeline)
      const [{ setting }] = (
        await client.query(`select setting from pg_settings where name = 'wal_segment_size'`)
      ).rows
      const segmentBytes = BigInt(setting)
      await this.keepHistory(client, timeline)
      this.opened ??= await openWalArchive(this.options.repository, {
        timeline,
        segmentBytes,
        onDamage: (fault) => this.onDamage(fault),
      })
      this.events.emit('archive')
      const reserved = await this.reserve(client)
      // From a segment's beginning, so that it can be put together again.
      const first = reserved - (reserved % segmentBytes)
      const from = this.hasGap ? first : (this.opened.position ?? first)
      await this.stream(client, this.opened, from, timeline)
    } finally {
      this.stopping.signal.removeEventListener('abort', end)
      end()
    }
  }

  /** The slot's position; a new slot when there is none, or when what it kept is gone. */
  private async reserve(client: pg.Client): Promise<bigint> {
    const find = () =>
      client.query(`select restart_lsn, wal_status from pg_replication_slots where slot_name = '${SLOT}'`)
    const [slot] = (await find()).rows
    if (slot && slot.wal_status !== 'lost') return parseLsn(slot.restart_lsn)
    if (slot) await client.query(`DROP_REPLICATION_SLOT ${SLOT} WAIT`)
    await client.query(`CREATE_REPLICATION_SLOT ${SLOT} PHYSICAL RESERVE_WAL`)
    return parseLsn((await find()).rows[0].restart_lsn)
  }

  /** How the timeline came about and when, so that a restored cluster never takes a number that was used. */
  private async keepHistory(client: pg.Client, timeline: number): Promise<void> {
    const name = `history/${historyName(timeline)}`
    if (timeline === 1 || (await this.options.repository.list(name)).length > 0) return
    const { rows } = await client.query(`TIMELINE_HISTORY ${timeline}`)
    await this.options.repository.write(
      name,
      historyFile(Buffer.from(rows[0].content).toString(), new Date()),
    )
  }

  private async stream(client: pg.Client, into: WalArchive, from: bigint, timeline: number): Promise<void> {
    await streamWal(client, into, {
      slot: SLOT,
      from,
      timeline,
      onWaiting: () => {
        this.waiting ??= Date.now()
      },
      onKept: () => this.events.emit('kept'),
      onCaughtUp: () => {
        this.waiting = null
        this.hasGap = false
      },
    })
  }

  private onDamage(fault: string): void {
    this.options.log.error({ fault }, 'the log in the backup is damaged; a new base backup begins')
    this.options.onGap()
  }
}
