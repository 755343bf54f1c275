// Presence of one channel: track and untrack, and leaving when the channel ends.
// https://supabase.com/docs/guides/realtime/presence
import { randomUUID } from 'node:crypto'
import type { Channel } from './channel.ts'
import { type Incoming, isObject } from './frames.ts'
import { type Budget, maxPayload, presenceBudget } from './limits.ts'
import type { Member } from './presences.ts'

export class Attendance {
  private readonly channel: Channel
  private readonly budget: Budget
  private readonly key: string
  private member: Member | null = null
  /** What was tracked last: the same again changes nothing. */
  private tracked = ''

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
    const { exchange } = channel.connection
    if (!isObject(meta)) return void channel.refuse(message, 'Presence track payload must be a map')
    const text = JSON.stringify(meta)
    if (Buffer.byteLength(text) > maxPayload(exchange.limits)) {
      return void channel.shutDown('Track message size exceeded')
    }
    return channel.whenAllowed('presence', message, () => {
      channel.connection.reply(message, 'ok', {})
      channel.enablePresence()
      if (this.member && text === this.tracked) return
      const before = this.member
      this.member = exchange.presences.member(this.key, meta, before)
      this.tracked = text
      exchange.move(channel.key, this.member, before)
    })
  }

  /** Leaves the topic, if present on it. */
  end(): void {
    if (!this.member) return
    this.channel.connection.exchange.move(this.channel.key, null, this.member)
    this.member = null
    this.tracked = ''
  }
}

function isEvent(event: unknown, name: string): boolean {
  return typeof event === 'string' && event.toLowerCase() === name
}
