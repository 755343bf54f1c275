// The other servers on this database: broadcasts and presence go to them and come from them, and whoever was present on
// one that died leaves. Each says regularly that it is alive; nothing of it is kept in a table.
import { randomBytes } from 'node:crypto'
import type pino from 'pino'
import type { Member } from '../presence.ts'
import { isObject, UserBroadcast } from '../socket/frames.ts'
import { openBus } from './pubsub.ts'

export interface Peers {
  /** Tells the others of a broadcast on a topic (key of topics.ts). */
  broadcast(topic: string, message: UserBroadcast): void
  /** Tells the others who came and who left here. */
  presence(topic: string, joins: readonly Member[], leaves: readonly Member[]): void
  /** Other servers known to be alive. */
  readonly count: number
  /** Says goodbye, and stops listening. */
  stop(): Promise<void>
}

export interface PeerOptions {
  url: string
  /** This server's name. */
  server: string
  log: pino.Logger
  /** Who is present here, by topic. */
  own: () => ReadonlyMap<string, readonly Member[]>
  onBroadcast: (topic: string, message: UserBroadcast) => void
  onPresence: (server: string, topic: string, joins: Member[], leaves: Member[]) => void
  /** All who are present on `server`. */
  onState: (server: string, state: ReadonlyMap<string, Member[]>) => void
}

type Text =
  | { is: 'hello' | 'state'; topics: [string, Member[]][] }
  | { is: 'alive' | 'bye' }
  | {
      is: 'broadcast'
      topic: string
      event: string
      encoding: 'json' | 'binary'
      payload: string
      meta: Record<string, unknown> | null
      rest: Record<string, unknown> | null
    }
  | { is: 'presence'; topic: string; joins: Member[]; leaves: Member[] }

/** Milliseconds between two signs of life, and of silence after which a server counts as dead. */
const SIGN_OF_LIFE = 2000
const DEAD = 6500

/** A name for this server, unique among those of its database. */
export const serverName = () => randomBytes(5).toString('hex')

export function findPeers(options: PeerOptions): Peers {
  const { own, onBroadcast, onPresence, onState, log } = options
  const alive = new Map<string, number>()
  let listeningSince = 0
  const say = (text: Text) => bus.send(JSON.stringify(text))
  const topics = () => [...own()] as [string, Member[]][]

  const bus = openBus({
    ...options,
    onListening() {
      listeningSince = Date.now()
      say({ is: 'hello', topics: topics() })
    },
    onText(server, raw) {
      let text: Text
      try {
        text = JSON.parse(raw)
        if (!isObject(text)) return
        hear(server, text)
      } catch (error) {
        log.warn({ err: error }, 'another server sent what this one does not understand')
      }
    },
  })

  function hear(server: string, text: Text): void {
    if (text.is === 'bye') {
      forget(server)
      return
    }
    const known = alive.has(server)
    alive.set(server, Date.now())
    if (text.is === 'hello') say({ is: 'state', topics: topics() })
    // One that was taken for dead: who is present there has to be asked again.
    else if (!known && text.is !== 'state') say({ is: 'hello', topics: topics() })
    if (text.is === 'hello' || text.is === 'state') onState(server, new Map(text.topics))
    if (text.is === 'presence') onPresence(server, text.topic, text.joins, text.leaves)
    if (text.is === 'broadcast') {
      const { event, encoding, payload, meta, rest } = text
      const bytes = Buffer.from(payload, encoding === 'json' ? 'utf8' : 'base64')
      onBroadcast(text.topic, new UserBroadcast(event, encoding, bytes, meta, rest))
    }
  }

  function forget(server: string): void {
    if (alive.delete(server)) onState(server, new Map())
  }

  let ticks = 0
  const timer = setInterval(() => {
    // Alone, it says so only now and then: each word is a transaction, and there may be nobody to hear it.
    if (alive.size > 0 || ticks++ % 15 === 0) say({ is: 'alive' })
    const now = Date.now()
    // While this server itself could not hear, the others' silence means nothing.
    for (const [server, seen] of alive) if (now - Math.max(seen, listeningSince) > DEAD) forget(server)
  }, SIGN_OF_LIFE)

  return {
    broadcast(topic, { event, encoding, payload, meta, rest }) {
      if (alive.size === 0) return
      const text = payload.toString(encoding === 'json' ? 'utf8' : 'base64')
      say({ is: 'broadcast', topic, event, encoding, payload: text, meta, rest })
    },
    presence(topic, joins, leaves) {
      if (alive.size > 0) say({ is: 'presence', topic, joins: [...joins], leaves: [...leaves] })
    },
    get count() {
      return alive.size
    },
    stop() {
      clearInterval(timer)
      say({ is: 'bye' })
      return bus.stop()
    },
  }
}
