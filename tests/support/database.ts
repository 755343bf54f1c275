// A fresh database per test file, cloned from the template in about a tenth of a second.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../server/sql/database.ts'

export interface TestDatabase {
  database: Database
  url: string
  /** Closes the pool and drops the database. */
  drop(): Promise<void>
}

/** Clones the template: platform and all migrations, no seed. `from: null` gives an empty database instead. */
export async function createTestDatabase(
  from: 'test_template' | null = 'test_template',
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onCluster(`create database ${name} template ${from ?? 'template1'}`)
  // A clone takes everything but the grants on the database itself.
  await onCluster(`grant all on database ${name} to postgres with grant option`)
  const url = new URL(inject('clusterUrl').replace(/\/postgres$/, `/${name}`)).href
  const database = openDatabase(url, { max: 5 })
  return {
    database,
    url,
    async drop() {
      await database.close()
      // PostgreSQL ends a replication stream whose client is gone only when it next looks at the socket.
      await onCluster(
        `select pg_terminate_backend(active_pid, 10000) from pg_replication_slots where active and database = '${name}'`,
      )
      await onCluster(`drop database ${name} with (force)`)
    },
  }
}

async function onCluster(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('clusterUrl') })
  await client.connect()
  try {
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
  } finally {
    await client.end()
  }
}
