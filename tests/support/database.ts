// A fresh database per test file, cloned from the template in about a tenth of a second.
import { randomBytes } from 'node:crypto'
import { preparationFor } from '@meadowlark/server/platform.ts'
import { versionFor } from '@meadowlark/server/postgres/migrate/prepare.ts'
import { type Database, openDatabase } from '@meadowlark/server/sql/database.ts'
import pg from 'pg'
import { inject } from 'vitest'
import { DATABASE_PLUGINS } from '../../plugins/index.ts'
import { repositoryFile } from '../../plugins/repository.ts'
import { TEMPLATE } from './cluster.ts'

export interface TestDatabase {
  database: Database
  url: string
  /** Closes the pool and drops the database. */
  drop(): Promise<void>
}

/**
 * Clones a template: by default the one with platform and all migrations, and no seed. `from: null` gives an empty
 * database instead.
 */
export async function createTestDatabase(from: string | null = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const owner = inject('databaseOwner')
  await onCluster([
    // Its files are copied: less work than the write-ahead log of all its pages.
    `create database ${name} template ${from ?? 'template1'} strategy file_copy ${owner ? `owner ${owner}` : ''}`,
    // A clone takes everything but the grants on the database itself.
    from
      ? `update pg_database set datacl = (select datacl from pg_database where datname = 'postgres') where datname = '${name}'`
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

/** Makes `name`, a template with what `fill` puts into a clone of the first one; once for all workers of a run. */
export function makeTemplate(name: string, fill: (db: TestDatabase) => Promise<void>): Promise<void> {
  const making = templates.get(name) ?? fillTemplate(name, fill)
  templates.set(name, making)
  return making
}

async function fillTemplate(name: string, fill: (db: TestDatabase) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    const db = await createTestDatabase()
    await fill(db)
    await db.database.close()
    await admin.query(`alter database ${new URL(db.url).pathname.slice(1)} rename to ${name}`)
  } finally {
    await admin.end()
  }
}

/** Tells a server that the platform is laid in this clone already, as it is. */
export async function markPrepared({ database }: Pick<TestDatabase, 'database'>): Promise<void> {
  const preparation = preparationFor({
    project: repositoryFile('supabase'),
    plugins: DATABASE_PLUGINS,
    seed: [],
  })
  await database.pool.query('update supabase_migrations.platform_version set version = $1', [
    await versionFor(database.pool, preparation),
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
