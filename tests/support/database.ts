// A fresh database of the marketplace per test file, cloned from the template in about a tenth of a second.
import * as server from '../../packages/server/tests/support/database.ts'
import { DATABASE_PLUGINS } from '../../plugins/index.ts'
import { repositoryFile } from '../../plugins/repository.ts'
import { TEMPLATE } from './cluster.ts'

export { asSuperuser, type TestDatabase } from '../../packages/server/tests/support/database.ts'

/**
 * Clones a template: by default the one with platform and all migrations, and no seed. `from: null` gives an empty
 * database instead.
 */
export function createTestDatabase(from: string | null = TEMPLATE): Promise<server.TestDatabase> {
  return server.cloneDatabase(from)
}

/** Makes the template `name`: a clone of the marketplace's with the changes of `fill`. All workers of a run share it. */
export function makeTemplate(name: string, fill: (db: server.TestDatabase) => Promise<void>): Promise<void> {
  return server.makeTemplate(name, TEMPLATE, fill)
}

/** Notes in this clone that its platform is up to date, so that a server does not prepare it again. */
export function markPrepared(db: Pick<server.TestDatabase, 'database'>): Promise<void> {
  return server.markPrepared(db, { project: repositoryFile('supabase'), plugins: DATABASE_PLUGINS, seed: [] })
}
