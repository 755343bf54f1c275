// Presence of one channel: track and untrack, and leaving when the channel ends.
// https://supabase.com/docs/guides/realtime/presence
import { randomUUID } from 'node:crypto'
import type { TokenBucket } from '../../http/token-bucket.ts'
import type { Extension } from '../authorization.ts'
import { clientPresenceLimiter, maxPayloadBytes } from '../limits.ts'
import type { Member } from '../presence.ts'
import type { ChannelSocket } from './channel-socket.ts'
import { type Incoming, isObject } from './frames.ts'
import type { ChannelSettings } from './join-config.ts'

/** The parts of a channel that presence uses. */
export interface PresenceChannel {
  readonly socket: ChannelSocket
  readonly settings: ChannelSettings
  /** See topicKey. */
  readonly key: string
  ifMayWrite(extension: Extension, message: Incoming, action: () => void): Promise<void> | undefined
  reject(message: Incoming, reason: string): void
  enablePresence(): void
  shutDown(message: string): void
}

export class ChannelPresence {
  private readonly channel: PresenceChannel
  private readonly limiter: TokenBucket
  private readonly key: string
  private member: Member | null = null
  /** JSON of the tracked meta: the same again changes nothing. */
  private meta = ''
  /** Bytes of it. */
  private size = 0

  constructor(channel: PresenceChannel) {
    this.channel = channel
    this.limiter = clientPresenceLimiter(channel.socket.hub.limits)
    this.key = channel.settings.presenceKey ?? randomUUID()
  }

  receive(message: Incoming): Promise<void> | undefined {
    const { channel } = this
    const { event, payload } = message.payload as Record<string, unknown>
    const now = performance.now()
    if (!this.limiter.take(now)) channel.shutDown('Client presence rate limit exceeded')
    else if (!channel.socket.hub.presenceLimiter.take(now)) {
      channel.shutDown('Too many presence messages per second')
    } else if (isEvent(event, 'track')) return this.track(message, payload ?? {})
    else if (isEvent(event, 'untrack')) {
      this.end()
      channel.socket.reply(message, 'ok', {})
    } else channel.reject(message, 'UnknownPresenceEvent: event must be track or untrack')
  }

  private track(message: Incoming, payload: unknown): Promise<void> | undefined {
    const { channel } = this
    const { socket } = channel
    if (!isObject(payload)) return void channel.reject(message, 'Presence track payload must be a map')
    const meta = JSON.stringify(payload)
    const size = Buffer.byteLength(meta)
    if (size > maxPayloadBytes(socket.hub.limits)) {
      return void channel.shutDown('Track message size exceeded')
    }
    return channel.ifMayWrite('presence', message, () => {
      if (!this.reserve(size)) return
      socket.reply(message, 'ok', {})
      channel.enablePresence()
      if (this.member && meta === this.meta) return
      const previous = this.member
      this.member = socket.hub.presence.createMember(this.key, payload, previous)
      this.meta = meta
      socket.hub.updatePresence(channel.key, this.member, previous)
    })
  }

  /** Reserves `bytes` in place of those of the previous meta. Ends the channel where a quota does not allow it. */
  private reserve(bytes: number): boolean {
    const { hub, presenceBytes } = this.channel.socket
    if (!presenceBytes.reserve(bytes, this.size)) {
      const max = hub.limits.max_payload_size_in_kb
      this.channel.shutDown(`Track message size exceeded: all of one socket have at most ${max} kB together`)
      return false
    }
    if (!hub.presenceBytes.reserve(bytes, this.size)) {
      presenceBytes.reserve(this.size, bytes)
      this.channel.shutDown('Too many presences on this server')
      return false
    }
    this.size = bytes
    return true
  }

  /** Leaves the topic, if present on it. */
  end(): void {
    const { socket, key } = this.channel
    socket.presenceBytes.release(this.size)
    socket.hub.presenceBytes.release(this.size)
    this.size = 0
    if (!this.member) return
    socket.hub.updatePresence(key, null, this.member)
    this.member = null
    this.meta = ''
  }
}

function isEvent(event: unknown, name: string): boolean {
  return typeof event === 'string' && event.toLowerCase() === name
}
