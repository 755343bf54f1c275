// Listens for HTTP and WebSockets, passes requests to the services, and closes connections when the server stops.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Config } from '../config/config.ts'
import { createAuthenticator } from '../http/authenticator.ts'
import type { Bans } from '../http/bans.ts'
import { captchaSources } from '../http/captcha-widget.ts'
import { boundConnections } from '../http/connections.ts'
import { createListener } from '../http/listener.ts'
import { pageHeaders, securityHeaders } from '../http/security-headers.ts'
import { createSite } from '../http/site.ts'
import { offerWebSockets } from '../http/upgrades.ts'
import { type Place, readWebApp } from '../http/web-app.ts'
import type { Phase } from '../observability/health.ts'
import { observing } from '../observability/metrics/access-log.ts'
import type { Metrics } from '../observability/metrics/metrics.ts'
import type { Plugin } from '../plugin.ts'
import type { EmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { createDrain } from '../process/drain.ts'
import { type Listening, listen } from '../process/listen.ts'
import { type OnStop, STOP_TIMEOUT_MS } from '../process/shutdown.ts'
import { listenForCli } from '../process/supabase-cli.ts'
import type { Services } from '../service-dependencies.ts'
import type { CreatedServices } from './create-services.ts'

/** State that changes while the server starts and stops, readable at any time. */
export interface ServerState {
  /** How this machine reaches the server; a guess until it listens. */
  origin: string
  phase: Phase
}

export interface HttpOptions {
  platform: Services
  created: CreatedServices
  metrics: Metrics
  bans: Bans
  plugins: readonly Plugin[]
  cluster: EmbeddedPostgres | null
  state: ServerState
  /** Folder of the built web app; without it, the API alone is served. */
  webApp: string | undefined
  /** Milliseconds after which an idle connection is closed when the server stops. */
  idle: number
}

type ForCli = Awaited<ReturnType<typeof listenForCli>>

/** Milliseconds that a request may take to arrive: on a slow line a large upload takes longer than Node's 5 minutes. */
const MAX_REQUEST_MS = 3600_000

/** Milliseconds by which a head that comes too slowly may be found late. */
const MAX_HEAD_CHECK_INTERVAL_MS = 5000

const MANY_CONNECTIONS =
  'an address has as many connections as MAX_CONNECTIONS_PER_ADDRESS allows; if it is a proxy, name it in TRUSTED_PROXIES'

/** Listens, and sets the origin of `state`. Throws a ConfigError when an address cannot be listened on. */
export async function startHttp(
  options: HttpOptions,
  onStop: OnStop,
): Promise<{ listening: Listening; forCli: ForCli }> {
  const { platform, created, cluster, state, idle } = options
  const { config, log } = platform
  const drain = createDrain()
  const create = serverFactory(options, createRequestListener(options), drain)
  const listening = await listen(create, config)
  const forCli = await listenForCli(create, config, listening.port, cluster)
  state.origin = listening.origin
  log.info({ addresses: listening.addresses }, 'the server listens')
  const endListening = async () => {
    const { realtime, functions } = created
    const end = performance.now() + config.shutdownTimeout
    // Open sockets would keep the servers from closing.
    await Promise.all([realtime?.stop(), functions?.closeWebSockets()])
    // Functions may still need the API, which they reach through the listeners.
    await functions?.finish(config.shutdownTimeout)
    await drain.end([...listening.servers, ...forCli.servers], {
      timeoutMs: Math.max(end - performance.now(), 0),
      idle,
    })
  }
  onStop('listeners', endListening, config.shutdownTimeout + STOP_TIMEOUT_MS)
  return { listening, forCli }
}

/** Answers requests from the services' route tables, and from the site's for all other paths. */
function createRequestListener(options: HttpOptions): RequestListener {
  const { platform, created, metrics, bans, plugins, state, webApp } = options
  const { config, keys, database, addresses, bodies, log } = platform
  const app =
    webApp && config.ownProject
      ? readWebApp(webApp, placeOf(config, plugins), { readAll: config.production })
      : null
  return createListener({
    services: [
      ...created.services,
      createSite({
        config,
        keys,
        database,
        metrics,
        plugins,
        web: app,
        origin: () => state.origin,
        phase: () => state.phase,
      }),
    ],
    authenticator: createAuthenticator(keys),
    addresses,
    bans,
    bodies,
    log,
    observe: observing(metrics, config.accessLog ? log : null),
    security: {
      always: securityHeaders(config.publicUrl.startsWith('https:')),
      pages: pageHeaders({
        sources: [
          captchaSources(config.auth.captcha),
          ...plugins.map(({ pageSources }) => pageSources ?? {}),
        ],
        apiOrigins: config.originIsFixed ? [new URL(config.publicUrl).origin] : [],
        indexHtml: app?.indexHtml ?? '',
      }),
    },
  })
}

/** Makes a server for each address; all of them share the bounds on connections. */
function serverFactory(
  { platform: { config, addresses, log }, created: { realtime, functions }, bans }: HttpOptions,
  listener: RequestListener,
  drain: ReturnType<typeof createDrain>,
): () => Server {
  const timeouts = {
    requestTimeout: MAX_REQUEST_MS,
    connectionsCheckingInterval: Math.min(config.limits.headTimeout, MAX_HEAD_CHECK_INTERVAL_MS),
  }
  const connections = boundConnections({
    limits: config.limits,
    isProxy: addresses.isProxy,
    bans,
    onFull: (address) => log.warn({ address }, MANY_CONNECTIONS),
  })
  return () => {
    const server = createServer(timeouts, (incoming, outgoing) => {
      if (connections.admit(incoming, outgoing) && drain.admit(incoming, outgoing))
        listener(incoming, outgoing)
    })
    connections.bound(server)
    drain.follow(server)
    offerWebSockets(
      server,
      (request) => connections.admitUpgrade(request),
      (request, socket, head) => {
        const taker = request.url?.startsWith('/functions/v1/') ? functions : realtime
        if (taker) taker.upgrade(request, socket, head)
        else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
      },
    )
    return server
  }
}

/** Where the built app runs, and which optional parts it shows. */
function placeOf({ auth }: Config, plugins: readonly Plugin[]): Place {
  const parts = plugins.map(({ configuration }) => configuration)
  const known = Object.assign({ passkeys: auth.passkey.enabled }, ...parts)
  const flags = Object.keys(known).filter((name) => known[name] === true)
  return { origin: new URL(auth.site_url).origin, flags }
}
