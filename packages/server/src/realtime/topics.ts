// The channels of this server by topic, and the delivery of one message to all of them: it is encoded once for each
// version of the protocol and sent to every socket.
import { encode, encodeBroadcast, type Frame, type UserBroadcast, type Version } from './socket/frames.ts'

/** The parts of a joined channel that a topic uses. */
export interface TopicListener {
  readonly version: Version
  /** False where a policy keeps broadcasts, or presence, from this channel. */
  readonly receives: { broadcast: boolean; presence: boolean }
  /** Whether this message was replayed to it already. */
  wasReplayed(message: UserBroadcast): boolean
  send(frame: Frame): void
  /** Broadcasts may be missing. */
  onMissed(): void
}

/** A public and a private channel of the same name are different topics. */
export function topicKey(subTopic: string, isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}:${subTopic}`
}

/** The topic name as clients send it. */
export function clientTopic(key: string): string {
  return `realtime:${key.slice(key.indexOf(':') + 1)}`
}

export class Topics {
  private readonly listeners = new Map<string, Set<TopicListener>>()

  add(key: string, listener: TopicListener): void {
    const existing = this.listeners.get(key)
    if (existing) existing.add(listener)
    else this.listeners.set(key, new Set([listener]))
  }

  remove(key: string, listener: TopicListener): void {
    const existing = this.listeners.get(key)
    if (existing?.delete(listener) && existing.size === 0) this.listeners.delete(key)
  }

  /** Sends a broadcast to every listener but `sender`. */
  broadcast(key: string, message: UserBroadcast, sender: TopicListener | null = null): void {
    const frames = new Map<Version, Frame | null>()
    for (const listener of this.listeners.get(key) ?? []) {
      if (listener === sender || !listener.receives.broadcast || listener.wasReplayed(message)) continue
      const { version } = listener
      let frame = frames.get(version)
      if (frame === undefined) {
        frame = encodeBroadcast(version, clientTopic(key), message)
        frames.set(version, frame)
      }
      if (frame) listener.send(frame)
    }
  }

  /** Broadcasts of any topic may not have arrived: all who listen to some are notified. */
  missed(): void {
    for (const listeners of this.listeners.values()) {
      for (const listener of listeners) if (listener.receives.broadcast) listener.onMissed()
    }
  }

  /** Sends who joined and who left; `diff` is JSON text. */
  presence(key: string, diff: string): void {
    const frames = new Map<Version, Frame>()
    for (const listener of this.listeners.get(key) ?? []) {
      if (!listener.receives.presence) continue
      const { version } = listener
      const frame =
        frames.get(version) ?? encode(version, null, null, clientTopic(key), 'presence_diff', diff)
      frames.set(version, frame)
      listener.send(frame)
    }
  }
}
