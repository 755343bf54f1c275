// One channel of one socket, from joining to leaving: its messages, the token it is held with, and what it may hear.
// https://supabase.com/docs/guides/realtime/protocol
import { isUnavailable } from '../postgres/database.ts'
import { Attendance } from './attendance.ts'
import type { Extension } from './authorization.ts'
import { changeFrame } from './change-frames.ts'
import { BindingError, type Change, type ChangeListener, type Subscription } from './changes-contract.ts'
import type { Connection } from './connection.ts'
import { type Frame, type Incoming, type Ref, UserBroadcast, type Version } from './frames.ts'
import { expired, Refusal } from './identity.ts'
import { type JoinConfig, readJoin } from './join-config.ts'
import { maxPayload } from './limits.ts'
import { issuePass, mayNotRead, mayNotWrite, type Pass } from './pass.ts'
import { keptMessages } from './replay.ts'
import { type Listener, topicKey } from './topics.ts'

/** Messages of one channel that may wait for the database. */
const MAX_WAITING = 1000
/** Milliseconds in which the replication stream must be attached for who asks to be told. */
const REPLICATION_PATIENCE = 30_000
const MISSED = 'Changes may have been missed: subscribe again and fetch what is shown'

export class Channel implements Listener, ChangeListener {
  readonly version: Version
  readonly connection: Connection
  readonly topic: string
  readonly joinRef: Ref
  /** The topic as policies and other clients know it. */
  readonly name: string
  hears = { broadcast: false, presence: false }
  key = ''
  config: JoinConfig = NOTHING
  private pass: Pass | null = null
  private state: 'joining' | 'joined' | 'closed' = 'joining'
  private subscription: Subscription | null = null
  /** Changes that came before the client knew their numbers. */
  private early: [readonly number[], Change][] = []
  private replayed: Set<unknown> | null = null
  private attendance: Attendance | null = null
  private work: Promise<void> | null = null
  private waiting = 0

  constructor(connection: Connection, topic: string, joinRef: Ref) {
    this.connection = connection
    this.version = connection.version
    this.topic = topic
    this.name = topic.slice('realtime:'.length)
    this.joinRef = joinRef
  }

  private get exchange() {
    return this.connection.exchange
  }

  /** Joins, or says why not, in the answer to the message numbered `ref`. */
  async join(ref: Ref, payload: Record<string, unknown>): Promise<void> {
    const to = { joinRef: this.joinRef, ref, topic: this.topic }
    try {
      await this.admit(payload)
      const kept = await this.findKept()
      const { ids, problem } = await this.subscribe()
      if (this.isClosed) {
        // It left, or lost its socket, while the database was being asked.
        this.forget()
        return
      }
      this.state = 'joined'
      this.exchange.topics.add(this.key, this)
      const asked = this.config.asked.map((one, index) => ({ ...one, id: ids[index] }))
      this.connection.reply(to, 'ok', { postgres_changes: asked })
      if (asked.length > 0) {
        this.tell('postgres_changes', problem ? 'error' : 'ok', problem ?? 'Subscribed to PostgreSQL')
      }
      // Of what was asked for, only the answer needed the words.
      Object.assign(this.config, { asked: [], bindings: [] })
      for (const message of kept) this.connection.send(message)
      for (const [numbers, change] of this.early.splice(0)) this.event(numbers, change)
      this.sendPresence()
      if (this.config.replicationReady) this.tellWhenReplicated()
    } catch (error) {
      if (!this.isClosed) this.connection.reply(to, 'error', { reason: this.reasonOf(error) })
      this.leave()
    }
  }

  /** What the client asks for, and with what right. Throws Refusal. */
  private async admit(payload: Record<string, unknown>): Promise<void> {
    this.config = readJoin(payload)
    const { token, private: isPrivate } = this.config
    if (this.name.includes('\0'))
      throw new Refusal('InvalidJoinPayload', 'topic: must not have a NUL character')
    if (this.exchange.limits.private_only && !isPrivate) {
      throw new Refusal('PrivateOnly', 'This project only allows private channels')
    }
    this.key = topicKey(this.name, isPrivate)
    // A key in the place of a token says nothing that the socket's own does not say.
    this.hold(await this.issue(!token || token.startsWith('sb_') ? this.connection.token : token))
  }

  private issue(token: string): Promise<Pass> {
    const { headers } = this.connection
    return issuePass(this.exchange, { name: this.name, isPrivate: this.config.private, headers }, token)
  }

  private hold(pass: Pass): void {
    this.pass = pass
    const { broadcast, presence } = pass.reads
    this.hears = { broadcast, presence: presence && this.config.presenceEnabled }
  }

  private async findKept(): Promise<Frame[]> {
    const { replay, private: isPrivate } = this.config
    if (!replay) return []
    if (!isPrivate) {
      throw new Refusal('UnableToReplayMessages', 'Replay is not allowed for public channels')
    }
    if (!this.hears.broadcast) throw mayNotRead(this.name)
    const kept = await keptMessages(this.exchange.database, this.name, replay)
    this.replayed = new Set(kept.map(({ meta }) => meta?.id))
    return kept.flatMap((message) => this.connection.encodeBroadcast(this.topic, message) ?? [])
  }

  /** Like Supabase's, a channel with a wrong binding is joined, and told what is wrong. */
  private async subscribe(): Promise<{ ids: readonly number[]; problem: string | null }> {
    const { bindings } = this.config
    if (bindings.length === 0) return { ids: [], problem: null }
    try {
      this.subscription = await this.exchange.changes.subscribe(this.held().reader(), bindings, this)
      return { ids: this.subscription.ids, problem: null }
    } catch (error) {
      if (!(error instanceof BindingError)) throw error
      return { ids: bindings.map((_, index) => index + 1), problem: error.message }
    }
  }

  private reasonOf(error: unknown): string {
    if (error instanceof Refusal) return error.reason
    if (error instanceof RangeError) return 'InvalidJoinPayload: config: must not be nested so deeply'
    if (isUnavailable(error)) {
      return 'UnableToConnectToProject: Realtime was unable to connect to the project database'
    }
    this.exchange.log.error({ err: error, topic: this.name }, 'a channel could not be joined')
    return 'UnknownErrorOnChannel: Unknown Error on Channel'
  }

  /** A message for this channel. Those that ask the database keep the ones behind them waiting. */
  receive(message: Incoming): void {
    if (message.event === 'phx_leave') {
      this.connection.reply(message, 'ok', {})
      this.close('phx_close')
      return
    }
    if (this.work) {
      if (++this.waiting > MAX_WAITING) this.shutDown('Too many messages per second')
      this.work = this.work.then(() => {
        this.waiting--
        return this.handle(message)
      })
    } else {
      const work = this.handle(message)
      if (!work) return
      this.work = work
    }
    const latest = this.work.catch((error: unknown) => this.failed(error))
    this.work = latest
    latest.then(() => {
      if (this.work === latest) this.work = null
    })
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
    this.exchange.publish(this.key, sent, this.config.self ? null : this)
    if (this.config.ack) this.connection.reply(message, 'ok', {})
  }

  /** Does `act` if policies let this client send. */
  whenAllowed(extension: Extension, message: Incoming, act: () => void): Promise<void> | undefined {
    const decide = (may: boolean) => {
      if (this.isClosed) return
      if (may) act()
      else this.refuse(message, mayNotWrite(this.name).reason)
    }
    const may = this.held().mayWrite(extension)
    if (typeof may !== 'boolean') return may.then(decide)
    decide(may)
  }

  refuse(message: Incoming, reason: string): void {
    if (message.ref !== null) this.connection.reply(message, 'error', { reason })
  }

  /** A new token: from here on its claims count. */
  private async renew({ access_token: token }: Record<string, unknown>): Promise<void> {
    const before = this.held()
    if (typeof token !== 'string' || token.startsWith('sb_') || token === before.identity.token) return
    try {
      this.hold(await this.issue(token))
    } catch (error) {
      this.failed(error)
      return
    }
    if (this.isClosed) return
    const { reads } = this.held()
    if ((before.reads.broadcast && !reads.broadcast) || (before.reads.presence && !reads.presence)) {
      this.shutDown(`You no longer have permission to read from this Channel topic: ${this.name}`)
    } else this.subscription?.renew(this.held().reader())
  }

  /** What a client may not do ends the channel; what went wrong here has the client join again by itself. */
  private failed(error: unknown): void {
    if (this.isClosed) return
    if (error instanceof Refusal) this.shutDown(error.message)
    else {
      this.tell('system', 'error', this.reasonOf(error))
      this.close('phx_error')
    }
  }

  /** A row changed that this channel asked for. */
  event(ids: readonly number[], change: Change): void {
    if (this.state === 'joining') this.early.push([ids, change])
    else if (!this.isClosed) this.send(changeFrame(change, this.version, this.topic, ids))
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
  sendPresence(): void {
    if (!this.hears.presence) return
    this.connection.pushText(this.topic, 'presence_state', this.exchange.presences.state(this.key))
  }

  /** The client tracks itself, and hears from now on of the others. */
  enablePresence(): void {
    if (this.config.presenceEnabled) return
    this.config.presenceEnabled = true
    this.hears.presence = this.held().reads.presence
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
    const { channels } = this.connection
    if (channels.get(this.topic) === this) channels.delete(this.topic)
    this.forget()
  }

  /** Lets go of everything, without a word to the client. */
  forget(): void {
    this.state = 'closed'
    this.early = []
    this.exchange.topics.remove(this.key, this)
    this.attendance?.end()
    this.subscription?.close()
    this.subscription = null
  }

  /** `now` in milliseconds since 1970. */
  sweep(now: number): void {
    const ends = this.pass?.identity.expires
    if (ends && this.state === 'joined' && ends * 1000 <= now) this.shutDown(expired(ends).message)
  }

  get isClosed(): boolean {
    return this.state === 'closed'
  }

  private held(): Pass {
    return this.pass as Pass
  }
}

const NOTHING = readJoin({})

/** A broadcast that came as JSON: `{type, event, payload}`. Null without an event. */
function asBroadcast({ event, payload }: Record<string, unknown>): UserBroadcast | null {
  if (typeof event !== 'string') return null
  return new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(payload ?? {})))
}
