// Restores the embedded PostgreSQL and stored objects into a DATA_DIR, to the end of the log or to a moment:
// https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-PITR-RECOVERY
import { chownSync, closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { extract } from 'tar-stream'
import type { BackupSettings } from '../config/integrations.ts'
import { type Config, ConfigError } from '../config.ts'
import { takeLock } from '../lock.ts'
import { accountFor } from '../postgres/cluster/account.ts'
import { embeddedMajor, startEmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { listBaseBackups, type Manifest, readTar } from './base-backup.ts'
import { countRows, type Findings, missingFiles, runChecks } from './inspect.ts'
import { parseLsn } from './lsn.ts'
import { digestOf, listObjectFiles, restoreObject } from './object-files.ts'
import { openBackupPlace } from './open-place.ts'
import { type BackupPlace, CHUNK_BYTES, SECRETS } from './place.ts'
import { openWalArchive } from './wal-archive.ts'

/** How long the log may take to be read. */
const RECOVERY_TIMEOUT_MS = 6 * 3600_000
/** Stored objects that are written at once, each of which waits for the disk. */
const OBJECTS_AT_ONCE = 4

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 's3'> & { backup: BackupSettings }
  /** The moment to go back to; the last one that is kept when left out. */
  to?: Date
  /** Put what is in DATA_DIR aside instead of refusing. */
  replace?: boolean
  /** Statements of the project that return one number each, which is 0 when all is well, by what they look at. */
  checks?: Record<string, string>
  onProgress?: (line: string) => void
}

export interface Restored {
  /** Of the base backup. */
  id: string
  /** When the last transaction that was restored committed; null when none came after the base backup. */
  lastCommit: Date | null
  objects: number
  /** What was looked at afterwards. */
  findings: Findings
}

/**
 * Restores. Throws ConfigError where there is nothing to restore from, where the moment is not kept, and where DATA_DIR
 * has a database; then nothing has changed.
 */
export async function restore({
  config,
  to,
  replace = false,
  checks = {},
  onProgress,
}: RestoreOptions): Promise<Restored> {
  const tell = onProgress ?? (() => {})
  const { dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const unlock = takeLock(dataDir)
  const place = await openBackupPlace(config.backup)
  const cluster = join(dataDir, 'postgres')
  const fresh = `${cluster}.restoring`
  const walFolder = join(dataDir, 'restoring-wal')
  try {
    if (existsSync(cluster) && !replace) {
      throw new ConfigError([
        `DATA_DIR: ${dataDir} has a database; restore into an empty folder, or put what is there aside with --replace`,
      ])
    }
    const base = chooseBase(await listBaseBackups(place), to)
    const major = await embeddedMajor()
    if (base.postgres !== major)
      throw new ConfigError([
        `BACKUP_DIR: the backup is of PostgreSQL ${base.postgres}, and this version runs ${major}; restore it with a version that runs ${base.postgres}`,
      ])
    await rm(fresh, { recursive: true, force: true })
    await rm(walFolder, { recursive: true, force: true })
    tell(`base backup ${base.id}: ${base.files} files, ${Math.ceil(base.bytes / 1e6)} MB`)
    await unpack(place, base, fresh)
    tell('the log since then')
    await writeLog(place, base, walFolder)
    for (const path of [fresh, walFolder]) await giveTo(path, accountFor(fresh), dataDir)
    const database = await recover({ fresh, walFolder, to, tell })
    const storage = config.s3 ? null : join(dataDir, 'storage')
    const { objects, findings } = await fillAndLook(database, { place, storage, checks, tell }).finally(
      database.end,
    )
    if (existsSync(cluster)) {
      const aside = `${cluster}.before-restore-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
      await rename(cluster, aside)
      tell(`what was there is now in ${aside}`)
    }
    await rename(fresh, cluster)
    await restoreSecrets(place, dataDir)
    return { id: base.id, lastCommit: database.lastCommit, objects, findings }
  } finally {
    for (const path of [fresh, `${fresh}.extensions`, `${fresh}.log`, walFolder])
      await rm(path, { recursive: true, force: true })
    place.close()
    unlock()
  }
}

/** Those that are not there. */
async function restoreSecrets(place: BackupPlace, dataDir: string): Promise<void> {
  for (const { name } of await place.list(SECRETS)) {
    const path = join(dataDir, name.slice(SECRETS.length))
    if (!existsSync(path)) await writeFile(path, await buffer(await place.read(name)), { mode: 0o600 })
  }
}

/** The last that had ended at that moment. */
function chooseBase(all: Manifest[], to: Date | undefined): Manifest {
  const newest = all.at(-1)
  if (!newest) throw new ConfigError(['BACKUP_DIR: has no base backup; nothing can be restored from it'])
  if (!to) return newest
  const chosen = all.findLast(({ endedAt }) => Date.parse(endedAt) <= to.getTime())
  if (chosen) return chosen
  throw new ConfigError([
    `--to: ${to.toISOString()} is before the end of the oldest base backup (${all[0]?.endedAt})`,
  ])
}

async function unpack(place: BackupPlace, base: Manifest, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 })
  const entries = extract()
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES, ...{ highWaterMark: 4 * CHUNK_BYTES } })
  const reading = pipeline(await readTar(place, base), unzip, entries)
  for await (const entry of entries) {
    const path = resolve(target, entry.header.name)
    if (!path.startsWith(target + sep))
      throw new Error(`the base backup names a file outside: ${entry.header.name}`)
    if (entry.header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      entry.resume()
    } else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeEntry(path, entry as AsyncIterable<Buffer>)
    }
  }
  await reading
  await mkdir(join(target, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 })
  await writeFile(join(target, 'recovery.signal'), '')
}

/** At once, since nobody else waits for this process: thousands of files would each wait for a thread several times. */
async function writeEntry(path: string, content: AsyncIterable<Buffer>): Promise<void> {
  const file = openSync(path, 'w', 0o600)
  try {
    for await (const chunk of content) writeFileSync(file, chunk)
  } finally {
    closeSync(file)
  }
}

/** The segments from the base backup on, and the histories of all timelines, so that a new one takes a new number. */
async function writeLog(place: BackupPlace, base: Manifest, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  const { timeline, segmentBytes, startLsn, stopLsn } = base
  const archive = await openWalArchive(place, { timeline, segmentBytes: BigInt(segmentBytes) })
  if ((archive.position ?? 0n) < parseLsn(stopLsn)) throw new Error('the log of the base backup is missing')
  for await (const { name, data } of archive.segments(parseLsn(startLsn)))
    await writeFile(join(folder, name), data)
  for (const { name } of await place.list('history/'))
    await writeFile(join(folder, name.slice('history/'.length)), await buffer(await place.read(name)))
}

/** Hands a folder over to the account that runs PostgreSQL. */
async function giveTo(
  folder: string,
  account: { uid: number; gid: number } | null,
  below: string,
): Promise<void> {
  if (!account || !folder.startsWith(below)) return
  chownSync(folder, account.uid, account.gid)
  for (const entry of await readdir(folder, { recursive: true }))
    chownSync(join(folder, entry), account.uid, account.gid)
}

/** A PostgreSQL that has read its log, and the superuser's connection to it. */
interface Recovered {
  client: pg.Client
  lastCommit: Date | null
  end(): Promise<void>
}

async function recover({
  fresh,
  walFolder,
  to,
  tell,
}: {
  fresh: string
  walFolder: string
  to: Date | undefined
  tell: (line: string) => void
}): Promise<Recovered> {
  const quoted = walFolder.replaceAll('%', '%%').replaceAll("'", `'\\''`)
  const postgres = await startEmbeddedPostgres({
    directory: fresh,
    recoveryTimeoutMs: RECOVERY_TIMEOUT_MS,
    settings: {
      restore_command: `cp '${quoted}/'%f '%p'`,
      recovery_target_timeline: 'current',
      // It is ready once all of the log was read, and not before.
      hot_standby: 'off',
      // The names of time zones, Z among them, are not known to it yet.
      ...(to
        ? { recovery_target_time: to.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' }
        : {}),
    },
    log: tell,
  }).catch(async (error) => {
    const words = await readFile(`${fresh}.log`, 'utf8').catch(() => '')
    if (words.includes('recovery ended before configured recovery target was reached')) {
      throw new ConfigError([
        `--to: ${to?.toISOString()} is after the last transaction that is kept; leave --to out to restore all of it`,
      ])
    }
    throw new Error(`${error.message}\n${words.trim().split('\n').slice(-5).join('\n')}`)
  })
  const client = new pg.Client({ connectionString: postgres.url() })
  const end = async () => {
    await client.end().catch(() => {})
    await postgres.stop()
  }
  try {
    await client.connect()
    const { rows } = await client.query('select pg_last_xact_replay_timestamp() as at')
    return { client, lastCommit: rows[0].at, end }
  } catch (error) {
    await end()
    throw error
  }
}

type Looking = {
  place: BackupPlace
  storage: string | null
  checks: Record<string, string>
  tell: (line: string) => void
}

/** Writes the stored objects while the rows are counted, and looks at all of it. */
async function fillAndLook({ client }: Recovered, { place, storage, checks, tell }: Looking) {
  const versions = await client.query('select version from storage.objects where version is not null').then(
    (result) => result.rows.map(({ version }) => version as string),
    () => [],
  )
  const [{ written: objects, damaged }, rows] = await Promise.all([
    storage
      ? restoreObjects(place, versions, storage, tell)
      : { written: 0, damaged: new Map<string, string>() },
    countRows(client),
  ])
  const missing = storage && 'storage.objects' in rows ? await missingFiles(client, storage, damaged) : []
  return { objects, findings: { rows, checks: await runChecks(client, checks), missing } }
}

/**
 * Resolves with how many were written, and the SHA-256 that those should have that are damaged in the backup. These, and what is
 * not in it, are left to the findings.
 */
async function restoreObjects(
  place: BackupPlace,
  versions: string[],
  storage: string,
  tell: (line: string) => void,
) {
  const kept = await listObjectFiles(place)
  const damaged = new Map<string, string>()
  let written = 0
  const left = versions.values()
  const writeSome = async () => {
    for (const version of left) {
      const file = kept.get(version)
      if (!file || (await digestOf(storage, version)) === file.sha256) continue
      if (await restoreObject(place, file, storage, version)) written += 1
      else {
        damaged.set(version, file.sha256)
        tell(`${file.name} is damaged: its SHA-256 differs`)
      }
    }
  }
  await Promise.all(Array.from({ length: OBJECTS_AT_ONCE }, writeSome))
  tell(`${written} of ${versions.length} stored objects written`)
  return { written, damaged }
}
