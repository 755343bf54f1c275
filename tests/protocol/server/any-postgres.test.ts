// The marketplace on a PostgreSQL that has none of Supabase's extensions, as a distribution installs it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDebianPostgres, versionWith } from '../../support/debian-postgres.ts'
import type { ExternalPostgres } from '../../support/external-postgres.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { becomes, complete, moved, openPayoutAccount, paidJob, release } from '../functions/paid-job.ts'

const version = versionWith('btree_gist')

describe.skipIf(version === null)('a PostgreSQL without pgmq, pg_net, pg_cron and a vault', () => {
  let postgres: ExternalPostgres
  let server: TestServer
  beforeAll(async () => {
    postgres = await startDebianPostgres(version as string)
    server = await startTestServer({ env: { DATABASE_URL: postgres.url } })
  })
  afterAll(async () => {
    await server?.stop()
    await postgres?.remove()
  })

  it('is given what stands in for them, and pays people by it', async () => {
    const { rows } = await server.database.pool.query(
      `select name from pg_available_extensions where name in ('pgmq', 'pg_net', 'pg_cron', 'supabase_vault')`,
    )
    expect(rows).toEqual([])
    await openPayoutAccount(server)
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { payout_status: 'sent' })
    expect(await moved(server, job)).toEqual({ charge: [12_000], transfer: [8000] })
  })
})
