// Starts the embedded PostgreSQL or uses DATABASE_URL, brings the platform and the project's migrations there, and opens
// the server's connections.
import { join } from 'node:path'
import type pino from 'pino'
import type { Config } from '../config/config.ts'
import type { Keys } from '../keys/keys.ts'
import { openVaultKey } from '../keys/vault-key.ts'
import type { Plugin } from '../plugin.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { lockedOut, unusableDatabase } from '../postgres/database-errors.ts'
import { refuseDemoPeople } from '../postgres/demo-people.ts'
import type { Prepared } from '../postgres/migrate/prepare.ts'
import { warnOfRights } from '../postgres/rights.ts'
import type { OnStop } from '../process/shutdown.ts'
import { type Database, openDatabase, openRequestDatabase } from '../sql/database.ts'
import { apiLogin } from '../sql/roles.ts'
import { preparePlatform, reportPrepared } from './platform-schema.ts'

export interface StartedDatabase {
  /** Null with DATABASE_URL. */
  cluster: EmbeddedPostgres | null
  /** As the platform's owner. */
  url: string
  database: Database
  /** As the role that becomes each caller. */
  requests: Database
  /** The name of that role. */
  login: string
  /** The database URL that functions receive; null for none. */
  databaseUrl: string | null
  vaultKey: ReturnType<typeof openVaultKey>
  /** The changes of this start to the database. */
  applied: Prepared
  warnings: string[]
}

export interface StartDatabaseOptions {
  config: Config
  plugins: readonly Plugin[]
  log: pino.Logger
  keys: Keys
  /** Whether a new database gets its seed. */
  seeding: boolean
}

/** The limit for the platform's own statements, which are all short. */
const OWN_STATEMENT_TIMEOUT = '15s'

/** Throws errors made to be read. */
export async function startDatabase(options: StartDatabaseOptions, onStop: OnStop): Promise<StartedDatabase> {
  const { config, log } = options
  const cluster = config.databaseUrl ? null : await startCluster(options, onStop)
  const url = config.databaseUrl ?? (cluster as EmbeddedPostgres).url()
  const explained = (error: Error): never => {
    throw config.databaseUrl ? unusableDatabase(config.databaseUrl, error) : error
  }
  await refuseDemoPeople(url, config).catch(explained)
  const vaultKey = openVaultKey(config)
  const applied = await preparePlatform(url, preparation(options, vaultKey)).catch(explained)
  const prepared = reportPrepared(applied, log)
  const { database, requests, login } = await openPools(url, options, onStop)
  const [missingRights, databaseUrl] = await Promise.all([
    warnOfRights(url),
    cluster ? cluster.tcpUrl(database.pool) : config.databaseUrl,
    requests.pool.query('select 1').catch((error) => {
      throw config.databaseUrl ? lockedOut(login, error) : error
    }),
  ])
  const warnings = [...prepared, ...missingRights]
  return { cluster, url, database, requests, login, databaseUrl, vaultKey, applied, warnings }
}

async function startCluster({ config, plugins, log }: StartDatabaseOptions, onStop: OnStop) {
  const cluster = await startEmbeddedPostgres({
    directory: join(config.dataDir, 'postgres'),
    tcp: config.servesFunctions,
    cliPort: config.cli?.databasePort,
    // `supabase inspect` reads it; it costs each statement a little.
    settings: config.cli ? { shared_preload_libraries: 'pg_stat_statements' } : {},
    extensions: plugins.flatMap(({ extensions }) => extensions ?? []),
    log: (message) => log.warn(message),
  })
  // PostgreSQL writes down what it has before it ends, which may take its time.
  onStop('postgres', () => cluster.stop(), Number.POSITIVE_INFINITY)
  return cluster
}

/** The platform's schema, the project's migrations, and the seed of a new database. */
function preparation(
  { config, plugins, log, keys, seeding }: StartDatabaseOptions,
  vaultKey: StartedDatabase['vaultKey'],
): Parameters<typeof preparePlatform>[1] {
  return {
    project: config.project,
    plugins,
    migrations: config.db.migrations.enabled,
    vault: { ...config.db.vault, ...ownSecrets(keys) },
    vaultKey,
    onWarning: (message) => log.warn({ message }, 'a migration raised a warning'),
    seed: seeding ? config.db.seed.sql_paths : [],
  }
}

/** How the database calls functions, by the names and the address that the CLI gives them in local development. */
function ownSecrets({ secret }: Keys): Record<string, string> {
  return {
    supabase_functions_url: 'http://kong:8000/functions/v1',
    supabase_service_role_key: secret,
  }
}

async function openPools(url: string, { config, log }: StartDatabaseOptions, onStop: OnStop) {
  const { reconnectTimeoutMs, connections } = config
  const database = openDatabase(url, {
    max: connections.owner,
    keep: 2, // One of them listens for jobs.
    reconnectTimeoutMs,
    settings: { statement_timeout: OWN_STATEMENT_TIMEOUT },
    onIdleError: (error) => log.debug({ err: error }, 'an idle database connection was lost'),
  })
  onStop('database', () => database.close())
  const login = await apiLogin(database.pool)
  const requests = openRequestDatabase(url, { max: connections.requests, reconnectTimeoutMs, login })
  onStop('requests', () => requests.close())
  return { database, requests, login }
}
