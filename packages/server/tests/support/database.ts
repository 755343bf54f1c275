// A fresh database per test file, cloned from a template in about a tenth of a second.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { versionFor } from '../../src/postgres/migrate/prepare.ts'
import { type Database, openDatabase } from '../../src/sql/database.ts'
import { type PlatformOptions, preparationFor, preparePlatform } from '../../src/start/platform-schema.ts'
import { PLATFORM } from './platform.ts'

/** Name of the database that holds the platform, and no project. */
const PLATFORM_TEMPLATE = 'platform_template'

export interface TestDatabase {
  database: Database
  url: string
  /** Closes the pool and drops the database. */
  drop(): Promise<void>
}

/** A database with the platform and no project by default; an empty one for null. */
export async function createTestDatabase(
  from: typeof PLATFORM_TEMPLATE | null = PLATFORM_TEMPLATE,
): Promise<TestDatabase> {
  const prepare = async ({ url }: TestDatabase) => void (await preparePlatform(url, PLATFORM))
  if (from) await makeTemplate(from, null, prepare)
  return cloneDatabase(from)
}

/** Clones a template; null gives an empty database. */
export async function cloneDatabase(from: string | null): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const owner = inject('databaseOwner')
  await onCluster([
    // Its files are copied: less work than the write-ahead log of all its pages.
    `create database ${name} template ${from ?? 'template1'} strategy file_copy ${owner ? `owner ${owner}` : ''}`,
    // A clone takes everything but the grants on the database itself.
    from
      ? `update pg_database set datacl = (
           select datacl from pg_database where datname in ('${from}', 'postgres') and datacl is not null
           order by datname = 'postgres' limit 1
         ) where datname = '${name}'`
      : `grant all on database ${name} to postgres with grant option`,
  ])
  const address = inject('clusterUrl').replace(/\/postgres$/, `/${name}`)
  const url = owner ? address.replace(/\/\/\w+@/, `//${owner}@`) : new URL(address).href
  const database = openDatabase(url, { max: 5 })
  return {
    database,
    url,
    async drop() {
      await database.close()
      await onCluster([
        // PostgreSQL ends a replication stream whose client is gone only when it next looks at the socket.
        `select pg_terminate_backend(active_pid, 10000) from pg_replication_slots where active and database = '${name}'`,
        `drop database ${name} with (force)`,
      ])
    },
  }
}

const templates = new Map<string, Promise<void>>()

/** Makes the template `name`: a clone of `from` with the changes of `fill`. All workers of a run share it. */
export function makeTemplate(
  name: string,
  from: string | null,
  fill: (db: TestDatabase) => Promise<void>,
): Promise<void> {
  const making = templates.get(name) ?? fillTemplate(name, from, fill)
  templates.set(name, making)
  return making
}

async function fillTemplate(
  name: string,
  from: string | null,
  fill: (db: TestDatabase) => Promise<void>,
): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    const db = await cloneDatabase(from)
    await fill(db)
    await db.database.close()
    await admin.query(`alter database ${new URL(db.url).pathname.slice(1)} rename to ${name}`)
  } finally {
    await admin.end()
  }
}

/** Notes in this clone that its platform is up to date, so that a server does not prepare it again. */
export async function markPrepared(
  { database }: Pick<TestDatabase, 'database'>,
  options: PlatformOptions = PLATFORM,
): Promise<void> {
  await database.pool.query('update supabase_migrations.platform_version set version = $1', [
    await versionFor(database.pool, preparationFor(options)),
  ])
}

/** Runs SQL as the cluster's superuser, in the database of `url`: what an account that only owns it may not. */
export async function asSuperuser(url: string, sql: string): Promise<void> {
  const { pathname } = new URL(url)
  const client = new pg.Client({ connectionString: inject('clusterUrl').replace(/\/postgres$/, pathname) })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function onCluster(statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('clusterUrl') })
  await client.connect()
  try {
    for (const statement of statements) await patiently(client, statement)
  } finally {
    await client.end()
  }
}

async function patiently(client: pg.Client, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(statement)
      return
    } catch (error) {
      // Two workers cannot clone one template in the same instant.
      if ((error as { code?: string }).code !== '55006' || attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
