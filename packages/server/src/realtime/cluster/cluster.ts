// The other servers on this database: sends them broadcasts and presence, receives theirs, and removes the members of
// one that died. Each server sends a heartbeat; nothing is kept in a table.
import { randomBytes } from 'node:crypto'
import type pino from 'pino'
import type { Member } from '../presence.ts'
import { isObject, UserBroadcast } from '../socket/frames.ts'
import { openPubSub } from './pubsub.ts'

export interface Cluster {
  /** Sends a broadcast on a topic (a key of topics.ts) to the other servers. */
  broadcast(topic: string, message: UserBroadcast): void
  /** Sends who joined and left here to the other servers. */
  presence(topic: string, joins: readonly Member[], leaves: readonly Member[]): void
  /** This server and those that it hears; 0 while it hears nobody, itself included. */
  readonly size: number
  /** Leaves the cluster, and stops listening. */
  stop(): Promise<void>
}

export interface ClusterOptions {
  url: string
  /** This server's name. */
  server: string
  log: pino.Logger
  /** Members on this server, by topic. */
  localMembers: () => ReadonlyMap<string, readonly Member[]>
  onBroadcast: (topic: string, message: UserBroadcast) => void
  onPresence: (server: string, topic: string, joins: Member[], leaves: Member[]) => void
  /** All members on `server`, by topic. */
  onState: (server: string, members: ReadonlyMap<string, Member[]>) => void
  /** Broadcasts of other servers may not have arrived here. */
  onMissed: () => void
}

type EncodedBroadcast = {
  type: 'broadcast'
  topic: string
  event: string
  encoding: 'json' | 'binary'
  /** JSON, or bytes in base64. */
  payload: string
  meta: Record<string, unknown> | null
  rest: Record<string, unknown> | null
}

type ClusterMessage =
  | { type: 'hello' | 'state'; topics: [string, Member[]][] }
  | { type: 'heartbeat' | 'leave' | 'missed' }
  | EncodedBroadcast
  | { type: 'presence'; topic: string; joins: Member[]; leaves: Member[] }

const HEARTBEAT_INTERVAL_MS = 2000
/** A server without a message for this long counts as dead. */
const HEARTBEAT_TIMEOUT_MS = 6500
/** A server that knows no other one sends every fifteenth heartbeat only: each is a transaction. */
const HEARTBEATS_SKIPPED_ALONE = 15

/** A name for this server, unique among those of its database. */
export const serverName = () => randomBytes(5).toString('hex')

/** Starts at once, and finds the other servers by itself. */
export function joinCluster(options: ClusterOptions): Cluster {
  const { localMembers, onBroadcast, onPresence, onState, onMissed, log } = options
  /** When the last message of each other server came, by performance.now(). */
  const lastSeen = new Map<string, number>()
  let listeningSince = 0
  /** No other server was there when this one last listened. */
  let alone = true
  const publish = (message: ClusterMessage) => pubsub.publish(JSON.stringify(message))
  const topics = () => [...localMembers()] as [string, Member[]][]

  const pubsub = openPubSub({
    ...options,
    onListening() {
      listeningSince = performance.now()
      if (!alone) onMissed()
      publish({ type: 'hello', topics: topics() })
    },
    onLost: () => publish({ type: 'missed' }),
    onMessage(server, text) {
      try {
        const message: ClusterMessage = JSON.parse(text)
        if (isObject(message)) receive(server, message)
      } catch (error) {
        log.warn({ err: error }, 'a message of another server could not be read')
      }
    },
  })

  function receive(server: string, message: ClusterMessage): void {
    if (message.type === 'leave') {
      forget(server)
      return
    }
    const isKnown = lastSeen.has(server)
    lastSeen.set(server, performance.now())
    alone = false
    if (message.type === 'hello') publish({ type: 'state', topics: topics() })
    // One that counted as dead: its members have to be requested again.
    else if (!isKnown && message.type !== 'state') publish({ type: 'hello', topics: topics() })
    if (message.type === 'hello' || message.type === 'state') onState(server, new Map(message.topics))
    if (message.type === 'missed') onMissed()
    if (message.type === 'presence') onPresence(server, message.topic, message.joins, message.leaves)
    if (message.type === 'broadcast') onBroadcast(message.topic, decode(message))
  }

  function forget(server: string): void {
    if (lastSeen.delete(server)) onState(server, new Map())
    if (lastSeen.size === 0 && pubsub.listening) alone = true
  }

  let ticks = 0
  const timer = setInterval(() => {
    if (lastSeen.size > 0 || ticks++ % HEARTBEATS_SKIPPED_ALONE === 0) publish({ type: 'heartbeat' })
    const now = performance.now()
    // Heartbeats that were due while this server was not listening do not count as missed.
    for (const [server, seen] of lastSeen) {
      if (now - Math.max(seen, listeningSince) > HEARTBEAT_TIMEOUT_MS) forget(server)
    }
  }, HEARTBEAT_INTERVAL_MS)

  return {
    broadcast(topic, message) {
      if (!alone) publish(encode(topic, message))
    },
    presence(topic, joins, leaves) {
      if (lastSeen.size > 0) publish({ type: 'presence', topic, joins: [...joins], leaves: [...leaves] })
    },
    get size() {
      return pubsub.listening ? lastSeen.size + 1 : 0
    },
    stop() {
      clearInterval(timer)
      publish({ type: 'leave' })
      return pubsub.stop()
    },
  }
}

function encode(topic: string, { event, encoding, payload, meta, rest }: UserBroadcast): EncodedBroadcast {
  const text = payload.toString(encoding === 'json' ? 'utf8' : 'base64')
  return { type: 'broadcast', topic, event, encoding, payload: text, meta, rest }
}

function decode({ event, encoding, payload, meta, rest }: EncodedBroadcast): UserBroadcast {
  const bytes = Buffer.from(payload, encoding === 'json' ? 'utf8' : 'base64')
  return new UserBroadcast(event, encoding, bytes, meta, rest)
}
