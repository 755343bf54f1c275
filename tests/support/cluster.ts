// PostgreSQL clusters that the tests begin with: the platform, all migrations and no seed yet. Each is made once and
// kept in node_modules/.cache under a hash of all it is made of; who needs one works on a copy.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import pg from 'pg'
import { startEmbedded } from '../../packages/server/tests/support/postgres.ts'
import { DATABASE_PLUGINS } from '../../plugins/index.ts'
import { repositoryFile, repositoryRoot } from '../../plugins/repository.ts'
import { externalPackages } from '../../scripts/external-packages.mjs'

/** Name of the database that test databases are cloned from; a cluster of Meadowlark's has it. */
export const TEMPLATE = 'test_template'

/** Projects whose migrations a kept cluster has, with the seeds that their first start is to run. */
const PROJECTS = {
  meadowlark: {
    folder: repositoryFile('supabase'),
    seeds: ['seeds/people.sql', 'seeds/jobs.sql', 'seeds/test-payments.sql'],
  },
  sample: {
    folder: repositoryFile('tests/protocol/server/sample-project/supabase'),
    seeds: ['seeds/1_fruit.sql', 'seeds/2_baskets.sql'],
  },
}
export type KeptProject = keyof typeof PROJECTS

const CACHE = repositoryFile('node_modules/.cache/meadowlark-clusters')

/** How long a cluster of other sources is kept, so that going back to a branch finds its own, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000

/** Milliseconds after which whoever began to make a cluster is taken for dead. */
const MAKING_MS = 120_000

/**
 * Puts a cluster at `path`, whose folder must exist: its database `postgres` is as a first start on this project would
 * have left it, but for the seed, which the next start runs.
 */
export async function copyCluster(project: KeptProject, path: string): Promise<void> {
  const kept = join(CACHE, `${project}-${await fingerprint()}`)
  await makeOnce(kept, () => fill(kept, project))
  // Keeps owners and modes, which PostgreSQL insists on.
  execFileSync('cp', ['-a', join(kept, 'postgres'), path])
}

/** Runs `make` unless `path` is there or another worker is about to make it, who is waited for. */
async function makeOnce(path: string, make: () => Promise<void>): Promise<void> {
  const mark = `${path}.making`
  while (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    try {
      mkdirSync(mark)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (since < Date.now() - MAKING_MS) rmSync(mark, { recursive: true, force: true })
      await sleep(100)
      continue
    }
    try {
      if (!existsSync(path)) await make()
    } finally {
      rmSync(mark, { recursive: true, force: true })
    }
  }
}

/** Makes a project's cluster and keeps it at `kept`, whole or not at all. */
async function fill(kept: string, project: KeptProject): Promise<void> {
  removeOld()
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-cluster-'))
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(directory, 0o711)
  try {
    const cluster = await startEmbedded(directory)
    try {
      await prepare(cluster, project)
    } finally {
      await cluster.stop()
    }
    // Whoever starts on a copy spares the disk, too; what a killed process had written stays all the same.
    appendFileSync(join(directory, 'postgres', 'postgresql.conf'), 'fsync = off\n')
    const fresh = `${kept}.${process.pid}`
    mkdirSync(fresh)
    execFileSync('cp', ['-a', join(directory, 'postgres'), fresh])
    renameSync(fresh, kept)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Lays the platform and Meadowlark's migrations in the database of `url`, without a seed. */
export async function prepareMeadowlark(url: string): Promise<void> {
  await preparePlatform(url, { project: PROJECTS.meadowlark.folder, plugins: DATABASE_PLUGINS, seed: [] })
}

async function prepare(cluster: EmbeddedPostgres, name: KeptProject): Promise<void> {
  const { folder, seeds } = PROJECTS[name]
  await preparePlatform(cluster.url(), { project: folder, plugins: DATABASE_PLUGINS, seed: [] })
  const admin = new pg.Client({ connectionString: cluster.url('template1') })
  await admin.connect()
  if (name === 'meadowlark') await admin.query(`create database ${TEMPLATE} template postgres`)
  await admin.end()
  const owner = new pg.Client({ connectionString: cluster.url() })
  await owner.connect()
  // As the preparation of a new database notes them. Seeds are of today: tasks lie so many days ahead.
  await owner.query(
    `insert into supabase_migrations.seed_files (path, hash) select 'supabase/' || path, 'pending' from unnest($1::text[]) as path`,
    [seeds],
  )
  await owner.end()
}

function removeOld(): void {
  for (const entry of readdirSync(CACHE, { withFileTypes: true })) {
    const path = join(CACHE, entry.name)
    if (statSync(path).mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

let known: Promise<string> | undefined

/** A hash of everything a cluster is made of: the code that makes it, every SQL file, the packages, the account. */
function fingerprint(): Promise<string> {
  known ??= readFingerprint()
  return known
}

async function readFingerprint(): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: ['tests/support/cluster.ts'],
    bundle: true,
    plugins: [externalPackages],
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const hash = createHash('sha256').update(`${process.getuid?.()} ${process.arch} ${process.version}`)
  for (const { contents } of outputFiles) hash.update(contents)
  const folders = ['packages', 'supabase/migrations']
  const sources = [...folders, 'tests/protocol/server/sample-project'].flatMap((folder) =>
    readdirSync(repositoryFile(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(sql|control)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  )
  for (const path of [...sources, repositoryFile('package-lock.json')])
    hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex').slice(0, 16)
}
