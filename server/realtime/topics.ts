// Which channels of this server listen to which topic, and how one message reaches them all: it is put into bytes once
// for each version of the protocol and handed to every socket.
import { encode, encodeBroadcast, type Frame, type UserBroadcast, type Version } from './socket/frames.ts'

/** What a topic needs to know of a joined channel. */
export interface Listener {
  readonly version: Version
  /** False where a policy keeps broadcasts, or presence, from this channel. */
  readonly hears: { broadcast: boolean; presence: boolean }
  /** Has this message been sent to it already, from what was kept? */
  hasHad(message: UserBroadcast): boolean
  send(frame: Frame): void
}

/** Public and private channels of one name are strangers to each other. */
export function topicKey(topic: string, isPrivate: boolean): string {
  return `${isPrivate ? 'private' : 'public'}:${topic}`
}

/** What clients call the topic of `key`. */
export function clientTopic(key: string): string {
  return `realtime:${key.slice(key.indexOf(':') + 1)}`
}

export class Topics {
  private readonly listeners = new Map<string, Set<Listener>>()

  add(key: string, listener: Listener): void {
    const known = this.listeners.get(key)
    if (known) known.add(listener)
    else this.listeners.set(key, new Set([listener]))
  }

  remove(key: string, listener: Listener): void {
    const known = this.listeners.get(key)
    if (known?.delete(listener) && known.size === 0) this.listeners.delete(key)
  }

  /** Hands a broadcast to everyone who listens but `sender`, and returns to how many. */
  broadcast(key: string, message: UserBroadcast, sender: Listener | null = null): number {
    const frames = new Map<Version, Frame | null>()
    let count = 0
    for (const listener of this.listeners.get(key) ?? []) {
      if (listener === sender || !listener.hears.broadcast || listener.hasHad(message)) continue
      const { version } = listener
      let frame = frames.get(version)
      if (frame === undefined) {
        frame = encodeBroadcast(version, clientTopic(key), message)
        frames.set(version, frame)
      }
      if (!frame) continue
      listener.send(frame)
      count++
    }
    return count
  }

  /** Hands out who came and went; `diff` is JSON text. */
  presence(key: string, diff: string): number {
    const frames = new Map<Version, Frame>()
    let count = 0
    for (const listener of this.listeners.get(key) ?? []) {
      if (!listener.hears.presence) continue
      const { version } = listener
      const frame =
        frames.get(version) ?? encode(version, null, null, clientTopic(key), 'presence_diff', diff)
      frames.set(version, frame)
      listener.send(frame)
      count++
    }
    return count
  }
}
