// Base backups: all files of the cluster, as one compressed tar with a manifest, taken while PostgreSQL works:
// https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type TransformOptions } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip, createGzip, type ZlibOptions } from 'node:zlib'
import pg from 'pg'
import { extract, pack } from 'tar-stream'
import { addCluster, addEntry } from './cluster-tar.ts'
import { DamagedError, unreadable } from './damage.ts'
import { parseLsn } from './lsn.ts'
import { type BackupRepository, CHUNK_BYTES } from './repository.ts'
import { endOfLog, readPart } from './wal-parts.ts'

export interface Manifest {
  /** When it began, as 20261122T213000Z: its folder's name, in the order of time. */
  id: string
  timeline: number
  segmentBytes: number
  /** Where the log is needed from, and up to where at least. */
  startLsn: string
  stopLsn: string
  /** ISO 8601. No moment before the end can be restored to. */
  startedAt: string
  endedAt: string
  /** PostgreSQL's major version. */
  postgres: number
  files: number
  /** Bytes of the files, of the tar, and its SHA-256 in hexadecimal. */
  bytes: number
  tarBytes: number
  sha256: string
  /** Versions of stored objects that rows named when it ended. */
  objects: number
}

/** A file or folder of a base backup, with its content. */
type BaseEntry = AsyncIterable<Buffer> & { header: { name: string; type?: string | null }; resume(): void }

export const manifestName = (id: string) => `base/${id}/manifest.json`
const tarName = (id: string) => `base/${id}/postgres.tar.gz`
export const objectsName = (id: string) => `base/${id}/objects.txt`

export interface BaseBackupOptions {
  /** Connection URL of the cluster's superuser. */
  url: string
  /** The cluster's directory. */
  cluster: string
  repository: BackupRepository
  /** Resolves once the log up to this position is kept. */
  kept: (lsn: bigint) => Promise<void>
  /** Gives up between two files. */
  signal?: AbortSignal
}

/**
 * Takes a base backup, and reads it back with the log it needs. It counts from the moment on that its manifest is there, which
 * is last.
 */
export async function takeBaseBackup(options: BaseBackupOptions): Promise<Manifest> {
  const { url, cluster, repository, kept } = options
  if ((await readdir(join(cluster, 'pg_tblspc'))).length > 0)
    throw new Error('the cluster has tablespaces, which are not backed up')
  const client = new pg.Client({ connectionString: url, application_name: 'meadowlark_base_backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    const { id, startedAt } = await newName(repository)
    const { rows: facts } = await client.query(
      `select (select setting from pg_settings where name = 'wal_segment_size')::int8::float8 as "segmentBytes",
         current_setting('server_version_num')::int / 10000 as postgres,
         (select timeline_id from pg_control_checkpoint()) as timeline,
         pg_backup_start($1, fast => true) as "startLsn"`,
      [`meadowlark ${id}`],
    )
    const { stopLsn, ...written } = await writeTar(client, tarName(id), options)
    const objects = await liveVersions(client)
    await repository.write(objectsName(id), Buffer.from(objects.map((version) => `${version}\n`).join('')))
    await kept(parseLsn(stopLsn))
    const { timeline, segmentBytes, postgres, startLsn } = facts[0]
    const manifest: Manifest = {
      id,
      timeline,
      segmentBytes,
      startLsn,
      stopLsn,
      startedAt,
      endedAt: new Date().toISOString(),
      postgres,
      ...written,
      objects: objects.length,
    }
    await verifyBase(repository, manifest)
    await repository.write(manifestName(id), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    return manifest
  } finally {
    await client.end()
  }
}

/** Writes the cluster as a compressed tar, and ends the backup that `client` has started. */
async function writeTar(
  client: pg.Client,
  name: string,
  { cluster, repository, signal }: BaseBackupOptions,
): Promise<Pick<Manifest, 'stopLsn' | 'files' | 'bytes' | 'tarBytes' | 'sha256'>> {
  const tar = pack()
  const hash = createHash('sha256')
  let tarBytes = 0
  const measure = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      tarBytes += chunk.length
      done(null, chunk)
    },
  })
  const written = repository.write(
    name,
    tar.pipe(createGzip({ level: 1, chunkSize: CHUNK_BYTES })).pipe(measure),
  )
  const filled = (async () => {
    const added = await addCluster(tar, cluster, signal)
    const { rows } = await client.query('select * from pg_backup_stop(wait_for_archive => false)')
    await addEntry(tar, 'backup_label', Buffer.from(rows[0].labelfile))
    tar.finalize()
    return { ...added, stopLsn: rows[0].lsn as string }
  })()
  await Promise.all([written, filled.catch((error) => tar.destroy(error))])
  return { ...(await filled), tarBytes, sha256: hash.digest('hex') }
}

/** One that no base backup has: two may begin in the same second. */
async function newName(repository: BackupRepository): Promise<{ id: string; startedAt: string }> {
  for (;;) {
    const startedAt = new Date().toISOString()
    const id = startedAt.replace(/[-:]|\.\d+/g, '')
    if ((await repository.list(`base/${id}/`)).length === 0) return { id, startedAt }
    await sleep(100)
  }
}

/** Of every stored object. */
async function liveVersions(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query(`select to_regclass('storage.objects') is not null as there`)
  if (!tables[0].there) return []
  const { rows } = await client.query(
    'select version from storage.objects where version is not null order by 1',
  )
  return rows.map(({ version }) => version)
}

/** Every whole base backup, the oldest first. */
export async function listBaseBackups(repository: BackupRepository): Promise<Manifest[]> {
  return (await readManifests(repository)).bases
}

/** Base backups, the oldest first. `unusable` has the reason why others do not count, by their names. */
export interface Manifests {
  bases: Manifest[]
  unusable: Map<string, string>
  /** The unusable ones without a manifest: they are being made, or were cut off. That is no damage. */
  unfinished: Set<string>
}

export async function readManifests(repository: BackupRepository): Promise<Manifests> {
  const files = await repository.list('base/')
  const bases: Manifest[] = []
  const unusable = new Map<string, string>()
  const unfinished = new Set<string>()
  for (const id of new Set(files.map(({ name }) => name.split('/')[1] ?? ''))) {
    const name = manifestName(id)
    if (!files.some((file) => file.name === name)) {
      unusable.set(id, `${name} is missing: it is being made, or was not finished`)
      unfinished.add(id)
      continue
    }
    try {
      const manifest = JSON.parse((await buffer(await repository.read(name))).toString()) as Manifest
      if (!manifest.sha256 || !manifest.startLsn || !manifest.stopLsn) throw new Error('it is incomplete')
      const tar = files.find((file) => file.name === tarName(id))
      if (tar?.size === manifest.tarBytes) bases.push(manifest)
      else if (tar)
        unusable.set(
          id,
          `${tarName(id)} is damaged: it has ${tar.size} bytes instead of ${manifest.tarBytes}`,
        )
      else unusable.set(id, `${tarName(id)} is missing`)
    } catch (error) {
      const damage = unreadable(name, error)
      if (!(damage instanceof DamagedError)) throw damage
      unusable.set(id, damage.message)
    }
  }
  return { bases, unusable, unfinished }
}

/**
 * Reads a base backup, whose files are handed over one after the other. Throws DamagedError unless they are the ones that the
 * manifest tells; a ConfigError of `onEntry` passes through.
 */
export async function readBase(
  repository: BackupRepository,
  { id, sha256 }: Manifest,
  onEntry: (entry: BaseEntry) => Promise<void>,
): Promise<void> {
  const name = tarName(id)
  const hash = createHash('sha256')
  const check = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      done(hash.digest('hex') === sha256 ? null : new DamagedError(`${name} is damaged: its SHA-256 differs`))
    },
  })
  try {
    const entries = extract()
    const buffers: ZlibOptions & TransformOptions = { chunkSize: CHUNK_BYTES, highWaterMark: 4 * CHUNK_BYTES }
    const unzip = createGunzip(buffers)
    const reading = pipeline(await repository.read(name), check, unzip, entries)
    reading.catch(() => {})
    for await (const entry of entries) await onEntry(entry as unknown as BaseEntry)
    await reading
  } catch (error) {
    throw unreadable(name, error)
  }
}

/** Reads a base backup, and the log from its beginning to its end. Throws DamagedError when it cannot be restored. */
export async function verifyBase(repository: BackupRepository, base: Manifest): Promise<void> {
  const found = { files: 0, bytes: 0 }
  await readBase(repository, base, async (entry) => {
    if (entry.header.type === 'file' && entry.header.name !== 'backup_label') found.files += 1
    for await (const chunk of entry) if (entry.header.name !== 'backup_label') found.bytes += chunk.length
  })
  if (found.files !== base.files || found.bytes !== base.bytes)
    throw new DamagedError(`${tarName(base.id)} has ${found.files} files instead of ${base.files}`)
  const { timeline, startLsn, segmentBytes, stopLsn } = base
  const start = parseLsn(startLsn)
  const path = [{ timeline, from: start - (start % BigInt(segmentBytes)), to: parseLsn(stopLsn) }]
  const { fault } = await endOfLog(repository, path, (part) => readPart(repository, part))
  if (fault) throw new DamagedError(fault)
}
