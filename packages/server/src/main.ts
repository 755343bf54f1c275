// Starts the server's parts in order and stops them in reverse: data directory, database, services, HTTP, jobs. The parts
// are in start/.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type pino from 'pino'
import type { Config } from './config/config.ts'
import { loadPackages } from './config/lazy-packages.ts'
import { watchKeys } from './keys/key-watch.ts'
import { type Keys, openKeys } from './keys/keys.ts'
import type { Plugin } from './plugin.ts'
import type { Prepared } from './postgres/migrate/prepare.ts'
import { makeDataDir } from './process/data-dir.ts'
import { probe } from './process/listen.ts'
import { takeLock } from './process/lock.ts'
import { joinReplicas } from './process/replicas.ts'
import { createShutdown, type OnStop, STOP_TIMEOUT_MS } from './process/shutdown.ts'
import { cliKeys } from './process/supabase-cli.ts'
import type { Services } from './service-dependencies.ts'
import { createDependencies, createServerMetrics } from './start/create-dependencies.ts'
import { startDatabase } from './start/database.ts'
import { type ServerState, startHttp } from './start/http.ts'

export interface StartOptions {
  config: Config
  /** Additions to the services. */
  plugins: readonly Plugin[]
  log: pino.Logger
  /** Run functions anew when their sources change (default: not in production). */
  reload?: boolean
  /** Seed a new database (default: as config.toml says, and never in production). */
  seed?: boolean
  /** Folder of the built web app that its own project is served with; without it, the API alone. */
  webApp?: string
  /** When it stops, connections are closed once they have been idle for this many milliseconds (1000). */
  idle?: number
}

export interface RunningServer {
  /** Where it listens, as a browser on this machine reaches it. */
  url: string
  services: Services
  /** Warnings for the operator that stop nothing. */
  warnings: string[]
  /** The changes of this start to the database. */
  applied: Prepared
  /** Finishes what runs (within `config.shutdownTimeout`), then stops everything, the embedded database last. */
  stop(): Promise<void>
}

/** Time to send the remaining traces (the exporter itself gives up after 10 s). */
const TRACES_TIMEOUT_MS = 12_000

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
  { config, plugins, log, reload = !config.production, webApp, seed = true, idle = 1000 }: StartOptions,
  onStop: OnStop,
) {
  const keys = await takeDataDir(config, log, onStop)
  const seeding = seed && config.db.seed.enabled && !config.production
  // The services' code is loaded while PostgreSQL starts.
  const [started, { createServices }] = await Promise.all([
    startDatabase({ config, plugins, log, keys, seeding }, onStop),
    import('./start/create-services.ts'),
  ])
  const { database, databaseUrl, vaultKey } = started
  onStop('replica', await joinReplicas(database.pool, { config, keys, plugins, log }))
  const state: ServerState = { origin: `http://127.0.0.1:${config.port}`, phase: 'starting' }
  const { platform, bans } = await createDependencies({ config, plugins, log, keys, started, state }, onStop)
  const created = await createServices(platform, {
    origin: () => state.origin,
    reload,
    databaseUrl,
    seeding,
    plugins,
  })
  onStop('services', () => created.stop())
  const metrics = createServerMetrics(platform, created, plugins, started.login)
  onStop('metrics', () => metrics.stop())
  const { cluster } = started
  const { listening, forCli } = await startHttp(
    { platform, created, metrics, bans, plugins, cluster, state, webApp, idle },
    onStop,
  )
  if (vaultKey.isNew)
    log.info({ file: vaultKey.setting }, 'the vault key of the database is in this file now: back it up')
  await startWork(platform, plugins, onStop)
  // From here on node_modules and .build may be replaced by those of the next version.
  if (config.production) await Promise.all([loadPackages(config), created.functions?.load()])
  const turnAway = async () => {
    state.phase = 'stopping'
    await sleep(config.shutdownDelay)
  }
  onStop('readiness', turnAway, config.shutdownDelay + STOP_TIMEOUT_MS)
  state.phase = 'running'
  return {
    url: listening.origin.replace(/127\.0\.0\.1|\[::1\]/, 'localhost'),
    services: platform,
    applied: started.applied,
    warnings: [
      ...config.warnings,
      ...started.warnings,
      ...(platform.mail.warning ? [platform.mail.warning] : []),
      ...created.warnings,
      ...forCli.warnings,
    ],
  }
}

/** Locks the data directory, begins tracing and opens the keys. Throws where the port is in use. */
async function takeDataDir(config: Config, log: pino.Logger, onStop: OnStop): Promise<Keys> {
  makeDataDir(config.dataDir)
  onStop('lock', takeLock(config.dataDir))
  if (config.tracing) {
    const { startTracing } = await import('./observability/tracing/opentelemetry.ts')
    onStop('tracing', (await startTracing(log)).stop, TRACES_TIMEOUT_MS)
  }
  // Before the database is touched: a port in use should be explained at once.
  await probe(createServer, config)
  const keys = await openKeys(config, cliKeys(config))
  onStop('keys', watchKeys(keys, config, log))
  return keys
}

/** Begins the jobs and the plugins' own work. */
async function startWork(platform: Services, plugins: readonly Plugin[], onStop: OnStop): Promise<void> {
  const working = platform.jobs.start()
  onStop('jobs', () => platform.jobs.stop())
  for (const plugin of plugins) {
    const begun = plugin.start?.(platform)
    if (begun) onStop(plugin.name, () => begun.stop())
  }
  await working
}
