// Restores the embedded PostgreSQL and stored objects into a DATA_DIR, to the end of the log or to a moment, and says how
// far the data reaches: https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-PITR-RECOVERY
import { chownSync, closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Config, ConfigError } from '../config/config.ts'
import type { BackupSettings } from '../config/integrations.ts'
import { accountFor } from '../postgres/cluster/account.ts'
import { embeddedMajor } from '../postgres/cluster/embedded.ts'
import { takeLock } from '../process/lock.ts'
import { type Manifest, readBase } from './base-backup.ts'
import { DamagedError } from './damage.ts'
import { countRows, type Findings, missingFiles, runChecks } from './inspect.ts'
import { parseLsn, segmentName } from './lsn.ts'
import { digestOf, listObjectFiles, restoreObject } from './object-files.ts'
import { openBackupRepository } from './open-repository.ts'
import { diskFull, type Recovered, recover, unreplayed } from './recover.ts'
import type { BackupRepository } from './repository.ts'
import { type Contents, chooseRoutes, readContents, shortfallOf } from './restore-routes.ts'
import { restoreSecrets } from './secrets.ts'
import { historyName, type Route } from './timelines.ts'
import { followLog, type LogEnd, readPart, type Stretch, withParts } from './wal-parts.ts'

/** Stored objects that are written at once, each of which waits for the disk. */
const OBJECTS_AT_ONCE = 4

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 's3'> & { backup: BackupSettings }
  /** The moment to go back to; the last one that is kept when left out. */
  to?: Date
  /** The name of the base backup to begin with; the newest that leads there when left out. */
  base?: string
  /** Put what is in DATA_DIR aside instead of refusing. */
  replace?: boolean
  /** Statements of the project that return one number each, which is 0 when all is well, by what they look at. */
  checks?: Record<string, string>
  onProgress?: (line: string) => void
}

export interface Restored {
  /** Of the base backup. */
  id: string
  /** When the last transaction that was restored committed; without one, when the base backup ended. */
  reaches: Date
  /** Why this is less than the backup holds, or than was asked for; null when it is not. */
  shortfall: string | null
  objects: number
  /** Results of the checks after the restore. */
  findings: Findings
}

/**
 * Restores. Throws ConfigError where there is nothing to restore from, where DATA_DIR has a database, and where the disk is
 * full; then the database in DATA_DIR has not changed.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { config, to, replace = false, checks = {}, onProgress: tell = () => {} } = options
  const { dataDir } = config
  const cluster = join(dataDir, 'postgres')
  const fresh = `${cluster}.restoring`
  const walFolder = join(dataDir, 'restoring-wal')
  const repository = await openBackupRepository(config.backup, { writes: false })
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const unlock = takeLock(dataDir)
  try {
    if (existsSync(cluster) && !replace) {
      throw new ConfigError([
        `DATA_DIR: ${dataDir} has a database; restore into an empty folder, or put what is there aside with --replace`,
      ])
    }
    const contents = await readContents(repository)
    const work = { repository, contents, to, fresh, walFolder, dataDir, tell }
    const { database, route, shortfall } = await bringBack(work, chooseRoutes(contents, options))
    const storage = config.s3 ? null : join(dataDir, 'storage')
    const { objects, findings } = await fillAndLook(database, { repository, storage, checks, tell }).finally(
      database.end,
    )
    // The database comes last: when this is ended before, no server starts without its keys, or on an empty database.
    await restoreSecrets(repository, dataDir)
    if (existsSync(cluster)) {
      const aside = `${cluster}.before-restore-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
      await rename(cluster, aside)
      tell(`what was there is now in ${aside}`)
    }
    await rename(fresh, cluster)
    const reaches = database.lastCommit ?? new Date(route.base.endedAt)
    return { id: route.base.id, reaches, shortfall, objects, findings }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw ['ENOSPC', 'EDQUOT'].includes(code) ? diskFull(dataDir) : error
  } finally {
    for (const path of [fresh, `${fresh}.extensions`, `${fresh}.log`, walFolder])
      await rm(path, { recursive: true, force: true })
    repository.close()
    unlock()
  }
}

type Work = {
  repository: BackupRepository
  contents: Contents
  to: Date | undefined
  fresh: string
  walFolder: string
  dataDir: string
  tell: (line: string) => void
}
type Back = { database: Recovered; route: Route; shortfall: string | null }

/** Takes the first of the routes whose base backup is whole. */
async function bringBack(work: Work, routes: Route[]): Promise<Back> {
  const unusable = new Map(work.contents.unusable)
  for (const route of routes) {
    if (unusable.has(route.base.id)) continue
    try {
      return await follow(work, route)
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      unusable.set(route.base.id, error.message)
      work.tell(`base backup ${route.base.id} cannot be used: ${error.message}`)
    }
  }
  throw new ConfigError([
    'BACKUP_DIR: no base backup can be used; nothing was restored',
    ...[...unusable].map(([id, reason]) => `  ${id}: ${reason}`),
  ])
}

/** Restores along a route. Throws DamagedError where its base backup, or the log that this needs, is damaged. */
async function follow(work: Work, route: Route): Promise<Back> {
  const { repository, contents, fresh, walFolder, dataDir, tell } = work
  const { base } = route
  const major = await embeddedMajor()
  if (base.postgres !== major)
    throw new ConfigError([
      `BACKUP_DIR: the backup is of PostgreSQL ${base.postgres}, and this version runs ${major}; restore it with a version that runs ${base.postgres}`,
    ])
  const segmentBytes = BigInt(base.segmentBytes)
  let { path } = route
  let { to } = work
  let damage: string | null = null
  for (;;) {
    // PostgreSQL adds to its log: the words of an earlier attempt would be taken for this one's.
    for (const left of [fresh, `${fresh}.log`, walFolder]) await rm(left, { recursive: true, force: true })
    tell(`base backup ${base.id}: ${base.files} files, ${Math.ceil(base.bytes / 1e6)} MB`)
    await unpack(repository, base, fresh)
    tell('the log since then')
    const end = await withParts(repository, (parts) => {
      contents.parts = parts
      return writeLog(repository, contents, path, segmentBytes, walFolder)
    })
    if (end.lsn < parseLsn(base.stopLsn))
      throw new DamagedError(end.fault ?? 'its log is missing before the end of the backup')
    for (const folder of [fresh, walFolder]) await giveTo(folder, accountFor(fresh), dataDir)
    const timeline = end.timeline === base.timeline ? 'current' : `${end.timeline}`
    const database = await recover({ fresh, walFolder, timeline, to, dataDir, tell })
    if (!database) {
      // Without the moment, all that there is before it.
      to = undefined
      continue
    }
    const isReached = to !== undefined
    const unread = isReached ? null : await unreplayed(walFolder, segmentBytes, database.replayed, end.lsn)
    damage ??= unread ?? (isReached ? null : end.fault)
    const followed = path.find((stretch) => stretch.timeline === end.timeline) as Stretch
    if (database.replayed >= followed.from || path[0] === followed) {
      const shortfall = shortfallOf({ contents, route, to: work.to, isReached, end, damage })
      return { database, route, shortfall }
    }
    // PostgreSQL stopped on an earlier timeline than the requested one: the new timeline must start there.
    await database.end()
    const { replayed } = database
    path = path
      .filter(({ from }) => from <= replayed)
      .map((each, index, kept) => (index === kept.length - 1 ? { ...each, to: replayed } : each))
  }
}

async function unpack(repository: BackupRepository, base: Manifest, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 })
  let failure: unknown
  await readBase(repository, base, async (entry) => {
    const path = resolve(target, entry.header.name)
    if (!path.startsWith(target + sep))
      throw new DamagedError(`the base backup names a file outside: ${entry.header.name}`)
    if (entry.header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      entry.resume()
    } else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeEntry(path, entry, (error) => {
        failure = error
      })
    }
  }).catch((error) => {
    throw failure ?? error
  })
  await mkdir(join(target, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 })
  await writeFile(join(target, 'recovery.signal'), '')
}

/**
 * At once, since nobody else waits for this process: thousands of files would each wait for a thread several times.
 * `onFailure` receives errors of this disk, which are not damage of the backup.
 */
async function writeEntry(path: string, content: AsyncIterable<Buffer>, onFailure: (error: unknown) => void) {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      onFailure(error)
      throw error
    }
  }
  const file = guarded(() => openSync(path, 'w', 0o600))
  try {
    for await (const chunk of content) guarded(() => writeFileSync(file, chunk))
  } finally {
    closeSync(file)
  }
}

/** The segments along the path, the last filled with zeros, and a history of each timeline: a new one takes a new number. */
async function writeLog(
  repository: BackupRepository,
  { timelines, parts }: Contents,
  path: Stretch[],
  segmentBytes: bigint,
  folder: string,
): Promise<LogEnd> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const { id } of timelines) await writeFile(join(folder, historyName(id)), '')
  for (const { name } of await repository.list('history/'))
    await writeFile(join(folder, name.slice('history/'.length)), await buffer(await repository.read(name)))
  const pieces = followLog(path, parts, (part) => readPart(repository, part))
  let segment = { start: -1n, timeline: 0, data: Buffer.alloc(0) }
  const write = async () => {
    if (segment.start >= 0n)
      await writeFile(join(folder, segmentName(segment.timeline, segment.start, segmentBytes)), segment.data)
  }
  for (;;) {
    const next = await pieces.next()
    if (next.done) {
      await write()
      return next.value
    }
    const { timeline, from, data } = next.value
    const start = from - (from % segmentBytes)
    if (start !== segment.start) {
      await write()
      segment = { start, timeline, data: Buffer.alloc(Number(segmentBytes)) }
    }
    // One in which a timeline begins has the log before it, too.
    segment.timeline = timeline
    data.copy(segment.data, Number(from - start))
  }
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

type Looking = {
  repository: BackupRepository
  storage: string | null
  checks: Record<string, string>
  tell: (line: string) => void
}

/** Writes the stored objects while the rows are counted, and looks at all of it. */
async function fillAndLook({ client }: Recovered, { repository, storage, checks, tell }: Looking) {
  const versions = await client.query('select version from storage.objects where version is not null').then(
    (result) => result.rows.map(({ version }) => version as string),
    () => [],
  )
  const [{ written: objects, damaged }, rows] = await Promise.all([
    storage
      ? restoreObjects(repository, versions, storage, tell)
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
  repository: BackupRepository,
  versions: string[],
  storage: string,
  tell: (line: string) => void,
) {
  const kept = await listObjectFiles(repository)
  const damaged = new Map<string, string>()
  let written = 0
  const left = versions.values()
  const writeSome = async () => {
    for (const version of left) {
      const file = kept.get(version)
      if (!file || (await digestOf(storage, version)) === file.sha256) continue
      if (await restoreObject(repository, file, storage, version)) written += 1
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
