// A PostgreSQL outside of the server: a throw-away cluster, reached through DATABASE_URL. A test can stop it as its
// operator would, freeze it, and start it again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountFor, commandAs } from '@meadowlark/server/postgres/cluster/account.ts'
import { readPostmasterFile, SUPERUSER, socketUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import { copyCluster } from './cluster.ts'

export type { ExternalPostgres } from '@meadowlark/server/tests/support/external-postgres.ts'

/** Makes and starts a cluster: a copy with the migrations, or a new one where its programs are given. */
export function startExternalPostgres(options: ExternalOptions = {}): Promise<ExternalPostgres> {
  if (options.binaries || options.standbyOf) return startExternal(options)
  return startExternal({ ...options, fill: (cluster) => copyCluster('meadowlark', cluster) })
}
