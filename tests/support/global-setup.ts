// Vitest's global setup of the projects that need a database: one PostgreSQL with the marketplace's template.

import pg from 'pg'
import type { TestProject } from 'vitest/node'
import {
  binariesIn,
  debianBinaries,
  versionWith,
} from '../../packages/server/tests/support/debian-postgres.ts'
import { isPlainOwner, POSTGRES_BIN } from '../../packages/server/tests/support/other-postgres.ts'
import {
  type Cluster,
  provideCluster,
  SETTINGS,
  startTemporary,
} from '../../packages/server/tests/support/postgres.ts'
import { copyCluster, prepareMeadowlark, TEMPLATE } from './cluster.ts'
import { startExternalPostgres } from './external-postgres.ts'
import { OWNER, prepareManaged, startManagedPostgres } from './plain-owner.ts'

export default (project: TestProject) =>
  provideCluster(project, isPlainOwner || POSTGRES_BIN ? startOther : start, isPlainOwner ? OWNER : '')

const start = () => startTemporary((cluster) => copyCluster('meadowlark', cluster))

/** A PostgreSQL that is not the embedded one: that of POSTGRES_BIN, or Debian's newest. */
async function startOther(): Promise<Cluster> {
  const version = versionWith('btree_gist')
  const binaries = POSTGRES_BIN ? binariesIn(POSTGRES_BIN) : version && debianBinaries(version)
  if (!binaries)
    throw new Error('PLAIN_OWNER: no PostgreSQL of Debian is installed, and POSTGRES_BIN is not set')
  if (isPlainOwner) {
    const managed = await startManagedPostgres(binaries, SETTINGS)
    await prepareManaged(managed)
    await managed.administer(`create database ${TEMPLATE} template postgres owner ${OWNER}`)
    return { url: managed.url, stop: managed.remove }
  }
  const { url, remove } = await startExternalPostgres({ binaries, settings: SETTINGS })
  await prepareMeadowlark(url)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${TEMPLATE} template postgres`)
  await admin.end()
  return { url, stop: remove }
}
