// A cluster as Debian's packages make it: its superuser is postgres, and who comes in by TCP brings a password.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Binaries,
  type ExternalPostgres,
  startExternalPostgres,
} from '../../packages/server/tests/support/external-postgres.ts'
import { freePort } from '../../packages/server/tests/support/free-port.ts'

/** The client of Debian's newest PostgreSQL. */
export const PSQL = '/usr/bin/psql'

export interface DebianCluster extends ExternalPostgres {
  port: number
  /** Where an account comes in by TCP. */
  urlOf(account: string, password: string, database: string): string
  /** psql's output for SQL of the administrator, who connects by the socket; ends at the first error. */
  psql(sql: string, database?: string): string
}

/** Makes and starts a cluster in some three seconds. */
export async function startDebianCluster(
  binaries: Binaries,
  settings: Record<string, string> = {},
): Promise<DebianCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-hba-'))
  chmodSync(folder, 0o755)
  const rules = join(folder, 'pg_hba.conf')
  writeFileSync(rules, 'local all postgres trust\nhost all all 127.0.0.1/32 scram-sha-256\n', { mode: 0o644 })
  const port = await freePort()
  const listening = { listen_addresses: '127.0.0.1', port: String(port), hba_file: rules }
  const postgres = await startExternalPostgres({
    binaries,
    superuser: 'postgres',
    settings: { ...listening, ...settings },
  })
  return {
    ...postgres,
    port,
    urlOf: (account, password, database) =>
      `postgresql://${account}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    psql(sql, database = 'postgres') {
      const where = ['-h', join(postgres.directory, 'sockets'), '-p', String(port), '-U', 'postgres']
      const how = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-f', '-']
      return execFileSync(PSQL, [...where, ...how, database], { input: sql, encoding: 'utf8', stdio: 'pipe' })
    },
    async remove() {
      await postgres.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
