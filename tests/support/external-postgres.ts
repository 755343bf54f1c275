// A PostgreSQL outside of the server with the marketplace's migrations.
import {
  type ExternalOptions,
  type ExternalPostgres,
  startExternalPostgres as startExternal,
} from '../../packages/server/tests/support/external-postgres.ts'
import { copyCluster } from './cluster.ts'

export type { ExternalPostgres } from '../../packages/server/tests/support/external-postgres.ts'

/** Makes and starts a cluster: a copy with the migrations, or a new one where its programs are given. */
export function startExternalPostgres(options: ExternalOptions = {}): Promise<ExternalPostgres> {
  if (options.binaries || options.standbyOf) return startExternal(options)
  return startExternal({ ...options, fill: (cluster) => copyCluster('meadowlark', cluster) })
}
