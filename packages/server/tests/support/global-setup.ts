// Vitest's global setup of this package's tests: one PostgreSQL with the platform, which creates the roles.
import type { TestProject } from 'vitest/node'
import { preparePlatform } from '../../src/start/platform-schema.ts'
import { PLATFORM } from './platform.ts'
import { provideCluster, startTemporary } from './postgres.ts'

export default (project: TestProject) => provideCluster(project, start)

async function start() {
  const cluster = await startTemporary()
  try {
    await preparePlatform(cluster.url, PLATFORM)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}
