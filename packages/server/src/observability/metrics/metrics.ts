// /metrics in the Prometheus text format: requests by service and route, connections, what waits in the background, others that
// are slow to answer, the machine, and the process itself.
// https://prometheus.io/docs/instrumenting/exposition_formats/
import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type pg from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { json, text } from '../../http/answer.ts'
import { canonicalAddress } from '../../http/client-address.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Route } from '../../http/route.ts'
import type { Plugin } from '../../plugin.ts'
import { measureBackground } from './background.ts'
import { watchReplica } from './followers.ts'
import { type BackupFigures, measureMachine } from './machine.ts'
import { addMeasurements } from './measurements.ts'
import { measureOutgoing, watchOutgoing } from './outgoing.ts'

/** Names of services and routes are of a fixed set: every new one is kept for ever. */
export type ObservedRequest = {
  id: string
  service: string
  method: string
  route: string
  status: number
  seconds: number
}

export interface Metrics {
  /** Takes down one request. `route` is the path in the service's table. */
  observe(request: ObservedRequest): void
  /** `GET /metrics`, for whoever brings `token`; with no token, for requests straight from this machine. */
  route(token: string | null): Route
  stop(): Promise<void>
}

/**
 * Milliseconds between two measurements of how late the event loop is. Each wakes the process, whether or not there is anything
 * to do: prom-client's own 10 cost a server that is idle more than all of its timers together.
 */
const LOOP_PRECISION = 100

/** Open connections and channels of Realtime, and its counters since the start. */
interface RealtimeFigures {
  connections: number
  channels: number
  presences: number
  received: number
  sent: number
  cutOff: number
  /** Of the database that hear each other, this one among them; 0 while it hears nobody. */
  servers: number
  receivesChanges: boolean
}

/** Connections open, of these idle, and requests waiting for one. */
export type PoolFigures = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

export interface MetricsSources {
  /** Shown by name, with their open, idle and waiting connections. */
  pools: Record<string, PoolFigures>
  realtime: () => RealtimeFigures | undefined
  /** The database as its owner. */
  database: Pick<pg.Pool, 'query'>
  /** The read replica, in the owner's name; null where there is none. */
  replicaUrl: string | null
  /** Whom that signs in. */
  login: string
  dataDir: string
  /** Null where none are made. */
  backup: BackupFigures | null
  plugins: readonly Plugin[]
}

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_PRECISION })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer, by service, method and status',
    labelNames: ['service', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests by service, route and status',
    labelNames: ['service', 'route', 'status'],
    registers: [registry],
  })
  measureConnections(registry, sources.pools)
  measureRealtime(registry, sources.realtime)
  const replica = sources.replicaUrl === null ? null : watchReplica(sources.replicaUrl, sources.login)
  measureBackground(registry, sources.database, replica)
  const outgoing = watchOutgoing()
  measureOutgoing(registry, outgoing)
  measureMachine(registry, sources)
  const added = sources.plugins.flatMap(({ measurements = [] }) => measurements)
  addMeasurements(registry, added, sources.database)
  return {
    observe({ service, method, route, status, seconds }) {
      durations.observe({ service, method: METHODS.has(method) ? method : 'other', status }, seconds)
      requests.inc({ service, route, status })
    },
    route: (token) => ({
      method: 'GET',
      path: '/metrics',
      access: (request) =>
        mayRead(request, token)
          ? null
          : json({ message: token ? WRONG_TOKEN : NOT_FROM_HERE }, token ? 401 : 403),
      handler: async () => text(await registry.metrics(), 200, { 'content-type': registry.contentType }),
    }),
    async stop() {
      outgoing.stop()
      await replica?.close()
    },
  }
}

function measureConnections(registry: Registry, pools: Record<string, PoolFigures>): void {
  const connections = new Gauge({
    name: 'postgres_pool_connections',
    help: 'Connections of each pool by state',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        connections.set({ pool, state: 'open' }, totalCount)
        connections.set({ pool, state: 'idle' }, idleCount)
        connections.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
}

/** No stranger can make new series by making up methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const WRONG_TOKEN = 'The bearer token must be that of METRICS_TOKEN'
const NOT_FROM_HERE = 'Without METRICS_TOKEN the metrics are only for requests straight from this machine'

function mayRead({ headers, incoming }: RequestContext, token: string | null): boolean {
  if (token !== null) {
    const given = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    return timingSafeEqual(digest(given), digest(token))
  }
  // A request passed on by a proxy on this machine comes from elsewhere.
  const forwarded = ['forwarded', 'x-forwarded-for', 'via'].some((name) => headers[name] !== undefined)
  const peer = canonicalAddress(incoming.socket.remoteAddress ?? '')
  return !forwarded && peer !== null && loopback.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function measureRealtime(registry: Registry, figures: () => RealtimeFigures | undefined): void {
  const open = new Gauge({
    name: 'realtime_open',
    help: 'Sockets, joined channels and tracked presences at this moment',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { connections = 0, channels = 0, presences = 0 } = figures() ?? {}
      for (const [kind, value] of Object.entries({ connections, channels, presences }))
        open.set({ kind }, value)
    },
  })
  /** Not there at all where Realtime is switched off. */
  const now = (name: string, help: string, of: (found: RealtimeFigures) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const found = figures()
        if (found) this.set(of(found))
        else this.remove()
      },
    })
  now('realtime_servers', 'Servers of the database that hear each other', ({ servers }) => servers)
  now('realtime_receives_changes', 'Whether changes of rows are received', (found) =>
    Number(found.receivesChanges),
  )
  const messages = new Counter({
    name: 'realtime_messages_total',
    help: 'Messages by direction, and sockets cut off because they did not read',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const { received = 0, sent = 0, cutOff = 0 } = figures() ?? {}
      messages.reset()
      for (const [kind, value] of Object.entries({ received, sent, cut_off: cutOff })) {
        messages.inc({ kind }, value)
      }
    },
  })
}
