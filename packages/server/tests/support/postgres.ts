// The PostgreSQL that all test databases of a vitest run are in, started by vitest's global setup.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { packageFile } from '../../src/package-root.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/cluster/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** As the cluster's superuser. */
    clusterUrl: string
    /** The owner of the databases, if it is another account; otherwise empty. */
    databaseOwner: string
  }
}

export const SETTINGS = {
  // A test database need not survive a power cut.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '400',
  // Realtime reads row changes from the log as soon as it is written, and no commit waits for that here.
  wal_writer_delay: '5ms',
  max_wal_senders: '40',
  max_replication_slots: '40',
  // A small log makes a small copy.
  min_wal_size: '32MB',
}

export interface Cluster {
  url: string
  stop(): Promise<void>
}

// Each project loads this file again, so the cluster and the number of its projects are kept in the process.
const shared = globalThis as typeof globalThis & { testCluster?: Promise<Cluster & { users: number }> }

/** Gives a vitest project the run's cluster, which `start` makes for the first project. The last one stops it. */
export async function provideCluster(
  project: TestProject,
  start: () => Promise<Cluster>,
  databaseOwner = '',
): Promise<() => Promise<void>> {
  shared.testCluster ??= start().then((cluster) => ({ ...cluster, users: 0 }))
  const cluster = await shared.testCluster
  cluster.users++
  project.provide('clusterUrl', cluster.url)
  project.provide('databaseOwner', databaseOwner)
  return async () => {
    cluster.users--
    if (cluster.users === 0) await cluster.stop()
  }
}

/** Starts an embedded PostgreSQL in a temporary folder, on the files that `fill` puts there, by default on new ones. */
export async function startTemporary(fill = async (_cluster: string) => {}): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-test-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  // As root, PostgreSQL runs as another account, which needs to reach its files.
  chmodSync(directory, 0o711)
  try {
    await fill(join(directory, 'postgres'))
    const cluster = await startEmbedded(directory)
    const stop = async () => {
      await cluster.stop()
      remove()
    }
    return { url: cluster.url(), stop }
  } catch (error) {
    remove()
    throw error
  }
}

/** Starts the cluster of `directory`, a folder that PostgreSQL's account can reach. */
export function startEmbedded(directory: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    settings: SETTINGS,
    extensions: [packageFile('extensions')],
    log: (message) => console.warn(message),
  })
}
