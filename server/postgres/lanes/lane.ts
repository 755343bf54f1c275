// One connection that takes group after group of statements without waiting for the answers in between. Every group
// ends with a Sync of its own, so each is a transaction of its own whatever becomes of its neighbours; PostgreSQL
// answers them in the order in which they came.
// https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import { Socket, type SocketConstructorOpts } from 'node:net'
import pg from 'pg'
import type { Statement } from '../pipeline.ts'
import { Prepared } from '../prepared.ts'
import { type Column, Incoming, Outgoing, readError, readRow } from './wire.ts'

export type LaneRow = Column[]

/** Statements that succeed or fail whole. Its callbacks are called once. */
export type Group = {
  statements: readonly Statement[]
  /** The rows of each statement. */
  resolve(rows: LaneRow[][]): void
  reject(error: Error): void
  /** Told how long the group had the connection, in milliseconds. */
  took?(milliseconds: number): void
}

type Sent = {
  /** Null once nobody waits for the answer. */
  group: Group | null
  rows: LaneRow[][]
  current: LaneRow[]
  error: pg.DatabaseError | null
}

/** Bytes read at once. */
const READ = 64 * 1024

export type LaneClient = {
  client: pg.Client
  /** Has all that is received from now on go to `read`, which must take out what it needs before it returns. */
  onData(read: (bytes: Buffer) => void): void
}

/** A client for a lane, not connected yet. It reads into one buffer again and again, unless it is encrypted. */
export function laneClient(url: string, options: pg.ClientConfig): LaneClient {
  const client = new pg.Client({ ...options, connectionString: url })
  if ((client as unknown as { ssl: unknown }).ssl) return { client, onData: (read) => takeOver(client, read) }
  const buffer = Buffer.allocUnsafeSlow(READ)
  // While it connects, pg's own reader may keep what it is given.
  let deliver = (bytes: Buffer) => {
    socket.emit('data', Buffer.from(bytes))
  }
  const socket: Socket = new Socket({
    onread: {
      buffer,
      callback(size: number) {
        deliver(buffer.subarray(0, size))
        return true
      },
    },
  } as SocketConstructorOpts)
  return {
    client: new pg.Client({ ...options, connectionString: url, stream: () => socket }),
    onData: (read) => {
      deliver = read
    },
  }
}

function takeOver(client: pg.Client, read: (bytes: Buffer) => void): void {
  const stream = streamOf(client)
  // pg's own reader turns every message into an object and an event.
  stream.removeAllListeners('data')
  stream.on('data', read)
}

function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

const MESSAGE = { ERROR: 0x45, ROW: 0x44, COMPLETE: 0x43, EMPTY: 0x49, READY: 0x5a } as const

export class Lane {
  /** When the group that is answered now began to be worked on, by performance.now(). */
  headSince = 0
  lastUsed = performance.now()
  private readonly sent: Sent[] = []
  private readonly outgoing = new Outgoing()
  private readonly prepared = new Prepared()
  private readonly client: pg.Client
  private readonly stream: Socket
  private readonly onRetry: (group: Group) => void
  private readonly onFree: () => void
  private failure: Error | null = null

  /**
   * The client is connected and from here on belongs to the lane. `onFree` is told after each answer and when the
   * connection is lost, `onRetry` of groups that PostgreSQL refused before they did anything.
   */
  constructor(
    { client, onData }: LaneClient,
    events: { onFree(): void; onRetry(group: Group): void; onLost(): void },
  ) {
    this.client = client
    this.onFree = events.onFree
    this.onRetry = events.onRetry
    this.stream = streamOf(client)
    const incoming = new Incoming((...message) => this.receive(...message))
    onData((chunk) => incoming.push(chunk))
    this.stream.on('error', (error) => {
      this.failure ??= error
    })
    this.stream.once('close', () => {
      events.onLost()
      this.lost()
    })
    client.on('error', () => {})
  }

  /** Groups sent or about to be sent whose answers are still to come. */
  get waiting(): number {
    return this.sent.length
  }

  /** Adds a group to what `flush` sends. */
  add(group: Group): void {
    const now = performance.now()
    if (this.sent.length === 0) this.headSince = now
    this.lastUsed = now
    this.sent.push({ group, rows: [], current: [], error: null })
    const { outgoing, prepared } = this
    // Before the statements: whatever fails, the closing happens.
    for (const name of prepared.takeDiscarded()) outgoing.closeStatement(name)
    for (const { text, values = [] } of group.statements) {
      const { name, parse } = prepared.take(text)
      if (parse) outgoing.parse(name, text)
      outgoing.bind(name, values)
      outgoing.execute()
    }
    outgoing.sync()
  }

  /** Sends what was added, in one write. */
  flush(): void {
    const bytes = this.outgoing.take()
    if (bytes.length > 0 && this.stream.writable) this.stream.write(bytes)
  }

  /** Gives back the groups behind the one that is worked on; their answers will be ignored. Only for reads. */
  giveBack(): Group[] {
    const groups: Group[] = []
    for (const sent of this.sent.slice(1)) {
      if (sent.group) groups.push(sent.group)
      sent.group = null
    }
    return groups
  }

  async end(): Promise<void> {
    await this.client.end()
  }

  private receive(type: number, bytes: Buffer, from: number, to: number): void {
    const head = this.sent[0]
    if (!head) return
    switch (type) {
      case MESSAGE.ROW:
        head.current.push(readRow(bytes, from))
        break
      case MESSAGE.COMPLETE:
      case MESSAGE.EMPTY:
        head.rows.push(head.current)
        head.current = []
        break
      case MESSAGE.ERROR:
        head.error ??= readError(bytes, from, to)
        break
      case MESSAGE.READY:
        this.answered(head)
        break
    }
  }

  private answered({ group, rows, error }: Sent): void {
    const now = performance.now()
    const took = now - this.headSince
    this.sent.shift()
    this.headSince = now
    if (group) {
      group.took?.(took)
      if (!error) group.resolve(rows)
      else this.refused(group, rows.length, error)
    }
    this.onFree()
  }

  private refused(group: Group, done: number, error: pg.DatabaseError): void {
    // Statements from the failing one on may or may not have been parsed.
    for (const { text } of group.statements.slice(done)) this.prepared.forget(text)
    if (!isStale(error)) {
      group.reject(error)
      return
    }
    // The schema changed under a prepared statement, before it did anything: prepare anew, once.
    this.prepared.forgetAll()
    this.onRetry(group)
  }

  private lost(): void {
    const error = this.failure ?? new Error('Connection terminated unexpectedly')
    for (const sent of this.sent.splice(0)) sent.group?.reject(sent.error ?? error)
    this.onFree()
  }
}

function isStale({ code, routine }: pg.DatabaseError): boolean {
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}
