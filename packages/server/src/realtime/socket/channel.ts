// One channel of one socket, from its join to its end: its messages, its authorization, and what it receives.
// https://supabase.com/docs/guides/realtime/protocol
import type { Extension } from '../authorization.ts'
import type { Change, ChangeListener, Subscription } from '../changes/contract.ts'
import { withTimeout } from '../concurrency-limit.ts'
import type { Hub } from '../hub.ts'
import { maxPayloadBytes } from '../limits.ts'
import { type TopicListener, topicKey } from '../topics.ts'
import { tokenExpired } from './access-token.ts'
import { changeFrame } from './change-frames.ts'
import { ChannelPresence, type PresenceChannel } from './channel-presence.ts'
import type { ChannelSocket, ReplyTo } from './channel-socket.ts'
import { type Frame, type Incoming, type Ref, UserBroadcast, type Version } from './frames.ts'
import { authorizeToken, type JoinRequest, type JoinResult, join, joinErrorReason } from './join.ts'
import type { ChannelSettings } from './join-config.ts'
import { JoinError, mayNotWrite } from './join-error.ts'
import { MessageQueue } from './message-queue.ts'

/** Time for the replication stream to be attached, for clients that want to know (`replication_ready`). */
const REPLICATION_TIMEOUT_MS = 30_000
const MISSED = 'Broadcasts may have been missed: fetch what is shown'
const RESYNC = 'Changes may have been missed: subscribe again and fetch what is shown'

export class Channel implements TopicListener, ChangeListener, PresenceChannel {
  readonly version: Version
  readonly socket: ChannelSocket
  readonly topic: string
  readonly joinRef: Ref
  /** Bytes of the join message: its bindings are kept as long as the channel. */
  readonly size: number
  receives = { broadcast: false, presence: false }
  private readonly request: JoinRequest
  private joined: Pick<JoinResult, 'settings' | 'authorization'> | null = null
  /** Its join is not decided, even if it was left meanwhile. */
  isPending = true
  private state: 'joining' | 'joined' | 'closed' = 'joining'
  private subscription: Subscription | null = null
  private replayedIds: Set<unknown> | null = null
  private presence: ChannelPresence | null = null
  private queue: MessageQueue | null = null

  constructor(socket: ChannelSocket, { topic, joinRef, size }: Incoming) {
    this.socket = socket
    this.version = socket.version
    this.topic = topic
    this.joinRef = joinRef
    this.size = size
    const { hub, token, headers } = socket
    const subTopic = topic.slice('realtime:'.length)
    this.request = { hub, subTopic, token, headers, listener: this }
  }

  private get hub(): Hub {
    return this.socket.hub
  }

  /** The topic as policies and other clients know it. */
  private get subTopic(): string {
    return this.request.subTopic
  }

  get key(): string {
    return topicKey(this.subTopic, this.settings.isPrivate)
  }

  /** Replies to the message numbered `ref`: joined, or why not. */
  async join(ref: Ref, payload: Record<string, unknown>): Promise<void> {
    const to = { joinRef: this.joinRef, ref, topic: this.topic }
    const joining = join(this.request, payload)
    // While the database works the channel may have been left, lost its socket, or timed out.
    joining.then(
      ({ subscription }) => {
        if (this.isClosed) subscription?.close()
      },
      () => {},
    )
    try {
      const result = await withTimeout(joining)
      if (!this.isClosed) this.onJoined(to, result)
    } catch (error) {
      if (!this.isClosed) this.socket.reply(to, 'error', { reason: joinErrorReason(error, this.request) })
      this.leave()
    } finally {
      this.isPending = false
      if (this.isClosed) this.socket.releaseJoin(this.size)
    }
  }

  private onJoined(to: ReplyTo, result: JoinResult): void {
    const { settings, authorization, replay, subscription, bindings, bindingError } = result
    this.joined = { settings, authorization }
    this.subscription = subscription
    this.updateReceives()
    this.state = 'joined'
    this.hub.topics.add(this.key, this)
    this.socket.reply(to, 'ok', { postgres_changes: bindings })
    if (bindings.length > 0) {
      const status = bindingError ? 'error' : 'ok'
      this.pushSystem('postgres_changes', status, bindingError ?? 'Subscribed to PostgreSQL')
    }
    if (replay.length > 0) this.replayedIds = new Set(replay.map(({ meta }) => meta?.id))
    for (const message of replay) {
      const frame = this.socket.encodeBroadcast(this.topic, message)
      if (frame) this.send(frame)
    }
    this.sendPresenceState()
    if (result.replicationReady) this.pushWhenReplicating()
  }

  private updateReceives(): void {
    const { broadcast, presence } = this.authorization.reads
    this.receives = { broadcast, presence: presence && this.settings.presenceEnabled }
  }

  /** A message for this channel. Those that query the database keep the ones behind them waiting. */
  receive(message: Incoming): void {
    if (message.event === 'phx_leave') {
      this.socket.reply(message, 'ok', {})
      this.close('phx_close')
      return
    }
    this.queue ??= new MessageQueue(this.socket.queuedBytes, {
      handle: (one) => this.handle(one),
      onError: (error) => this.onError(error),
    })
    if (!this.queue.push(message)) this.shutDown('Too many messages per second')
  }

  private handle(message: Incoming): Promise<void> | undefined {
    // Before the reply to its join a client sends nothing else.
    if (this.state !== 'joined') return
    if (message.event === 'broadcast') return this.broadcast(message)
    if (message.event === 'presence') {
      this.presence ??= new ChannelPresence(this)
      return this.presence.receive(message)
    }
    if (message.event === 'access_token') {
      return this.renewToken(message.payload as Record<string, unknown>)
    }
  }

  private broadcast(message: Incoming): Promise<void> | undefined {
    const { payload } = message
    const broadcast = payload instanceof UserBroadcast ? payload : parseBroadcast(payload)
    const { limits } = this.hub
    if (!broadcast) this.reject(message, 'InvalidPayload: event must be a text')
    else if (broadcast.payload.length > maxPayloadBytes(limits)) {
      this.reject(message, `PayloadSizeExceeded: a payload has at most ${limits.max_payload_size_in_kb} kB`)
    } else return this.ifMayWrite('broadcast', message, () => this.publish(message, broadcast))
  }

  private publish(message: Incoming, broadcast: UserBroadcast): void {
    const { self, ack } = this.settings
    this.hub.publish(this.key, broadcast, self ? null : this)
    if (ack) this.socket.reply(message, 'ok', {})
  }

  /** Does `action` if policies let this client send; at once where that is known. */
  ifMayWrite(extension: Extension, message: Incoming, action: () => void): Promise<void> | undefined {
    const decide = (may: boolean) => {
      if (this.isClosed) return
      if (may) action()
      else this.reject(message, mayNotWrite(this.subTopic).reason)
    }
    const may = this.authorization.mayWrite(extension)
    if (typeof may !== 'boolean') return may.then(decide)
    decide(may)
  }

  reject(message: Incoming, reason: string): void {
    if (message.ref !== null) this.socket.reply(message, 'error', { reason })
  }

  /** A new token: from here on its claims count. */
  private async renewToken({ access_token: token }: Record<string, unknown>): Promise<void> {
    const previous = this.authorization
    if (typeof token !== 'string' || token.startsWith('sb_') || token === previous.token.token) return
    const renewed = await authorizeToken(this.request, this.settings, token)
    if (this.isClosed) return
    if (
      (previous.reads.broadcast && !renewed.reads.broadcast) ||
      (previous.reads.presence && !renewed.reads.presence)
    ) {
      this.shutDown(`You no longer have permission to read from this Channel topic: ${this.subTopic}`)
      return
    }
    this.joined = { settings: this.settings, authorization: renewed }
    this.updateReceives()
    this.subscription?.renew(renewed.principal)
  }

  /** A forbidden action closes the channel. After a server failure the client joins again by itself. */
  private onError(error: unknown): void {
    if (this.isClosed) return
    if (error instanceof JoinError) this.shutDown(error.message)
    else {
      this.pushSystem('system', 'error', joinErrorReason(error, this.request))
      this.close('phx_error')
    }
  }

  /** Changes from before the reply to its join the client reads for itself. */
  onChange(ids: readonly number[], change: Change): void {
    if (this.state !== 'joined') return
    this.send(changeFrame(change, this.version, this.topic, this.settings.isLegacy ? null : ids))
  }

  /** The client joins again by itself, and fetches what it may have missed. */
  onResync(): void {
    if (this.isClosed) return
    this.pushSystem('postgres_changes', 'error', RESYNC)
    this.close('phx_error')
  }

  /** The channel goes on: whoever shows what came by broadcasts fetches it anew. */
  onMissed(): void {
    this.pushSystem('broadcast', 'error', MISSED)
  }

  wasReplayed({ meta }: UserBroadcast): boolean {
    return this.replayedIds !== null && meta !== null && this.replayedIds.has(meta.id)
  }

  send(frame: Frame): void {
    this.socket.send(frame)
  }

  private sendPresenceState(): void {
    if (this.receives.presence) this.send(this.hub.presence.stateFrame(this.key, this.version))
  }

  /** A client that tracks itself receives presence from then on. */
  enablePresence(): void {
    if (this.settings.presenceEnabled) return
    this.settings.presenceEnabled = true
    this.updateReceives()
    this.sendPresenceState()
  }

  private pushSystem(extension: string, status: 'ok' | 'error', message: string): void {
    const payload = { extension, status, message, channel: this.subTopic }
    this.socket.push(this.joinRef, null, this.topic, 'system', payload)
  }

  private pushWhenReplicating(): void {
    this.hub.changes.ready(REPLICATION_TIMEOUT_MS).then(
      () => {
        if (!this.isClosed) this.pushSystem('system', 'ok', 'Replication connection established')
      },
      () => this.shutDown('Replication connection was not established in time'),
    )
  }

  /** Closes it from this side, with a system message. */
  shutDown(message: string): void {
    if (this.isClosed) return
    this.pushSystem('system', 'error', message)
    this.close('phx_close')
  }

  /** Closes it: after `phx_error` clients join again, after `phx_close` they don't. */
  close(event: 'phx_close' | 'phx_error'): void {
    this.socket.push(this.joinRef, this.joinRef, this.topic, event, {})
    this.leave()
  }

  private leave(): void {
    if (this.isClosed) return
    this.socket.remove(this)
    if (!this.isPending) this.socket.releaseJoin(this.size)
    this.dispose()
  }

  /** Releases everything, without a message to the client. */
  dispose(): void {
    this.state = 'closed'
    if (this.joined) this.hub.topics.remove(this.key, this)
    this.presence?.end()
    this.subscription?.close()
    this.subscription = null
  }

  /** Closes it when its token has expired. `now` in milliseconds since 1970. */
  sweep(now: number): void {
    const expires = this.joined?.authorization.token.expires
    if (expires && this.state === 'joined' && expires * 1000 <= now) {
      this.shutDown(tokenExpired(expires).message)
    }
  }

  get isClosed(): boolean {
    return this.state === 'closed'
  }

  /** Only once it is joined. */
  get settings(): ChannelSettings {
    return (this.joined as NonNullable<typeof this.joined>).settings
  }

  /** Only once it is joined. */
  private get authorization() {
    return (this.joined as NonNullable<typeof this.joined>).authorization
  }
}

/** A broadcast that came as JSON: `{type, event, payload}` and whatever else. Null without an event. */
function parseBroadcast({ type: _, event, payload, ...rest }: Record<string, unknown>): UserBroadcast | null {
  if (typeof event !== 'string') return null
  const more = Object.keys(rest).length > 0 ? rest : null
  return new UserBroadcast(event, 'json', Buffer.from(JSON.stringify(payload ?? {})), null, more)
}
