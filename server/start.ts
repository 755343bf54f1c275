// Starts the server's parts in order and stops them in reverse: database, platform, services, HTTP.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pino from 'pino'
import { startBackup } from './backup/backup.ts'
import { captchaSources } from './captcha-widget.ts'
import { cliKeys, listenForCli } from './cli.ts'
import { loadPackages } from './config/lazy-packages.ts'
import type { Config } from './config.ts'
import { makeDataDir } from './data-dir.ts'
import { lockedOut, unusableDatabase } from './database-errors.ts'
import { refuseDemoPeople } from './demo-people.ts'
import { createDrain } from './drain.ts'
import type { Phase } from './health.ts'
import { createAuthenticator } from './http/authenticator.ts'
import { createBans, watchEventLoop } from './http/bans.ts'
import { createBodies } from './http/bodies.ts'
import { clientAddresses, limitKey } from './http/client-address.ts'
import { boundConnections } from './http/connections.ts'
import { createListener } from './http/listener.ts'
import { pageHeaders, securityHeaders } from './http/security-headers.ts'
import { offerWebSockets } from './http/upgrades.ts'
import { type Place, readWebApp } from './http/web-app.ts'
import { createJobs } from './jobs/jobs.ts'
import { watchKeys } from './key-watch.ts'
import { type Keys, openKeys } from './keys.ts'
import { listen, probe } from './listen.ts'
import { takeLock } from './lock.ts'
import { createMail } from './mail/mail.ts'
import { observing } from './metrics/access-log.ts'
import { createMetrics } from './metrics/metrics.ts'
import { packageFile } from './package-root.ts'
import { preparePlatform, reportPrepared } from './platform.ts'
import type { Plugin } from './plugin.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres/cluster/embedded.ts'
import type { Prepared } from './postgres/migrate/prepare.ts'
import { warnOfRights } from './postgres/rights.ts'
import { joinReplicas } from './replicas.ts'
import type { Services } from './services.ts'
import { createShutdown, type OnStop, STOP_TIMEOUT_MS } from './shutdown.ts'
import { createSite } from './site.ts'
import { createSms } from './sms/sms.ts'
import { openDatabase, openRequestDatabase } from './sql/database.ts'
import { apiLogin } from './sql/roles.ts'
import { openVaultKey } from './vault-key.ts'

export interface StartOptions {
  config: Config
  /** What is added to the services. */
  plugins: readonly Plugin[]
  log: pino.Logger
  /** Run functions anew when their sources change (default: not in production). */
  reload?: boolean
  /** Seed a new database (default: as config.toml says, and never in production). */
  seed?: boolean
  /** Serve the built web app (default); false in development, where Vite does. */
  web?: boolean
  /** When it stops, connections are closed once they have been idle for this many milliseconds (1000). */
  idle?: number
}

export interface RunningServer {
  /** Where it listens, as a browser on this machine reaches it. */
  url: string
  services: Services
  /** What the operator should know but that stops nothing. */
  warnings: string[]
  /** What this start did to the database. */
  applied: Prepared
  /** Finishes what runs (within `config.shutdownTimeout`), then stops everything, the embedded database last. */
  stop(): Promise<void>
}

/** What a statement of the platform's own may take: all of them are short. */
const OWN_STATEMENT_TIMEOUT = '15s'

/** What is left of traces is sent for so long (the exporter gives up after 10 s by itself). */
const TRACES_TIMEOUT_MS = 12_000

/** Milliseconds that a request may take to arrive: on a slow line a large upload takes longer than Node's 5 minutes. */
const MAX_REQUEST_MS = 3600_000

/** Milliseconds by which a head that comes too slowly may be found late. */
const MAX_HEAD_CHECK_INTERVAL_MS = 5000

const MANY_CONNECTIONS =
  'an address has as many connections as MAX_CONNECTIONS_PER_ADDRESS allows; if it is a proxy, name it in TRUSTED_PROXIES'

/** Starts everything; what was started is stopped again when a later part fails. Throws errors made to be read. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { log } = options
  const { onStop, stop } = createShutdown(log)
  try {
    return { ...(await startParts(options, onStop)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(
  { config, plugins, log, reload = !config.production, web = true, seed = true, idle = 1000 }: StartOptions,
  onStop: OnStop,
) {
  makeDataDir(config.dataDir)
  onStop('lock', takeLock(config.dataDir))
  if (config.tracing) {
    const { startTracing } = await import('./tracing/opentelemetry.ts')
    onStop('tracing', (await startTracing(log)).stop, TRACES_TIMEOUT_MS)
  }
  // Before the database is touched: a port in use should be explained at once.
  await probe(createServer, config)
  const keys = await openKeys(config, cliKeys(config))
  onStop('keys', watchKeys(keys, config, log))
  // Their code is loaded while PostgreSQL starts.
  const [cluster, { createServices }] = await Promise.all([
    config.databaseUrl ? null : startCluster({ config, plugins, log }, onStop),
    import('./create-services.ts'),
  ])
  const url = config.databaseUrl ?? (cluster as EmbeddedPostgres).url()
  const explained = (error: Error): never => {
    throw config.databaseUrl ? unusableDatabase(config.databaseUrl, error) : error
  }
  await refuseDemoPeople(url, config).catch(explained)
  const seeding = seed && config.db.seed.enabled && !config.production
  const vaultKey = openVaultKey(config)
  const applied = await preparePlatform(url, {
    project: config.project,
    plugins,
    migrations: config.db.migrations.enabled,
    vault: { ...config.db.vault, ...ownSecrets(keys) },
    vaultKey,
    onWarning: (message) => log.warn({ message }, 'a migration raised a warning'),
    seed: seeding ? config.db.seed.sql_paths : [],
  }).catch(explained)
  const prepared = reportPrepared(applied, log)
  const onIdleError = (error: Error) => log.debug({ err: error }, 'an idle database connection was lost')
  const { reconnectTimeoutMs } = config
  const database = openDatabase(url, {
    max: config.connections.owner,
    keep: 2, // One of them listens for jobs.
    reconnectTimeoutMs,
    settings: { statement_timeout: OWN_STATEMENT_TIMEOUT },
    onIdleError,
  })
  onStop('database', () => database.close())
  const login = await apiLogin(database.pool)
  const requests = openRequestDatabase(url, { max: config.connections.requests, reconnectTimeoutMs, login })
  onStop('requests', () => requests.close())
  const [missingRights, databaseUrl] = await Promise.all([
    warnOfRights(url),
    // What a function may connect to by itself.
    cluster ? cluster.tcpUrl(database.pool) : config.databaseUrl,
    requests.pool.query('select 1').catch((error) => {
      throw config.databaseUrl ? lockedOut(login, error) : error
    }),
  ])

  onStop('replica', await joinReplicas(database.pool, { config, keys, plugins, log }))

  const backup = config.backup
    ? await startBackup({ config: { ...config, backup: config.backup }, url, log })
    : null
  if (backup) onStop('backup', () => backup.stop())

  // A guess until it listens.
  let origin = () => `http://127.0.0.1:${config.port}`
  const jobs = createJobs({ database, log })
  const inbox: Plugin['inbox'] & object = Object.assign({}, ...plugins.map((plugin) => plugin.inbox))
  const mail = createMail({ smtp: config.smtp, inbox: inbox.email, database, jobs, log })
  onStop('mail', () => mail.close())
  const sms = createSms({ account: config.carrier, inbox: inbox.text, database, jobs, log })
  const addresses = clientAddresses(config.trustedProxies, (peer) =>
    log.warn(
      { peer },
      'X-Forwarded-For from an address that TRUSTED_PROXIES does not name does not count: if it is your proxy, all who come through it share the limits of one address',
    ),
  )
  const bans = createBans({ addresses, isBusy: watchEventLoop() })
  const bodies = createBodies({
    memory: { total: config.limits.bodyMemory, perAddress: config.limits.bodyMemory / 2 },
    windowMs: config.limits.bodyTimeout,
    addressOf: (incoming) => limitKey(addresses.of(incoming)),
    onAbuse: bans.add,
  })
  const services: Services = {
    ...{ config, keys, database, requests, bodies, backup, jobs, mail, sms, addresses, log },
    here: () => ({ origin: origin(), apiPort: config.api.port, production: config.production }),
  }

  const created = await createServices(services, {
    origin: () => origin(),
    ...{ reload, databaseUrl, seeding, plugins },
  })
  onStop('services', () => created.stop())
  const { realtime, functions, restPool } = created
  const metrics = createMetrics({
    ...{ plugins, dataDir: config.dataDir, database: database.pool, realtime: () => realtime?.figures() },
    pools: { owner: database.pool, requests: requests.pool, ...(restPool ? { rest: restPool } : {}) },
    ...{ backup, replicaUrl: config.replicaUrl, login },
  })
  onStop('metrics', () => metrics.stop())
  const app =
    web && config.ownProject
      ? readWebApp(packageFile('.build/web'), placeOf(config, plugins), { readAll: config.production })
      : null
  let phase: Phase = 'starting'
  const listener = createListener({
    services: [
      ...created.services,
      createSite({
        ...{ config, keys, database, metrics, plugins, web: app },
        origin: () => origin(),
        phase: () => phase,
      }),
    ],
    authenticator: createAuthenticator(keys),
    ...{ addresses, bans, bodies, log },
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
  const drain = createDrain()
  const create = () => {
    const server = createServer(timeouts, (incoming, outgoing) => {
      if (connections.admit(incoming, outgoing) && drain.admit(incoming, outgoing))
        listener(incoming, outgoing)
    })
    connections.bound(server)
    drain.follow(server)
    offerWebSockets(server, connections.admitUpgrade, (request, socket, head) => {
      const taker = request.url?.startsWith('/functions/v1/') ? functions : realtime
      if (taker) taker.upgrade(request, socket, head)
      else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
    })
    return server
  }
  const listening = await listen(create, config)
  const forCli = await listenForCli(create, config, listening.port, cluster)
  origin = () => listening.origin
  log.info({ addresses: listening.addresses }, 'the server listens')
  if (vaultKey.isNew)
    log.info({ file: vaultKey.setting }, 'the vault key of the database is in this file now: back it up')
  const endListening = async () => {
    const end = performance.now() + config.shutdownTimeout
    // Open sockets would keep the servers from closing.
    await Promise.all([realtime?.stop(), functions?.closeWebSockets()])
    // What functions still do may need the API, which they reach through the listeners.
    await functions?.finish(config.shutdownTimeout)
    await drain.end([...listening.servers, ...forCli.servers], {
      timeoutMs: Math.max(end - performance.now(), 0),
      idle,
    })
  }
  onStop('listeners', endListening, config.shutdownTimeout + STOP_TIMEOUT_MS)
  const working = jobs.start()
  onStop('jobs', () => jobs.stop())
  for (const plugin of plugins) {
    const begun = plugin.start?.(services)
    if (begun) onStop(plugin.name, () => begun.stop())
  }
  await working
  // From here on node_modules and .build may be replaced by those of the next version.
  if (config.production) await Promise.all([loadPackages(config), functions?.load()])
  const turnAway = async () => {
    phase = 'stopping'
    await sleep(config.shutdownDelay)
  }
  onStop('readiness', turnAway, config.shutdownDelay + STOP_TIMEOUT_MS)
  phase = 'running'
  return {
    url: listening.origin.replace(/127\.0\.0\.1|\[::1\]/, 'localhost'),
    services,
    applied,
    warnings: [
      ...config.warnings,
      ...prepared,
      ...missingRights,
      ...(mail.warning ? [mail.warning] : []),
      ...created.warnings,
      ...forCli.warnings,
    ],
  }
}

/** How the database calls functions, by the names and the address that the CLI gives them in local development. */
function ownSecrets({ secret }: Keys): Record<string, string> {
  return {
    supabase_functions_url: 'http://kong:8000/functions/v1',
    supabase_service_role_key: secret,
  }
}

async function startCluster(
  { config, plugins, log }: Pick<StartOptions, 'config' | 'plugins' | 'log'>,
  onStop: OnStop,
): Promise<EmbeddedPostgres> {
  const cluster = await startEmbeddedPostgres({
    directory: join(config.dataDir, 'postgres'),
    tcp: config.servesFunctions,
    cliPort: config.cli?.databasePort,
    // What `supabase inspect` reads; it costs each statement a little.
    settings: config.cli ? { shared_preload_libraries: 'pg_stat_statements' } : {},
    extensions: plugins.flatMap(({ extensions }) => extensions ?? []),
    log: (message) => log.warn(message),
  })
  // PostgreSQL writes down what it has before it ends, which may take its time.
  onStop('postgres', () => cluster.stop(), Number.POSITIVE_INFINITY)
  return cluster
}

/** What pages say of the server that sends them. */
function placeOf({ auth }: Config, plugins: readonly Plugin[]): Place {
  const parts = plugins.map(({ configuration }) => configuration)
  const known = Object.assign({ passkeys: auth.passkey.enabled }, ...parts)
  const flags = Object.keys(known).filter((name) => known[name] === true)
  return { origin: new URL(auth.site_url).origin, flags }
}
