// Presence of one channel: track and untrack, and leaving when the channel ends.
// https://supabase.com/docs/guides/realtime/presence
import { randomUUID } from 'node:crypto'
import { type Budget, maxPayload, presenceBudget } from '../limits.ts'
import type { Member } from '../presence.ts'
import type { Channel } from './channel.ts'
import { type Incoming, isObject } from './frames.ts'

export class Attendance {
  private readonly channel: Channel
  private readonly budget: Budget
  private readonly key: string
  private member: Member | null = null
  /** What was tracked last: the same again changes nothing. */
  private tracked = ''
  /** Bytes of it. */
  private held = 0

  constructor(channel: Channel) {
    this.channel = channel
    this.budget = presenceBudget(channel.connection.exchange.limits)
    this.key = channel.settings.presenceKey ?? randomUUID()
  }

  receive(message: Incoming): Promise<void> | undefined {
    const { channel } = this
    const { presenceEvents } = channel.connection.exchange
    const { event, payload } = message.payload as Record<string, unknown>
    const now = Date.now()
    if (!this.budget.take(now)) channel.shutDown('Client presence rate limit exceeded')
    else if (!presenceEvents.take(now)) channel.shutDown('Too many presence messages per second')
    else if (isEvent(event, 'track')) return this.track(message, payload ?? {})
    else if (isEvent(event, 'untrack')) {
      this.end()
      channel.connection.reply(message, 'ok', {})
    } else channel.refuse(message, 'UnknownPresenceEvent: event must be track or untrack')
  }

  private track(message: Incoming, meta: unknown): Promise<void> | undefined {
    const { channel } = this
    const { limits } = channel.connection.exchange
    if (!isObject(meta)) return void channel.refuse(message, 'Presence track payload must be a map')
    const text = JSON.stringify(meta)
    if (Buffer.byteLength(text) > maxPayload(limits)) {
      return void channel.shutDown('Track message size exceeded')
    }
    return channel.whenAllowed('presence', message, () => {
      if (!this.makeRoom(Buffer.byteLength(text))) return
      channel.connection.reply(message, 'ok', {})
      channel.enablePresence()
      if (this.member && text === this.tracked) return
      const { exchange } = channel.connection
      const before = this.member
      this.member = exchange.presences.member(this.key, meta, before)
      this.tracked = text
      exchange.move(channel.key, this.member, before)
    })
  }

  /** For `bytes` in the place of what was tracked before. Ends the channel where there is none. */
  private makeRoom(bytes: number): boolean {
    const { presences, exchange } = this.channel.connection
    if (!presences.hold(bytes, this.held)) {
      const most = exchange.limits.max_payload_size_in_kb
      this.channel.shutDown(`Track message size exceeded: all of one socket have at most ${most} kB together`)
      return false
    }
    if (!exchange.presenceRoom.hold(bytes, this.held)) {
      presences.hold(this.held, bytes)
      this.channel.shutDown('Too many presences on this server')
      return false
    }
    this.held = bytes
    return true
  }

  /** Leaves the topic, if present on it. */
  end(): void {
    const { connection, key } = this.channel
    connection.presences.release(this.held)
    connection.exchange.presenceRoom.release(this.held)
    this.held = 0
    if (!this.member) return
    connection.exchange.move(key, null, this.member)
    this.member = null
    this.tracked = ''
  }
}

function isEvent(event: unknown, name: string): boolean {
  return typeof event === 'string' && event.toLowerCase() === name
}
