// Streams the write-ahead log over one replication connection into the archive, and acknowledges what is kept:
// https://www.postgresql.org/docs/18/protocol-replication.html#PROTOCOL-REPLICATION-START-REPLICATION
import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { formatLsn } from './lsn.ts'
import type { WalArchive } from './wal-archive.ts'

const FLUSH_INTERVAL_MS = 500
/** Bytes that are handed over at once, and so many that wait that no more are read until they are kept. */
const FLUSH_BYTES = 4 * 1024 * 1024
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** PostgreSQL counts microseconds from the beginning of 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/** Members of pg's connection that its types lack. */
type ReplicationConnection = EventEmitter & {
  sendCopyFromChunk(chunk: Buffer): void
  stream: { pause(): void; resume(): void }
}

export interface WalStreamOptions {
  slot: string
  /** Position of the first byte. */
  from: bigint
  timeline: number
  /** Bytes have come that are not kept yet. */
  onWaiting(): void
  /** More is kept. */
  onKept(): void
  /** Everything that PostgreSQL has said it has is kept. */
  onCaughtUp(): void
}

/** Streams until the connection ends, and throws why it did. */
export async function streamWal(
  client: pg.Client,
  archive: WalArchive,
  options: WalStreamOptions,
): Promise<never> {
  return new WalStream(client, archive, options).run()
}

/** The received log, and the position up to which it is stored. */
class WalStream {
  private readonly client: pg.Client
  private readonly connection: ReplicationConnection
  private readonly archive: WalArchive
  private readonly options: WalStreamOptions
  private received: bigint
  private kept: bigint
  private waiting: Buffer[] = []
  private waitingBytes = 0
  private flushing: Promise<void> | null = null
  private failure: Error | undefined

  constructor(client: pg.Client, archive: WalArchive, options: WalStreamOptions) {
    this.client = client
    this.connection = (client as unknown as { connection: ReplicationConnection }).connection
    this.archive = archive
    this.options = options
    this.received = options.from
    this.kept = options.from
  }

  async run(): Promise<never> {
    const { slot, from, timeline } = this.options
    this.connection.on('copyData', ({ chunk }: { chunk: Buffer }) => this.onChunk(chunk))
    this.connection.once('replicationStart', () => this.acknowledge(true))
    const timer = setInterval(() => void this.flushNow(), FLUSH_INTERVAL_MS)
    try {
      await this.client.query(
        `START_REPLICATION SLOT ${slot} PHYSICAL ${formatLsn(from)} TIMELINE ${timeline}`,
      )
      throw new Error('PostgreSQL ended the replication')
    } catch (error) {
      throw this.failure ?? error
    } finally {
      clearInterval(timer)
      await this.flushNow()
    }
  }

  private onChunk(chunk: Buffer): void {
    // A keepalive that wants an answer; anything else of this kind is the log itself.
    if (chunk[0] === 0x6b) {
      if (this.kept >= chunk.readBigUInt64BE(1)) this.options.onCaughtUp()
      if (chunk[17] === 1) this.acknowledge()
      return
    }
    const start = chunk.readBigUInt64BE(1)
    // A copy: the connection writes what comes next over this memory.
    const data = Buffer.from(chunk.subarray(25))
    if (start !== this.received) throw new Error('the log does not continue where it was left')
    this.options.onWaiting()
    this.waiting.push(data)
    this.waitingBytes += data.length
    this.received += BigInt(data.length)
    if (this.waitingBytes >= FLUSH_BYTES) void this.flushNow()
    if (this.waitingBytes >= MAX_WAITING_BYTES) this.connection.stream.pause()
  }

  private acknowledge(wantsAnswer = false): void {
    const status = Buffer.alloc(34)
    status.write('r')
    for (const offset of [1, 9]) status.writeBigUInt64BE(this.kept, offset)
    status.writeBigInt64BE(BigInt(Date.now() - EPOCH_MS) * 1000n, 25)
    status[33] = wantsAnswer ? 1 : 0
    this.connection.sendCopyFromChunk(status)
  }

  private flushNow(): Promise<void> {
    this.flushing ??= this.flush()
      .catch((error) => {
        this.failure = error
        void this.client.end().catch(() => {})
      })
      .finally(() => {
        this.flushing = null
      })
    return this.flushing
  }

  private async flush(): Promise<void> {
    while (this.waitingBytes > 0) {
      const data = Buffer.concat(this.waiting)
      this.waiting = []
      this.waitingBytes = 0
      await this.archive.append(this.kept, data)
      this.kept += BigInt(data.length)
      this.options.onKept()
      this.connection.stream.resume()
      this.acknowledge()
    }
    if (this.kept > this.options.from) this.options.onCaughtUp()
  }
}
