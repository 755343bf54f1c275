// When connections to the database are lost: what was undone begins again, and everything works after.
import { createRest } from '@meadowlark/server/rest/app.ts'
import { fromConnection } from '@meadowlark/server/rest/errors/database-errors.ts'
import { openSnapshotCache } from '@meadowlark/server/rest/schema-cache/cache.ts'
import { openBatching } from '@meadowlark/server/sql/batching/batching.ts'
import { openDatabase, openRequestDatabase } from '@meadowlark/server/sql/database.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serveTables } from '../support/tables.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

const read = () => fixture.api.from('clients').select('id').eq('id', 1)

test('requests that run when their connection is cut begin again on another one', async () => {
  const slow = Array.from({ length: 3 }, () =>
    fixture.api.rpc('slow', { seconds: 2 }).then((answer) => answer),
  )
  const running = async () =>
    (
      await fixture.sql(
        `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
    ).length
  await expect.poll(running).toBe(3)
  await cutConnections()
  for (const { status } of await Promise.all(slow)) expect(status).toBe(204)
  expect((await read()).data).toEqual([{ id: 1 }])
})

test('changes of the schema made while nobody listened are found after', async () => {
  await cutConnections()
  await fixture.sql('create table api.made_meanwhile (id int); grant select on api.made_meanwhile to anon')
  await expect.poll(async () => (await fixture.api.from('made_meanwhile').select()).data).toEqual([])
})

test('a failed reading of the schema does not cancel listening again', async () => {
  const { config, log } = fixture.server.services
  const { schemas, extra_search_path: extraSearchPath, max_rows: maxRows } = config.api
  const database = openDatabase(fixture.server.database.url)
  const file = { schemas, extraSearchPath, maxRows }
  const cache = openSnapshotCache({ pool: database.pool, url: database.url, file, log })
  // The server's own and this one.
  await expect.poll(async () => (await listening()).length).toBe(2)
  await cache.newer()

  let fail: (error: Error) => void = () => {}
  const query = vi.spyOn(database.pool, 'query').mockImplementation(
    () =>
      new Promise((_, reject) => {
        fail = reject
      }),
  )
  const before = await listening()
  await fixture.sql('notify pgrst')
  await expect.poll(() => query.mock.calls.length).toBe(1)
  await cutConnections()
  await expect.poll(async () => (await listening()).filter((pid) => before.includes(pid))).toEqual([])
  query.mockRestore()
  fail(new Error('the connection was cut'))
  await expect.poll(async () => (await listening()).length, { timeout: 10_000 }).toBe(2)
  await cache.stop()
  await database.close()
})

test('a database that is not there, and connections that are all taken, have their own words', async () => {
  const { config, log } = fixture.server.services
  const nowhere = 'postgresql://nobody@127.0.0.1:1/nothing'
  const database = openDatabase(nowhere)
  const requests = openRequestDatabase(nowhere)
  const rest = createRest({
    config,
    log,
    database,
    requests,
  })
  const open = {
    ...rest.service,
    routes: rest.service.routes.map((route) => ({ ...route, access: 'public' as const })),
  }
  const served = await serveTables([open])
  const answer = await fetch(`${served.url}/rest/v1/clients`)
  expect([answer.status, (await answer.json()).code]).toEqual([503, 'PGRST002'])
  await served.close()
  await rest.stop()
  await Promise.all([database.close(), requests.close()])

  const batching = openBatching(nowhere, { max: 1, name: 'meadowlark-rest' })
  const refused = await batching.run([{ text: 'select 1' }], null).catch((error: Error) => error)
  await batching.end()
  expect(fromConnection(refused as Error)).toMatchObject({ status: 503, code: 'PGRST001' })
  const late = new Error('timeout exceeded when trying to connect')
  expect(fromConnection(late)).toMatchObject({ status: 503, code: 'PGRST003' })
})

/** Ends all of the Data API's connections, the listening one too. */
async function cutConnections(): Promise<void> {
  await fixture.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database()
       and (usename = 'authenticator' or application_name like 'meadowlark-rest%')`,
  )
}

/** The processes of PostgreSQL that notify of changes of the schema. */
async function listening(): Promise<number[]> {
  const rows = await fixture.sql<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and query = 'listen pgrst' and state = 'idle'`,
  )
  return rows.map(({ pid }) => pid)
}
