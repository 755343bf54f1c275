// One socket: its channels, its rate limits, and the bytes that its client has not read yet. Connections have no
// timers: sweep() is called for all sockets from one place.
import type { WebSocket } from 'ws'
import type { UnfinishedMessages } from '../../http/bodies.ts'
import type { TokenBucket } from '../../http/token-bucket.ts'
import type { Hub } from '../hub.ts'
import { eventLimiter, joinLimiter, maxPayloadBytes, Quota } from '../limits.ts'
import { Channel } from './channel.ts'
import type { ChannelSocket, Handshake, ReplyTo } from './channel-socket.ts'
import {
  decode,
  encode,
  encodeBroadcast,
  type Frame,
  FrameError,
  type Incoming,
  type Ref,
  type UserBroadcast,
  type Version,
} from './frames.ts'

/**
 * A socket without a message for this long counts as dead. A heartbeat comes every 25 to 30 s, but browsers wake a page
 * in the background only once a minute.
 */
export const IDLE_TIMEOUT_MS = 90_000
/** A socket over the limit is kept for this long, for its client to read why it may not join. */
const OVER_LIMIT_TIMEOUT_MS = 10_000
/** Bytes that the client may leave unread; more are never kept than these and one message. */
const MAX_UNREAD_BYTES = 1024 * 1024
/** Bytes of one join, and of the joins of all channels of one socket: bindings are kept as long as the channel. */
const MAX_JOIN_BYTES = 128 * 1024
const MAX_JOINS_BYTES = 512 * 1024
/** Bytes of messages that may wait for the database. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024

/** Close codes (https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1). */
const INVALID_PAYLOAD = 1007
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013

export class Connection implements ChannelSocket {
  readonly version: Version
  readonly token: string
  readonly address: string
  readonly headers: string
  readonly overLimit: boolean
  readonly hub: Hub
  readonly channels = new Map<string, Channel>()
  readonly queuedBytes = new Quota(MAX_QUEUED_BYTES)
  readonly presenceBytes: Quota
  private readonly socket: WebSocket
  private readonly joinBytes = new Quota(MAX_JOINS_BYTES)
  /** The received parts of an incomplete message; null while messages come in one part. */
  private unfinished: UnfinishedMessages | null = null
  /** Whether the part of which ws has just read made a message whole. */
  private isWhole = false
  /** By performance.now(): the clock may be set meanwhile. */
  private lastMessageAt = performance.now()
  private joins: TokenBucket | null = null
  private events: TokenBucket | null = null

  constructor(socket: WebSocket, handshake: Handshake, hub: Hub) {
    this.socket = socket
    this.version = handshake.version
    this.token = handshake.token
    this.address = handshake.address
    this.headers = handshake.headers
    this.overLimit = handshake.overLimit
    this.hub = hub
    this.presenceBytes = new Quota(maxPayloadBytes(hub.limits))
  }

  /** Handles a frame. One that is malformed closes the socket; the reason names the part and the rule. */
  receive(data: Buffer, binary: boolean): void {
    const now = performance.now()
    this.lastMessageAt = now
    this.isWhole = true
    this.hub.figures.received++
    let message: Incoming
    try {
      message = decode(data, binary, this.version)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.close(INVALID_PAYLOAD, error.message)
      return
    }
    this.events ??= eventLimiter(this.hub.limits)
    if (!this.events.take(now)) this.rejectFlood(message)
    else if (message.topic === 'phoenix') {
      if (message.event === 'heartbeat') this.reply(message, 'ok', {})
    } else if (message.event === 'phx_join') this.join(message, now)
    else this.dispatch(message)
  }

  /**
   * So many bytes came. The beginning of a message behind the end of another is counted with the next: 64 KB at most.
   */
  onPart(bytes: number): void {
    if (this.isWhole) {
      this.forgetUnfinished()
      this.isWhole = false
    } else if (this.socket.readyState === this.socket.OPEN) {
      this.unfinished ??= this.hub.bodies.messages(this.address, () => this.refuseUnfinished())
      this.unfinished.part(bytes)
    }
  }

  private forgetUnfinished(): void {
    this.unfinished?.release()
    this.unfinished = null
  }

  /** The message is kept by ws, until the connection is gone. */
  private refuseUnfinished(): void {
    this.close(TRY_AGAIN_LATER, 'Too much of unfinished messages is in memory')
    this.socket.terminate()
  }

  private dispatch(message: Incoming): void {
    const channel = this.channels.get(message.topic)
    if (channel) {
      // Messages of a channel that this one replaced are ignored.
      if (message.joinRef === null || message.joinRef === channel.joinRef) channel.receive(message)
    } else if (message.event === 'phx_leave') this.reply(message, 'ok', {})
    else if (message.ref !== null) this.reply(message, 'error', { reason: 'unmatched topic' })
  }

  private rejectFlood(message: Incoming): void {
    const channel = this.channels.get(message.topic)
    if (channel && message.event !== 'phx_join') channel.shutDown('Too many messages per second')
    else this.close(POLICY_VIOLATION, 'Too many messages per second')
  }

  private join(message: Incoming, now: number): void {
    const { topic, ref, payload } = message
    this.joins ??= joinLimiter(this.hub.limits)
    const withinRate = this.joins.take(now)
    const reason = withinRate
      ? this.reasonNotToJoin(message)
      : 'ClientJoinRateLimitReached: Too many joins per second'
    if (reason) this.reply(message, 'error', { reason })
    if (!withinRate) this.close(POLICY_VIOLATION, 'Too many joins per second')
    if (reason) return
    // A second join of the same topic replaces the first channel.
    const previous = this.channels.get(topic)
    const channel = new Channel(this, message)
    this.channels.set(topic, channel)
    previous?.close('phx_close')
    this.joinBytes.reserve(message.size)
    channel.join(ref, payload as Record<string, unknown>)
  }

  private reasonNotToJoin({ topic, size }: Incoming): string | null {
    if (size > MAX_JOIN_BYTES) return 'InvalidJoinPayload: a join has at most 128 KiB'
    if (!topic.startsWith('realtime:')) return 'unmatched topic'
    if (topic === 'realtime:') return 'TopicNameRequired: You must provide a topic name'
    if (this.overLimit) return 'ConnectionRateLimitReached: Too many connected users'
    const previous = this.channels.get(topic)
    const others = this.channels.size - (previous ? 1 : 0)
    if (others >= this.hub.limits.max_channels_per_client) {
      return 'ChannelRateLimitReached: Too many channels'
    }
    const freed = previous && !previous.isPending ? previous.size : 0
    if (!this.joinBytes.fits(size - freed)) {
      return 'ChannelRateLimitReached: the joins of one socket have at most 512 KiB together'
    }
    return null
  }

  remove(channel: Channel): void {
    if (this.channels.get(channel.topic) === channel) this.channels.delete(channel.topic)
  }

  releaseJoin(bytes: number): void {
    this.joinBytes.release(bytes)
  }

  reply({ joinRef, ref, topic }: ReplyTo, status: 'ok' | 'error', response: object): void {
    this.push(joinRef, ref, topic, 'phx_reply', { status, response })
  }

  push(joinRef: Ref, ref: Ref, topic: string, event: string, payload: object): void {
    this.send(encode(this.version, joinRef, ref, topic, event, JSON.stringify(payload)))
  }

  encodeBroadcast(topic: string, message: UserBroadcast): Frame | null {
    return encodeBroadcast(this.version, topic, message)
  }

  /** Sends, unless the client reads too slowly: then it is disconnected, since what waits for it costs memory. */
  send({ data, binary }: Frame): void {
    const { socket, hub } = this
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) {
      hub.figures.cutOff++
      hub.log.info({ unread: socket.bufferedAmount }, 'a socket that does not read was cut off')
      socket.terminate()
      return
    }
    hub.figures.sent++
    socket.send(data, { binary })
  }

  /** Closes it; `reason` has at most 123 bytes. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason)
  }

  /** Ends the socket if it is idle, or channels whose token has expired. */
  sweep(): void {
    const timeout = this.overLimit ? OVER_LIMIT_TIMEOUT_MS : IDLE_TIMEOUT_MS
    if (performance.now() - this.lastMessageAt > timeout) {
      this.socket.terminate()
      return
    }
    const now = Date.now()
    for (const channel of this.channels.values()) channel.sweep(now)
  }

  onClose(): void {
    this.forgetUnfinished()
    for (const channel of this.channels.values()) channel.dispose()
    this.channels.clear()
  }
}
