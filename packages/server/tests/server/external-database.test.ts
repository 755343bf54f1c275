// A PostgreSQL that somebody else runs: its operator stops it while the server is attached to its log, and starts it.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { client, type Json, Received, subscribed } from '../realtime/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let postgres: ExternalPostgres
let server: TestServer

beforeAll(async () => {
  postgres = await startExternalPostgres()
  server = await startTestServer({ env: { DATABASE_URL: postgres.url } })
  await server.database.pool.query(`
    create table public.pears (id bigserial primary key);
    grant all on public.pears to anon;
    alter publication supabase_realtime add table public.pears`)
})
afterAll(async () => {
  await server?.stop()
  await postgres?.remove()
})

const insert = () => server.database.pool.query('insert into pears default values')

test('a fast stop ends within five seconds while row changes are received, and they are received after a start', async () => {
  const one = client(server)
  const rows = new Received<Json>()
  const channel = one
    .channel('pears')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' } as never, rows.put)
  await subscribed(channel)
  await eventually(async () => {
    await insert()
    return rows.all.length > 0
  })
  const attached = await server.database.pool.query('select state from pg_stat_replication')
  expect(attached.rows).toEqual([{ state: 'streaming' }])

  expect(await postgres.stop()).toBeLessThan(5000)

  await postgres.start()
  await eventually(async () => (await fetch(`${server.url}/health`)).ok)
  const before = rows.all.length
  await eventually(async () => {
    await insert()
    return rows.all.length > before
  })
  void one.realtime.disconnect()
})
