// A database connection for commands of the operator, whether the server runs or not.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import { startEmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { runningUrl } from '../postgres/cluster/postmaster.ts'
import { takeLock } from '../process/lock.ts'
import { CONNECT_TIMEOUT_MS } from '../sql/client.ts'
import { type Database, openDatabase } from '../sql/database.ts'

/**
 * Runs `work` with the project's database: that of DATABASE_URL, the running server's, or the embedded one,
 * started for as long as the work takes. Throws ConfigError when there is no database yet.
 * @public for programs that embed the server, which knip does not follow across packages
 */
export async function withDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const cluster = join(config.dataDir, 'postgres')
  if (config.databaseUrl) return withUrl(config.databaseUrl, work)
  if (!existsSync(cluster)) {
    throw new ConfigError([`DATA_DIR: there is no database in ${config.dataDir} yet; start the server once`])
  }
  const running = runningUrl(cluster)
  if (running) return withUrl(running, work)
  const unlock = takeLock(config.dataDir)
  try {
    const postgres = await startEmbeddedPostgres({ directory: cluster, log: () => {} })
    try {
      return await withUrl(postgres.url(), work)
    } finally {
      await postgres.stop()
    }
  } finally {
    unlock()
  }
}

/**
 * Connection URL of the project's database as its owner: that of DATABASE_URL, or the embedded one of a running server.
 * Throws ConfigError when none runs.
 */
export function runningDatabaseUrl({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  const url = databaseUrl ?? runningUrl(join(dataDir, 'postgres'))
  if (!url) throw new ConfigError([`DATA_DIR: no server runs in ${dataDir}; start it first`])
  return url
}

async function withUrl<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, reconnectTimeoutMs: CONNECT_TIMEOUT_MS })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
