// Vitest's global setup: one PostgreSQL for the whole run, with a template database that holds the platform
// and all migrations of supabase/ (no seed), which createTestDatabase() clones.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { packageFile } from '../../server/package-root.ts'
import { preparePlatform } from '../../server/platform.ts'
import { startEmbeddedPostgres } from '../../server/postgres/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrl: string
  }
}

/** Name of the database that test databases are cloned from. */
const TEMPLATE = 'test_template'

export default async function setup(project: TestProject) {
  const directory = mkdtempSync('/tmp/meadowlark-test-')
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(directory, 0o711)
  const cluster = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    settings: {
      // Nobody misses a test database after a power cut.
      ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' },
      // Row changes are heard once the log is written, which nobody waits for here.
      ...{ wal_writer_delay: '5ms', max_wal_senders: '40', max_replication_slots: '40' },
    },
    log: (message) => console.warn(message),
  })
  const stop = async () => {
    await cluster.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const admin = new pg.Client({ connectionString: cluster.url() })
    await admin.connect()
    await admin.query(`create database ${TEMPLATE}`)
    await admin.end()
    await preparePlatform(cluster.url(TEMPLATE), {
      project: packageFile('supabase'),
      sandbox: true,
      seed: [],
    })
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('clusterUrl', cluster.url())
  return stop
}
