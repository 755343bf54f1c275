// One socket: which channels it has joined, what it may still ask for, and how much it has not read yet. Nothing here
// has a timer of its own: sweep() is called for all sockets from one place.
import type { WebSocket } from 'ws'
import type { Exchange } from '../hub.ts'
import { Allowance, type Budget, eventBudget, joinBudget, maxPayload } from '../limits.ts'
import { Channel } from './channel.ts'
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
 * Milliseconds without a message after which a socket counts as dead. A heartbeat comes every 25 to 30 s, but browsers
 * wake a page in the background only once a minute.
 */
export const SILENCE = 90_000
/** Milliseconds that a socket over the limit is kept, for its client to read why it may not join. */
const SURPLUS = 10_000
/** Bytes that may wait for a reader; more are never kept than these and one message. */
const MAX_UNREAD = 1024 * 1024

/**
 * Bytes that a message may have with which a channel is joined, and those of all channels of one socket: what they ask
 * for is kept as long as they are.
 */
const MAX_JOIN = 128 * 1024
const MAX_JOINS = 512 * 1024
/** Bytes of its messages that may wait for the database. */
const MAX_WAITING = 4 * 1024 * 1024

/** Codes of closing (https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1). */
const INVALID = 1007
const POLICY = 1008

/** What a socket came with. */
export interface Arrival {
  version: Version
  /** The API key. */
  token: string
  /** JSON of its `x-…` headers. */
  headers: string
  /** There are too many sockets already: this one may not join anything. */
  surplus: boolean
}

export class Connection implements Arrival {
  readonly version: Version
  readonly token: string
  readonly headers: string
  readonly surplus: boolean
  readonly exchange: Exchange
  readonly channels = new Map<string, Channel>()
  /** For its messages that wait for the database. */
  readonly waiting = new Allowance(MAX_WAITING)
  /** For all that it tracks of itself. */
  readonly presences: Allowance
  private readonly socket: WebSocket
  private readonly joined = new Allowance(MAX_JOINS)
  private seen = Date.now()
  private joins: Budget | null = null
  private events: Budget | null = null

  constructor(socket: WebSocket, arrival: Arrival, exchange: Exchange) {
    this.socket = socket
    this.version = arrival.version
    this.token = arrival.token
    this.headers = arrival.headers
    this.surplus = arrival.surplus
    this.exchange = exchange
    this.presences = new Allowance(maxPayload(exchange.limits))
  }

  /** A message came. What is none closes the socket; its reason names the part and the rule. */
  receive(data: Buffer, binary: boolean): void {
    const now = Date.now()
    this.seen = now
    this.exchange.figures.received++
    let message: Incoming
    try {
      message = decode(data, binary, this.version)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.close(INVALID, error.message)
      return
    }
    this.events ??= eventBudget(this.exchange.limits)
    if (!this.events.take(now)) this.refuseFlood(message)
    else if (message.topic === 'phoenix') {
      if (message.event === 'heartbeat') this.reply(message, 'ok', {})
    } else if (message.event === 'phx_join') this.join(message, now)
    else this.handOn(message)
  }

  private handOn(message: Incoming): void {
    const channel = this.channels.get(message.topic)
    if (channel) {
      // Of a channel that this one took the place of.
      if (message.joinRef === null || message.joinRef === channel.joinRef) channel.receive(message)
    } else if (message.event === 'phx_leave') this.reply(message, 'ok', {})
    else if (message.ref !== null) this.reply(message, 'error', { reason: 'unmatched topic' })
  }

  private refuseFlood(message: Incoming): void {
    const channel = this.channels.get(message.topic)
    if (channel && message.event !== 'phx_join') channel.shutDown('Too many messages per second')
    else this.close(POLICY, 'Too many messages per second')
  }

  private join(message: Incoming, now: number): void {
    const { topic, ref, payload } = message
    this.joins ??= joinBudget(this.exchange.limits)
    const inTime = this.joins.take(now)
    const reason = inTime ? this.hindrance(message) : 'ClientJoinRateLimitReached: Too many joins per second'
    if (reason) this.reply(message, 'error', { reason })
    if (!inTime) this.close(POLICY, 'Too many joins per second')
    if (reason) return
    // Joining anew takes the place of the older channel.
    const older = this.channels.get(topic)
    const channel = new Channel(this, message)
    this.channels.set(topic, channel)
    older?.close('phx_close')
    this.joined.hold(message.size)
    channel.join(ref, payload as Record<string, unknown>)
  }

  /** Why nothing can be joined under this topic now. */
  private hindrance({ topic, size }: Incoming): string | null {
    if (size > MAX_JOIN) return 'InvalidJoinPayload: a join has at most 128 KiB'
    if (!topic.startsWith('realtime:')) return 'unmatched topic'
    if (topic === 'realtime:') return 'TopicNameRequired: You must provide a topic name'
    if (this.surplus) return 'ConnectionRateLimitReached: Too many connected users'
    const older = this.channels.get(topic)
    const others = this.channels.size - (older ? 1 : 0)
    if (others >= this.exchange.limits.max_channels_per_client) {
      return 'ChannelRateLimitReached: Too many channels'
    }
    const freed = older && !older.isPending ? older.size : 0
    if (!this.joined.fits(size - freed)) {
      return 'ChannelRateLimitReached: the joins of one socket have at most 512 KiB together'
    }
    return null
  }

  /** The channel has ended. */
  remove(channel: Channel): void {
    if (this.channels.get(channel.topic) === channel) this.channels.delete(channel.topic)
  }

  /** Nothing is kept any more of what the channel was joined with. */
  release(channel: Channel): void {
    this.joined.release(channel.size)
  }

  /** Answers a message, if it was numbered. */
  reply(
    { joinRef, ref, topic }: Pick<Incoming, 'joinRef' | 'ref' | 'topic'>,
    status: 'ok' | 'error',
    response: object,
  ): void {
    this.push(joinRef, ref, topic, 'phx_reply', { status, response })
  }

  push(joinRef: Ref, ref: Ref, topic: string, event: string, payload: object): void {
    this.send(encode(this.version, joinRef, ref, topic, event, JSON.stringify(payload)))
  }

  /** Null where this client's version cannot carry it. */
  encodeBroadcast(topic: string, message: UserBroadcast): Frame | null {
    return encodeBroadcast(this.version, topic, message)
  }

  /** Sends, unless the client reads too slowly: then it is cut off, since what waits for it costs memory. */
  send({ data, binary }: Frame): void {
    const { socket, exchange } = this
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MAX_UNREAD) {
      exchange.figures.cutOff++
      exchange.log.info({ unread: socket.bufferedAmount }, 'a socket that does not read was cut off')
      socket.terminate()
      return
    }
    exchange.figures.sent++
    socket.send(data, { binary })
  }

  /** Closes it; `reason` has at most 123 bytes. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason)
  }

  /** Ends what is dead by now (milliseconds since 1970): the socket itself, or channels whose token has expired. */
  sweep(now: number): void {
    const patience = this.surplus ? SURPLUS : SILENCE
    if (now - this.seen > patience) {
      this.socket.terminate()
      return
    }
    for (const channel of this.channels.values()) channel.sweep(now)
  }

  /** The socket is closed. */
  gone(): void {
    for (const channel of this.channels.values()) channel.forget()
    this.channels.clear()
  }
}
