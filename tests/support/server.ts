// The marketplace's server, in this process, on a free port over a fresh test database.
import { serverOf } from '@meadowlark/server/tests/support/server.ts'
import { loadConfig, pluginsFor } from '../../plugins/index.ts'
import { repositoryRoot } from '../../plugins/repository.ts'
import { createTestDatabase, markPrepared } from './database.ts'
import { LIFT_LIMITS } from './lift-limits.ts'

export { freePort } from '@meadowlark/server/tests/support/free-port.ts'
export type { Message, TestServer } from '@meadowlark/server/tests/support/server.ts'

/** Starts it in about half a second. Stop it in afterAll: its database is dropped then. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { workdir = repositoryRoot, production = false } = options
  // A test with its own database needs none from here.
  const test = options.env?.DATABASE_URL ? null : await createTestDatabase()
  if (test) {
    await markPrepared(test)
    await test.database.pool.query(LIFT_LIMITS)
    return test
  },
})
