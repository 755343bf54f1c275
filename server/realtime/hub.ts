// What all sockets of this server share: who listens where, who is present, the other servers, the checks, and the
// figures for /metrics.
import type { Keys } from '../keys.ts'
import type { Services } from '../services.ts'
import { type Authorization, createAuthorization } from './authorization.ts'
import type { Changes } from './changes/contract.ts'
import { findPeers, type Peers, serverName } from './cluster/cluster.ts'
import { Allowance, type Budget, type Limits, presenceEventBudget } from './limits.ts'
import { type Member, Presences } from './presence.ts'
import { UserBroadcast } from './socket/frames.ts'
import { type Listener, Topics, topicKey } from './topics.ts'

/** Bytes of all that is tracked on one server, which keeps it in memory and tells the others. */
const MAX_PRESENCES = 64 * 1024 * 1024

/** Counted since the start. */
export interface Figures {
  /** Messages from sockets and by HTTP. */
  received: number
  /** Messages to sockets. */
  sent: number
  /** Sockets closed because they did not read. */
  cutOff: number
}

export class Exchange {
  readonly limits: Limits
  readonly keys: Keys
  readonly log: Services['log']
  readonly bodies: Services['bodies']
  readonly database: Services['database']
  readonly changes: Changes
  readonly authorization: Authorization
  readonly topics = new Topics()
  readonly presences: Presences
  /** For what is tracked on this server. */
  readonly presenceRoom = new Allowance(MAX_PRESENCES)
  readonly figures: Figures = { received: 0, sent: 0, cutOff: 0 }
  private presenceBudget: Budget | null = null
  private readonly server = serverName()
  private readonly peers: Peers

  constructor(services: Services, changes: Changes) {
    const { config, keys, log, bodies, database, requests } = services
    this.limits = config.realtime
    this.keys = keys
    this.bodies = bodies
    this.log = log.child({ service: 'realtime' })
    this.database = database
    this.changes = changes
    this.authorization = createAuthorization(database, requests)
    this.presences = new Presences(this.server, (key, diff) => this.topics.presence(key, diff))
    this.peers = findPeers({
      url: database.url,
      server: this.server,
      log: this.log,
      own: () => this.presences.own(),
      onBroadcast: (key, message) => this.topics.broadcast(key, message),
      onPresence: (server, key, joins, leaves) => this.presences.change(key, server, joins, leaves),
      onState: (server, state) => this.presences.replace(server, state),
    })
    // Every server follows the database itself: these need not be passed on.
    changes.onMessage(({ id, topic, event, private: isPrivate, payload }) => {
      const encoding = typeof payload === 'string' ? 'json' : 'binary'
      const message = new UserBroadcast(event, encoding, Buffer.from(payload as Buffer), { id })
      this.topics.broadcast(topicKey(topic, isPrivate), message)
    })
  }

  /** What all sockets together may do with presence. */
  get presenceEvents(): Budget {
    this.presenceBudget ??= presenceEventBudget(this.limits)
    return this.presenceBudget
  }

  /** Hands a broadcast to all listeners of the topic, here and on the other servers, but for `sender`. */
  publish(key: string, message: UserBroadcast, sender: Listener | null = null): void {
    this.topics.broadcast(key, message, sender)
    this.peers.broadcast(key, message)
  }

  /** Someone of this server came to a topic, or left it, or both: a new meta in the place of an old one. */
  move(key: string, came: Member | null, left: Member | null): void {
    const joins = came ? [came] : []
    const leaves = left ? [left] : []
    this.presences.change(key, this.server, joins, leaves)
    this.peers.presence(key, joins, leaves)
  }

  async stop(): Promise<void> {
    this.presences.stop()
    await this.peers.stop()
    await this.changes.stop()
  }
}
