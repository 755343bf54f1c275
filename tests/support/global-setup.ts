// Vitest's global setup of the projects that need a database: one PostgreSQL for all of them.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startTestCluster } from './cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    clusterUrl: string
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
  shared.testCluster ??= start()
  const cluster = await shared.testCluster
  cluster.users++
  project.provide('clusterUrl', cluster.url)
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
