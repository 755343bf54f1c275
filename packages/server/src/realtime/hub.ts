// State shared by all sockets of this server: topics, presence, the cluster, authorization, row changes, and counters
// for /metrics.

import type { TokenBucket } from '../http/token-bucket.ts'
import type { Keys } from '../keys/keys.ts'
import type { Services } from '../service-dependencies.ts'
import { type Authorization, createAuthorization } from './authorization.ts'
import type { Changes } from './changes/contract.ts'
import { type Cluster, joinCluster, serverName } from './cluster/cluster.ts'
import { type Limits, presenceLimiter, Quota } from './limits.ts'
import { type Member, Presence } from './presence.ts'
import { UserBroadcast } from './socket/frames.ts'
import { type TopicListener, Topics, topicKey } from './topics.ts'

/** Bytes of all metas tracked on one server, which keeps them in memory and sends them to the others. */
const MAX_PRESENCE_BYTES = 64 * 1024 * 1024

/** Counted since the start. */
export interface Figures {
  /** Messages from sockets and by HTTP. */
  received: number
  /** Messages to sockets. */
  sent: number
  /** Sockets closed because they did not read. */
  cutOff: number
}

export class Hub {
  readonly limits: Limits
  readonly keys: Keys
  readonly log: Services['log']
  readonly bodies: Services['bodies']
  readonly database: Services['database']
  readonly changes: Changes
  readonly authorization: Authorization
  readonly topics = new Topics()
  readonly presence: Presence
  /** For the metas tracked on this server. */
  readonly presenceBytes = new Quota(MAX_PRESENCE_BYTES)
  readonly figures: Figures = { received: 0, sent: 0, cutOff: 0 }
  private sharedPresenceLimiter: TokenBucket | null = null
  private readonly server = serverName()
  private readonly cluster: Cluster

  constructor(services: Services, changes: Changes) {
    const { config, keys, log, bodies, database, requests } = services
    this.limits = config.realtime
    this.keys = keys
    this.bodies = bodies
    this.log = log.child({ service: 'realtime' })
    this.database = database
    this.changes = changes
    this.authorization = createAuthorization(database, requests)
    this.presence = new Presence(this.server, (key, diff) => this.topics.presence(key, diff))
    this.cluster = joinCluster({
      url: database.url,
      server: this.server,
      log: this.log,
      localMembers: () => this.presence.localMembers(),
      onBroadcast: (key, message) => this.topics.broadcast(key, message),
      onPresence: (server, key, joins, leaves) => this.presence.update(key, server, joins, leaves),
      onState: (server, members) => this.presence.replaceServer(server, members),
      onMissed: () => this.topics.missed(),
    })
    // Every server reads these from the replication stream itself: they are not sent to the cluster.
    changes.onMessage(
      ({ id, topic, event, private: isPrivate, payload }) => {
        const encoding = typeof payload === 'string' ? 'json' : 'binary'
        const message = new UserBroadcast(event, encoding, Buffer.from(payload as Buffer), { id })
        this.topics.broadcast(topicKey(topic, isPrivate), message)
      },
      () => this.topics.missed(),
    )
  }

  /** This server and those that it hears; 0 while it hears nobody. */
  get servers(): number {
    return this.cluster.size
  }

  /** For calls of track and untrack by all sockets together. */
  get presenceLimiter(): TokenBucket {
    this.sharedPresenceLimiter ??= presenceLimiter(this.limits)
    return this.sharedPresenceLimiter
  }

  /** Sends a broadcast to all listeners of the topic, here and on the other servers, but to `sender`. */
  publish(key: string, message: UserBroadcast, sender: TopicListener | null = null): void {
    this.topics.broadcast(key, message, sender)
    this.cluster.broadcast(key, message)
  }

  /** A member of this server joined a topic, or left it, or both: a new meta replaces an old one. */
  updatePresence(key: string, joined: Member | null, left: Member | null): void {
    const joins = joined ? [joined] : []
    const leaves = left ? [left] : []
    this.presence.update(key, this.server, joins, leaves)
    this.cluster.presence(key, joins, leaves)
  }

  async stop(): Promise<void> {
    this.presence.stop()
    await this.cluster.stop()
    await this.changes.stop()
  }
}
