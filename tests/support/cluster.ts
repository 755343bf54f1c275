// A PostgreSQL cluster with the platform and all migrations in a template database. It is made once and kept in
// node_modules/.cache under a hash of all it is made of; a run starts on a copy of it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import pg from 'pg'
import { packageFile, packageRoot } from '../../server/package-root.ts'
import { preparePlatform } from '../../server/platform.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../server/postgres/cluster/embedded.ts'
import { DATABASE_PLUGINS } from '../../start/plugins.ts'

/** Name of the database that test databases are cloned from. */
export const TEMPLATE = 'test_template'

const CACHE = packageFile('node_modules/.cache/meadowlark-clusters')

/** How long a cluster of other sources is kept, so that going back to a branch finds its own, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000

const SETTINGS = {
  // Nobody misses a test database after a power cut.
  ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '400' },
  // Row changes are heard once the log is written, which nobody waits for here.
  ...{ wal_writer_delay: '5ms', max_wal_senders: '40', max_replication_slots: '40' },
  // A small log makes a small copy.
  min_wal_size: '32MB',
}

/** Starts the tests' cluster in `directory`, which must exist and let PostgreSQL's account pass through. */
export async function startTestCluster(directory: string): Promise<EmbeddedPostgres> {
  const cached = join(CACHE, await fingerprint())
  if (!existsSync(cached)) await fill(cached, directory)
  // Keeps owners and modes, which PostgreSQL insists on.
  execFileSync('cp', ['-a', join(cached, 'postgres'), join(directory, 'postgres')])
  return start(directory)
}

function start(directory: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    settings: SETTINGS,
    extensions: [packageFile('extensions')],
    log: (message) => console.warn(message),
  })
}

/** Makes the cluster below `scratch` and keeps it as `cached`, whole or not at all. */
async function fill(cached: string, scratch: string): Promise<void> {
  const directory = join(scratch, 'template')
  mkdirSync(directory, { mode: 0o711 })
  chmodSync(directory, 0o711)
  const cluster = await start(directory)
  try {
    const admin = new pg.Client({ connectionString: cluster.url() })
    await admin.connect()
    await admin.query(`create database ${TEMPLATE}`)
    await admin.end()
    await preparePlatform(cluster.url(TEMPLATE), {
      project: packageFile('supabase'),
      plugins: DATABASE_PLUGINS,
      seed: [],
    })
  } finally {
    await cluster.stop()
  }
  mkdirSync(CACHE, { recursive: true })
  removeOld()
  const fresh = `${cached}.${process.pid}`
  mkdirSync(fresh)
  execFileSync('cp', ['-a', join(directory, 'postgres'), fresh])
  rmSync(directory, { recursive: true, force: true })
  try {
    renameSync(fresh, cached)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another run was quicker.
    if (!existsSync(cached)) throw error
  }
}

function removeOld(): void {
  for (const entry of readdirSync(CACHE, { withFileTypes: true })) {
    const path = join(CACHE, entry.name)
    if (statSync(path).mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** A hash of everything the cluster is made of: the code that makes it, every SQL file, the packages, the account. */
async function fingerprint(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: packageRoot,
    entryPoints: ['tests/support/cluster.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const hash = createHash('sha256').update(`${process.getuid?.()} ${process.arch} ${process.version}`)
  for (const { contents } of outputFiles) hash.update(contents)
  const sources = ['server', 'sandbox', 'extensions', 'supabase/migrations'].flatMap((folder) =>
    readdirSync(packageFile(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(sql|control)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  )
  for (const path of [...sources, packageFile('package-lock.json')])
    hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex').slice(0, 16)
}
