// The marketplace's server, in this process, on a free port over a fresh test database.
import { serverOf } from '../../packages/server/tests/support/server.ts'
import { loadConfig, pluginsFor } from '../../plugins/index.ts'
import { repositoryRoot } from '../../plugins/repository.ts'
import { createTestDatabase, markPrepared } from './database.ts'
import { LIFT_LIMITS } from './lift-limits.ts'

export { freePort } from '../../packages/server/tests/support/free-port.ts'
export type { Message, TestServer } from '../../packages/server/tests/support/server.ts'

/** Starts it in about half a second. Stop it in afterAll: its database is dropped then. */
export const startTestServer = serverOf({
  workdir: repositoryRoot,
  env: { ALLOW: 'missing-site-url,http-site-url,missing-smtp,missing-stripe' },
  loadConfig,
  pluginsFor,
  async createDatabase() {
    const test = await createTestDatabase()
    await markPrepared(test)
    await test.database.pool.query(LIFT_LIMITS)
    return test
  },
})
