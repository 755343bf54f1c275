// Vitest's global setup of the projects that need a database: one PostgreSQL for all of them.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { SETTINGS, startTestCluster, TEMPLATE } from './cluster.ts'
import { versionWith } from './debian-postgres.ts'
import { OWNER, startPreparedManaged } from './plain-owner.ts'
import { isPlainOwner } from './soak.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** As the cluster's superuser. */
    clusterUrl: string
    /** Whose the databases are, where that is somebody else; else empty. */
    databaseOwner: string
  }
}

interface Running {
  url: string
  /** Projects that use it. */
  users: number
  stop(): Promise<void>
}

// Each project loads this file anew, so what they share stands in the process.
const shared = globalThis as typeof globalThis & { testCluster?: Promise<Running> }

export default async function setup(project: TestProject) {
  shared.testCluster ??= isPlainOwner ? startManaged() : start()
  const cluster = await shared.testCluster
  cluster.users++
  project.provide('clusterUrl', cluster.url)
  project.provide('databaseOwner', isPlainOwner ? OWNER : '')
  return async () => {
    cluster.users--
    if (cluster.users === 0) await cluster.stop()
  }
}

async function start(): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-test-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  // As root, PostgreSQL runs as another account, which passes through here.
  chmodSync(directory, 0o711)
  try {
    const cluster = await startTestCluster(directory)
    const stop = async () => {
      await cluster.stop()
      remove()
    }
    return { url: cluster.url(), users: 0, stop }
  } catch (error) {
    remove()
    throw error
  }
}

async function startManaged(): Promise<Running> {
  const version = versionWith('btree_gist')
  if (!version) throw new Error('PLAIN_OWNER: no PostgreSQL of Debian is installed')
  const { url, remove } = await startPreparedManaged(version, { template: TEMPLATE, settings: SETTINGS })
  return { url, users: 0, stop: remove }
}
