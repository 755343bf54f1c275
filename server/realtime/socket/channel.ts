// One channel of one socket, from joining to leaving: its messages, the token it is held with, and what it may hear.
// https://supabase.com/docs/guides/realtime/protocol

import type { Extension } from '../authorization.ts'
import type { Change, ChangeListener, Subscription } from '../changes/contract.ts'
import { inTime } from '../concurrency-limit.ts'
import type { Exchange } from '../hub.ts'
import { maxPayload } from '../limits.ts'
import { type Listener, topicKey } from '../topics.ts'
import { changeFrame } from './change-frames.ts'
import { mayNotWrite } from './channel-authorization.ts'
import { Attendance } from './channel-presence.ts'
import type { Connection } from './connection.ts'
import { type Frame, type Incoming, type Ref, UserBroadcast, type Version } from './frames.ts'
import { type Admission, type Applicant, admit, passFor, reasonOf } from './join.ts'
import type { ChannelSettings } from './join-config.ts'
import { Line } from './message-queue.ts'
import { expired, Refusal } from './principal.ts'

/** Milliseconds in which the replication stream must be attached for who asks to be told. */
const REPLICATION_PATIENCE = 30_000
const MISSED = 'Changes may have been missed: subscribe again and fetch what is shown'

/** What a joined channel is held by. */
type Held = Pick<Admission, 'settings' | 'pass'>

export class Channel implements Listener, ChangeListener {
  readonly version: Version
  readonly connection: Connection
  readonly topic: string
  readonly joinRef: Ref
  /** Bytes of the message with which it was joined: what it asks for is kept as long as the channel. */
  readonly size: number
  hears = { broadcast: false, presence: false }
  private readonly applicant: Applicant
  private admission: Held | null = null
  /** Its join is not decided, even if it has left meanwhile. */
  isPending = true
  private state: 'joining' | 'joined' | 'closed' = 'joining'
  private subscription: Subscription | null = null
  private replayed: Set<unknown> | null = null
  private attendance: Attendance | null = null
  private line: Line | null = null

  constructor(connection: Connection, { topic, joinRef, size }: Incoming) {
    this.connection = connection
    this.version = connection.version
    this.topic = topic
    this.joinRef = joinRef
    this.size = size
    const { exchange, token, headers } = connection
    const name = topic.slice('realtime:'.length)
    this.applicant = { exchange, name, token, headers, listener: this }
  }

  private get exchange(): Exchange {
    return this.applicant.exchange
  }

  /** The topic as policies and other clients know it. */
  get name(): string {
    return this.applicant.name
  }

  /** The topic among those of all channels, see topics.ts. */
  get key(): string {
    return topicKey(this.name, this.settings.isPrivate)
  }

  /** Joins, or says why not, in the answer to the message numbered `ref`. */
  async join(ref: Ref, payload: Record<string, unknown>): Promise<void> {
    const to = { joinRef: this.joinRef, ref, topic: this.topic }
    const admitted = admit(this.applicant, payload)
    // It may have left, lost its socket, or been told that it takes too long, while the database was being asked.
    admitted.then(
      ({ subscription }) => {
        if (this.isClosed) subscription?.close()
      },
      () => {},
    )
    try {
      const admission = await inTime(admitted)
      if (!this.isClosed) this.enter(to, admission)
    } catch (error) {
      if (!this.isClosed) this.connection.reply(to, 'error', { reason: reasonOf(error, this.applicant) })
      this.leave()
    } finally {
      this.isPending = false
      if (this.isClosed) this.connection.release(this)
    }
  }

  private enter(to: Pick<Incoming, 'joinRef' | 'ref' | 'topic'>, admission: Admission): void {
    const { settings, pass, kept, subscription, bindings, problem, replicationReady } = admission
    this.admission = { settings, pass }
    this.subscription = subscription
    this.hear()
    this.state = 'joined'
    this.exchange.topics.add(this.key, this)
    this.connection.reply(to, 'ok', { postgres_changes: bindings })
    if (bindings.length > 0) {
      this.tell('postgres_changes', problem ? 'error' : 'ok', problem ?? 'Subscribed to PostgreSQL')
    }
    if (kept.length > 0) this.replayed = new Set(kept.map(({ meta }) => meta?.id))
    for (const message of kept) {
      const frame = this.connection.encodeBroadcast(this.topic, message)
      if (frame) this.send(frame)
    }
    this.sendPresence()
    if (replicationReady) this.tellWhenReplicated()
  }

  /** Listens to what it asked for and may hear. */
  private hear(): void {
    const { broadcast, presence } = this.held.pass.reads
    this.hears = { broadcast, presence: presence && this.settings.presenceEnabled }
  }

  /** A message for this channel. Those that ask the database keep the ones behind them waiting. */
  receive(message: Incoming): void {
    if (message.event === 'phx_leave') {
      this.connection.reply(message, 'ok', {})
      this.close('phx_close')
      return
    }
    this.line ??= new Line(this.connection.waiting, {
      handle: (one) => this.handle(one),
      failed: (error) => this.failed(error),
    })
    if (!this.line.take(message)) this.shutDown('Too many messages per second')
  }

  private handle(message: Incoming): Promise<void> | undefined {
    // Before the answer to its join a client sends nothing else.
    if (this.state !== 'joined') return
    if (message.event === 'broadcast') return this.broadcast(message)
    if (message.event === 'presence') {
      this.attendance ??= new Attendance(this)
      return this.attendance.receive(message)
    }
    if (message.event === 'access_token') return this.renew(message.payload as Record<string, unknown>)
  }

  private broadcast(message: Incoming): Promise<void> | undefined {
    const { payload } = message
    const sent = payload instanceof UserBroadcast ? payload : asBroadcast(payload)
    const { limits } = this.exchange
    if (!sent) this.refuse(message, 'InvalidPayload: event must be a text')
    else if (sent.payload.length > maxPayload(limits)) {
      this.refuse(message, `PayloadSizeExceeded: a payload has at most ${limits.max_payload_size_in_kb} kB`)
    } else return this.whenAllowed('broadcast', message, () => this.publish(message, sent))
  }

  private publish(message: Incoming, sent: UserBroadcast): void {
    const { self, ack } = this.settings
    this.exchange.publish(this.key, sent, self ? null : this)
    if (ack) this.connection.reply(message, 'ok', {})
  }

  /** Does `act` if policies let this client send. */
  whenAllowed(extension: Extension, message: Incoming, act: () => void): Promise<void> | undefined {
    const decide = (may: boolean) => {
      if (this.isClosed) return
      if (may) act()
      else this.refuse(message, mayNotWrite(this.name).reason)
    }
    const may = this.held.pass.mayWrite(extension)
    if (typeof may !== 'boolean') return may.then(decide)
    decide(may)
  }

  refuse(message: Incoming, reason: string): void {
    if (message.ref !== null) this.connection.reply(message, 'error', { reason })
  }

  /** A new token: from here on its claims count. */
  private async renew({ access_token: token }: Record<string, unknown>): Promise<void> {
    const before = this.held.pass
    if (typeof token !== 'string' || token.startsWith('sb_') || token === before.identity.token) return
    const pass = await passFor(this.applicant, this.settings, token)
    if (this.isClosed) return
    if (
      (before.reads.broadcast && !pass.reads.broadcast) ||
      (before.reads.presence && !pass.reads.presence)
    ) {
      this.shutDown(`You no longer have permission to read from this Channel topic: ${this.name}`)
      return
    }
    this.held.pass = pass
    this.hear()
    this.subscription?.renew(pass.reader())
  }

  /** What a client may not do ends the channel; what went wrong here has the client join again by itself. */
  private failed(error: unknown): void {
    if (this.isClosed) return
    if (error instanceof Refusal) this.shutDown(error.message)
    else {
      this.tell('system', 'error', reasonOf(error, this.applicant))
      this.close('phx_error')
    }
  }

  /** A row changed that this channel asked for. What came before the answer to its join it reads for itself. */
  event(ids: readonly number[], change: Change): void {
    if (this.state !== 'joined') return
    this.send(changeFrame(change, this.version, this.topic, this.settings.isLegacy ? null : ids))
  }

  /** The client joins again by itself, and fetches what it may have missed. */
  gap(): void {
    if (this.isClosed) return
    this.tell('postgres_changes', 'error', MISSED)
    this.close('phx_error')
  }

  hasHad({ meta }: UserBroadcast): boolean {
    return this.replayed !== null && meta !== null && this.replayed.has(meta.id)
  }

  send(frame: Frame): void {
    this.connection.send(frame)
  }

  /** Everyone present, to this client; nothing where it may not know. */
  private sendPresence(): void {
    if (this.hears.presence) this.send(this.exchange.presences.state(this.key, this.version))
  }

  /** The client tracks itself, and hears from now on of the others. */
  enablePresence(): void {
    if (this.settings.presenceEnabled) return
    this.settings.presenceEnabled = true
    this.hear()
    this.sendPresence()
  }

  private tell(extension: string, status: 'ok' | 'error', message: string): void {
    const payload = { extension, status, message, channel: this.name }
    this.connection.push(this.joinRef, null, this.topic, 'system', payload)
  }

  private tellWhenReplicated(): void {
    this.exchange.changes.ready(REPLICATION_PATIENCE).then(
      () => {
        if (!this.isClosed) this.tell('system', 'ok', 'Replication connection established')
      },
      () => this.shutDown('Replication connection was not established in time'),
    )
  }

  /** Ends it from this side, saying why. */
  shutDown(message: string): void {
    if (this.isClosed) return
    this.tell('system', 'error', message)
    this.close('phx_close')
  }

  /** Ends it: after `phx_error` clients join again, after `phx_close` they don't. */
  close(event: 'phx_close' | 'phx_error'): void {
    this.connection.push(this.joinRef, this.joinRef, this.topic, event, {})
    this.leave()
  }

  private leave(): void {
    if (this.isClosed) return
    this.connection.remove(this)
    if (!this.isPending) this.connection.release(this)
    this.forget()
  }

  /** Lets go of everything, without a word to the client. */
  forget(): void {
    this.state = 'closed'
    if (this.admission) this.exchange.topics.remove(this.key, this)
    this.attendance?.end()
    this.subscription?.close()
    this.subscription = null
  }

  /** `now` in milliseconds since 1970. */
  sweep(now: number): void {
    const ends = this.admission?.pass.identity.expires
    if (ends && this.state === 'joined' && ends * 1000 <= now) this.shutDown(expired(ends).message)
  }

  get isClosed(): boolean {
    return this.state === 'closed'
  }

  get settings(): ChannelSettings {
    return this.held.settings
  }

  /** Only once it is joined. */
  private get held(): Held {
    return this.admission as Held
  }
}

/** A broadcast that came as JSON: `{type, event, payload}` and whatever else. Null without an event. */
function asBroadcast({ type: _, event, payload, ...rest }: Record<string, unknown>): UserBroadcast | null {
  if (typeof event !== 'string') return null
  const more = Object.keys(rest).length > 0 ? rest : null
  return new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(payload ?? {})), null, more)
}
