// Backups of the embedded PostgreSQL and of stored objects while the server runs: the log and new objects at once, a
// base backup each day. With a PostgreSQL of DATABASE_URL, whose files are elsewhere, its own tools do that.
import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type pino from 'pino'
import { type Config, ConfigError } from '../config/config.ts'
import type { BackupSettings } from '../config/integrations.ts'
import { connectClient } from '../sql/client.ts'
import { listBaseBackups, type Manifest, takeBaseBackup } from './base-backup.ts'
import { listObjectFiles, mirrorObjects } from './object-files.ts'
import { openBackupRepository } from './open-repository.ts'
import type { BackupRepository } from './repository.ts'
import { readContents } from './restore-routes.ts'
import { removeOld } from './retention.ts'
import { keepSecrets } from './secrets.ts'
import { routesTo } from './timelines.ts'
import { endOfLog, weighPart } from './wal-parts.ts'
import { receiveWal, type WalReceiver } from './wal-receiver.ts'

const DAY_MS = 86_400_000
const CHECK_INTERVAL_MS = 600_000
/** Time for the log of the backup to be stored before a base backup counts. */
const KEPT_TIMEOUT_MS = 600_000
/** How often it is looked whether a file of keys has changed: a revoked key leaves the backup as soon. */
const KEYS_INTERVAL_MS = 1000
const KEY_FILES = ['keys.json', 'signing_keys.json', 'vapid.json']
/** Holds the number that PostgreSQL gave the database that is kept. */
const DATABASE = 'database/system-identifier'

export interface Backup {
  /** Copies the bytes of a stored object soon. Does nothing where S3 keeps them. */
  addObject(version: string): void
  /** Copies what no earlier server has, of all that is stored. */
  addObjects(stored: AsyncIterable<{ version: string }>): Promise<void>
  /** When the newest base backup ended; when this server began, while there is none. */
  newest(): Date
  /** For how many seconds a part of the log has waited to be kept. */
  behind(): number
  /** The folder that it is kept in; null for a bucket. */
  directory: string | null
  stop(): Promise<void>
}

export interface BackupOptions {
  config: Pick<Config, 'dataDir' | 's3'> & { backup: BackupSettings }
  /** Connection URL of the cluster's superuser. */
  url: string
  log: pino.Logger
}

/** Begins. Throws ConfigError when the backup repository cannot be used; later failures are logged and tried again. */
export async function startBackup({ config, url, log }: BackupOptions): Promise<Backup> {
  const repository = await openBackupRepository(config.backup)
  await refuseAnotherDatabase(repository, url)
  await keepSecrets(config.dataDir, repository)
  const receiver = receiveWal({ url, repository, log, onGap: () => bases.request() })
  const objects = config.s3 ? null : mirrorObjects({ root: join(config.dataDir, 'storage'), repository, log })
  const bases = scheduleBaseBackups({ config, url, log }, repository, receiver)
  const unwatchKeys = watchKeys(config.dataDir, repository, log)

  return {
    addObject: (version) => objects?.add(version),
    async addObjects(stored) {
      try {
        const kept = await listObjectFiles(repository)
        for await (const { version } of stored) if (!kept.has(version)) objects?.add(version)
      } catch (error) {
        log.error({ err: error }, 'objects that were stored before are not backed up; restart to try again')
      }
    },
    newest: bases.newest,
    behind: () => {
      const since = receiver.waitingSince()
      return since === null ? 0 : (Date.now() - since) / 1000
    },
    directory: config.backup.directory,
    async stop() {
      unwatchKeys()
      await Promise.all([bases.stop(), objects?.stop(), receiver.stop()])
      repository.close()
    },
  }
}

interface BaseBackups {
  /** When the newest one ended; when this server began, while there is none. */
  newest(): Date
  /** The next check takes one, even if the newest is recent. */
  request(): void
  /** Gives up the current one. */
  stop(): Promise<void>
}

/** Takes a base backup each day, and when the log has a gap or damage. */
function scheduleBaseBackups(
  { config, url, log }: BackupOptions,
  repository: BackupRepository,
  receiver: WalReceiver,
): BaseBackups {
  const stopping = new AbortController()
  let isDue = false
  let newestEnd = new Date().toISOString()
  let working: Promise<void> | null = null

  async function keepUp(): Promise<void> {
    const archive = await receiver.archive()
    const newest = (await listBaseBackups(repository)).at(-1)
    if (newest) newestEnd = newest.endedAt
    const fault = newest && newest.timeline === archive.timeline && (await faultAfter(repository, newest))
    if (fault) {
      log.error({ fault }, 'the log in the backup is damaged; a new base backup begins')
      isDue = true
    }
    await keepSecrets(config.dataDir, repository)
    const isRecent = newest && Date.parse(newest.startedAt) > Date.now() - DAY_MS
    // One of another timeline is of before a restore: it cannot be continued with the log written now.
    if (isRecent && newest.timeline === archive.timeline && !isDue) return
    // Damage that is found meanwhile asks for another one.
    isDue = false
    const manifest = await takeBaseBackup({
      url,
      repository,
      cluster: join(config.dataDir, 'postgres'),
      kept: (lsn) => receiver.kept(lsn, KEPT_TIMEOUT_MS),
      signal: stopping.signal,
    }).catch((error) => {
      isDue = true
      throw error
    })
    newestEnd = manifest.endedAt
    log.info({ id: manifest.id, bytes: manifest.tarBytes }, 'a base backup was taken and read back')
    await removeOld(repository, {
      ...config.backup,
      warn: (fault) => log.warn({ fault }, 'some expired files were not removed from the backup'),
    })
  }

  const check = () => {
    working ??= keepUp()
      .catch((error) => {
        if (!stopping.signal.aborted)
          log.error({ err: error }, 'the base backup failed; tried again in ten minutes')
      })
      .finally(() => {
        working = null
      })
  }
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()
  check()

  return {
    newest: () => new Date(newestEnd),
    request() {
      isDue = true
    },
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await working
    },
  }
}

/** Backs up files of keys when they change. Returns how to end that. */
function watchKeys(dataDir: string, repository: BackupRepository, log: pino.Logger): () => void {
  const onKeys = () => {
    keepSecrets(dataDir, repository).catch((error) =>
      log.error({ err: error }, 'changed keys are not backed up; tried again in ten minutes'),
    )
  }
  const paths = KEY_FILES.map((name) => join(dataDir, name))
  for (const path of paths) watchFile(path, { interval: KEYS_INTERVAL_MS, persistent: false }, onKeys)
  return () => {
    for (const path of paths) unwatchFile(path, onKeys)
  }
}

/** A repository holds the backups of one database: the log of another one cannot follow. A restored one is the same, an upgraded one is not. */
async function refuseAnotherDatabase(repository: BackupRepository, url: string): Promise<void> {
  const client = await connectClient({ connectionString: url })
  const { rows } = await client
    .query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
    .finally(() => client.end())
  const own = rows[0]?.id ?? ''
  const [kept] = await repository.list(DATABASE)
  if (!kept) return repository.write(DATABASE, Buffer.from(own))
  if ((await text(await repository.read(DATABASE))) === own) return
  repository.close()
  throw new ConfigError([
    'BACKUP_DIR, BACKUP_S3_BUCKET: keeps the backup of another database (after an upgrade of PostgreSQL: of the old one). Set it to an empty place, and keep this one for as long as you may want to go back',
  ])
}

/** Why the log after a base backup cannot be followed to its end; null where it can. */
async function faultAfter(repository: BackupRepository, base: Manifest): Promise<string | null> {
  const { timelines } = await readContents(repository)
  const own = timelines.filter(({ id }) => id === base.timeline)
  const [route] = routesTo(undefined, own, [base])
  return route ? (await endOfLog(repository, route.path, weighPart)).fault : null
}
