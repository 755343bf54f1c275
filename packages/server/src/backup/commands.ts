// Backups that an operator starts by command, while the server runs or while it is stopped.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Config, ConfigError } from '../config/config.ts'
import { runningUrl } from '../postgres/cluster/postmaster.ts'
import { listBaseBackups, type Manifest, takeBaseBackup, verifyBase } from './base-backup.ts'
import { DamagedError } from './damage.ts'
import { parseLsn } from './lsn.ts'
import { openBackupRepository } from './open-repository.ts'
import { type Restored, type RestoreOptions, restore } from './restore.ts'
import { type Listed, listRoutes, readContents } from './restore-routes.ts'
import { routesTo } from './timelines.ts'
import { endOfLog, readPart } from './wal-parts.ts'
import { SLOT } from './wal-receiver.ts'

const RECEIVED_TIMEOUT_MS = 60_000

/** Takes a base backup of the running server. Throws ConfigError when none runs, or one that backs nothing up. */
export async function backupNow(config: Config): Promise<Manifest> {
  const cluster = join(config.dataDir, 'postgres')
  const url = runningUrl(cluster)
  if (!url) throw new ConfigError([`DATA_DIR: no server runs in ${config.dataDir}; start it first`])
  const repository = await openBackupRepository(settingsOf(config))
  try {
    return await takeBaseBackup({ url, cluster, repository, kept: (lsn) => receivedByServer(url, lsn) })
  } finally {
    repository.close()
  }
}

/** Every whole base backup, the oldest first. */
export async function listBackups(config: Config): Promise<Manifest[]> {
  const repository = await openBackupRepository(settingsOf(config), { writes: false })
  try {
    return await listBaseBackups(repository)
  } finally {
    repository.close()
  }
}

/** See listRoutes(). */
export async function listRestorable(config: Config): Promise<Listed[]> {
  const repository = await openBackupRepository(settingsOf(config), { writes: false })
  try {
    return await listRoutes(repository)
  } finally {
    repository.close()
  }
}

/** Reads the newest base backup, and the log from there to its end. Answers what is wrong, nothing when all of it is whole. */
export async function verifyNewest(config: Config): Promise<{ newest: Manifest | null; faults: string[] }> {
  const repository = await openBackupRepository(settingsOf(config), { writes: false })
  try {
    const { bases, unusable, unfinished, timelines } = await readContents(repository)
    const newest = bases.at(-1) ?? null
    // Those after the newest may be under way.
    const faults = [...unusable].flatMap(([id, fault]) =>
      newest && id > newest.id && unfinished.has(id) ? [] : [fault],
    )
    const [route] = newest ? routesTo(undefined, timelines, [newest]) : []
    if (!newest || !route) return { newest, faults }
    await verifyBase(repository, newest).catch((error) => {
      if (!(error instanceof DamagedError)) throw error
      faults.push(error.message)
    })
    const { fault } = await endOfLog(repository, route.path, (part) => readPart(repository, part))
    return { newest, faults: [...new Set(fault ? [...faults, fault] : faults)] }
  } finally {
    repository.close()
  }
}

/** See restore(). */
export function restoreBackup(config: Config, options: Omit<RestoreOptions, 'config'>): Promise<Restored> {
  return restore({ ...options, config: { ...config, backup: settingsOf(config) } })
}

function settingsOf({ backup }: Config) {
  if (backup) return backup
  throw new ConfigError([
    'BACKUP_DIR: is not set, nor is BACKUP_S3_BUCKET; set one to where backups are kept',
  ])
}

/** Resolves once the server has kept the log up to there. */
async function receivedByServer(url: string, lsn: bigint): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const late = performance.now() + RECEIVED_TIMEOUT_MS; performance.now() < late; await sleep(100)) {
      const { rows } = await client.query(
        'select flush_lsn from pg_stat_replication where application_name = $1',
        [SLOT],
      )
      if (rows[0]?.flush_lsn && parseLsn(rows[0].flush_lsn) >= lsn) return
    }
  } finally {
    await client.end()
  }
  throw new ConfigError([
    'BACKUP_DIR: the server that runs does not back up its log; start it with the same setting',
  ])
}
