// One connection that takes turn after turn of statements, as many as are to be sent in one write. PostgreSQL answers
// them in the order in which they came.
// https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import type { Socket } from 'node:net'
import type pg from 'pg'
import { streamOf } from '../client.ts'
import { patienceFor, SilenceWatch } from '../idle-timeout.ts'
import { doubt } from '../latency.ts'
import { Prepared } from '../prepared.ts'
import { type Group, Turn } from './batch.ts'
import type { LaneClient } from './client.ts'
import { Incoming, isKept, Outgoing, readError, readRow } from './messages.ts'

const MESSAGE = { ERROR: 0x45, ROW: 0x44, COMPLETE: 0x43, EMPTY: 0x49, READY: 0x5a } as const
/** What a Sync's answer says when no transaction is open. */
const IDLE = 0x49

export type LaneEvents = {
  /** After each answer, and when the connection is lost. */
  onFree(): void
  /** PostgreSQL refused the group before it did anything. */
  onRetry(group: Group): void
  /** Groups that were not run because one before them failed. */
  onSkipped(groups: readonly Group[]): void
  onLost(): void
}

export class Lane {
  /** When the turn that is answered now began to be worked on, by performance.now(). */
  headSince = 0
  lastUsed = performance.now()
  private readonly sent: Turn[] = []
  private readonly outgoing = new Outgoing()
  private readonly prepared = new Prepared()
  private readonly client: pg.Client
  private readonly stream: Socket
  private readonly events: LaneEvents
  private readonly silence: SilenceWatch
  private failure: Error | null = null

  /**
   * The client is connected and from here on belongs to the lane. `statementTimeout` is what its session has, in
   * milliseconds.
   */
  constructor({ client, onData }: LaneClient, statementTimeout: number, events: LaneEvents) {
    this.client = client
    this.events = events
    this.stream = streamOf(client)
    this.silence = new SilenceWatch({
      stream: () => this.stream,
      patience: () => patienceFor(this.sent[0]?.mayTake(statementTimeout) ?? 0),
      address: () => client,
    })
    const incoming = new Incoming((type, bytes, from, to, mayKeep) =>
      this.receive(type, bytes, from, to, mayKeep),
    )
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

  /** Turns sent or about to be sent whose answers are still to come. */
  get waiting(): number {
    return this.sent.length
  }

  /** What PostgreSQL works on now. */
  get working(): Group | undefined {
    return this.sent[0]?.working
  }

  /**
   * Adds a turn to what `flush` sends. Several groups have to be such as only read and seldom fail, and nothing may be
   * added behind them before they are answered: a failure leaves their transaction open.
   */
  add(groups: readonly Group[]): void {
    const now = performance.now()
    if (this.sent.length === 0) {
      this.headSince = now
      this.silence.begin()
    }
    this.lastUsed = now
    const turn = new Turn(groups)
    this.sent.push(turn)
    turn.write(this.outgoing, this.prepared)
  }

  /** Sends what was added, in one write. */
  flush(): void {
    const bytes = this.outgoing.take()
    if (bytes.length > 0 && this.stream.writable) this.stream.write(bytes)
  }

  /** Gives back all groups but one that is worked on by itself; their answers will be ignored. Only for reads. */
  giveBack(): Group[] {
    const [head, ...behind] = this.sent
    if (head?.working?.pace) doubt(head.working.pace)
    const groups = head?.isShared ? [...head.takeUnanswered()] : []
    for (const turn of behind) groups.push(...turn.takeUnanswered())
    return groups
  }

  async end(): Promise<void> {
    await this.client.end()
  }

  /** Returns whether it keeps the bytes. */
  private receive(type: number, bytes: Buffer, from: number, to: number, mayKeep: boolean): boolean {
    const head = this.sent[0]
    if (!head) return false
    switch (type) {
      case MESSAGE.ROW: {
        const columns = readRow(bytes, from, mayKeep)
        head.row(columns)
        return mayKeep && isKept(columns, bytes)
      }
      case MESSAGE.COMPLETE:
      case MESSAGE.EMPTY:
        head.completed()
        break
      case MESSAGE.ERROR:
        head.error ??= readError(bytes, from, to)
        break
      case MESSAGE.READY:
        this.answered(head, bytes[from] === IDLE)
        break
    }
    return false
  }

  private answered(turn: Turn, idle: boolean): void {
    const now = performance.now()
    const took = now - this.headSince
    this.sent.shift()
    this.headSince = now
    if (this.sent.length === 0) this.silence.end()
    turn.learn(took)
    if (turn.error) this.refused(turn, turn.error, now)
    else turn.ended()
    if (!idle && this.sent.length === 0) {
      this.add([])
      this.flush()
    }
    this.events.onFree()
  }

  private refused(turn: Turn, error: pg.DatabaseError, now: number): void {
    for (const text of turn.unsure()) this.prepared.forget(text)
    const [failing, ...behind] = turn.takeUnanswered()
    if (!failing) return
    if (isStale(error)) {
      // The schema changed under a prepared statement, before it did anything: prepare anew, once.
      this.prepared.forgetAll()
      this.events.onRetry(failing)
    } else {
      if (failing.pace) failing.pace.failed = now
      failing.reject(error)
    }
    if (behind.length > 0) this.events.onSkipped(behind)
  }

  private lost(): void {
    this.silence.end()
    const error = this.failure ?? new Error('Connection terminated unexpectedly')
    for (const turn of this.sent.splice(0))
      for (const group of turn.takeUnanswered()) group.reject(turn.error ?? error)
    this.events.onFree()
  }
}

function isStale({ code, routine }: pg.DatabaseError): boolean {
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}
