// Three servers on one PostgreSQL: none of them takes more connections than it says, and where there are too few for
// all of them, requests wait for one instead of failing.

import { afterEach, expect, test } from 'vitest'
import { MIN_CONNECTIONS } from '../../src/config/connections.ts'
import { openBatching } from '../../src/sql/batching/batching.ts'
import { Client } from '../../src/sql/client.ts'
import { type Database, openDatabase } from '../../src/sql/database.ts'
import { isOutOfConnections, isUnavailable } from '../../src/sql/errors.ts'
import { openPool } from '../../src/sql/pool.ts'
import { rawSocket } from '../realtime/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { makeAccount, PASSWORD } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { amount } from '../support/soak.ts'

const SECRET = 'a-secret-of-at-least-thirty-two-characters'
/** One server's default maximum. */
const MOST = 20

/** How often each person does everything. */
const ROUNDS = amount({ gate: 1, soak: 8 })

let postgres: ExternalPostgres
let servers: TestServer[] = []
let watcher: Database
let grace: string
let files = 0
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await watcher.close()
  await postgres.remove()
})

async function startServers(maxConnections: number, count: number): Promise<void> {
  postgres = await startExternalPostgres({ settings: { max_connections: `${maxConnections}` } })
  servers = []
  watcher = openDatabase(postgres.url, { max: 1, name: 'watcher' })
  await watcher.pool.query('select 1')
  for (let n = 0; n < count; n++) {
    servers.push(await startTestServer({ env: { DATABASE_URL: postgres.url, JWT_SECRET: SECRET } }))
  }
  const [first] = servers
  if (!first) return
  await first.database.pool.query(`
    insert into storage.buckets (id, name) values ('shed', 'shed');
    create policy everyone on storage.objects for all to authenticated using (true) with check (true);
    create table public.apples (id bigserial primary key, name text);
    grant all on public.apples to authenticated;
    grant usage on sequence public.apples_id_seq to authenticated`)
  grace = await makeAccount(first, 'grace')
}

/** Requests of each of many people to one server, repeated; every answer other than a success. */
async function visit(server: TestServer, number: number, rounds: number): Promise<string[]> {
  const failures: string[] = []
  const ask = async (name: string, path: string, init: RequestInit = {}) => {
    const token = await server.services.keys.sign({
      role: 'authenticated',
      sub: grace,
      exp: Math.floor(Date.now() / 1000) + 3600,
    })
    const headers = {
      apikey: server.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    }
    const response = await fetch(`${server.url}${path}`, { ...init, headers })
    const text = await response.text()
    if (!response.ok) failures.push(`${name}: ${response.status} ${text.slice(0, 200)}`)
  }
  const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })
  for (let round = 0; round < rounds; round++) {
    await ask('read', `/rest/v1/apples?select=id&limit=${1 + (round % 3)}`)
    await ask('write', '/rest/v1/apples', post({ name: `apple ${number}` }))
    const undone = { ...post({ name: 'nothing' }), headers: { prefer: 'tx=rollback' } }
    await ask('transaction', '/rest/v1/apples', undone)
    await ask('list', '/storage/v1/object/list/shed', post({ prefix: '' }))
    const text = { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } }
    await ask('upload', `/storage/v1/object/shed/${files++}.txt`, text)
    if (number % 10 > 0) continue
    const account = { email: 'grace@example.com', password: PASSWORD }
    await ask('sign-in', '/auth/v1/token?grant_type=password', post(account))
    const socket = await rawSocket(server)
    const { status, response } = await socket.join('apples', { config: { private: true } }, '1', 11_000)
    if (status !== 'error' || !/^Unauthorized/.test(response.reason))
      failures.push(`join: ${response.reason}`)
    socket.socket.close()
  }
  return failures
}

/** The most connections that are seen while `work` goes on, those of the test left out. */
async function mostConnections(work: Promise<unknown>): Promise<number> {
  let most = 0
  let working = true
  void work.finally(() => {
    working = false
  })
  while (working) {
    const { rows } = await watcher.pool.query(
      `select count(*)::int as count from pg_stat_activity
       where backend_type in ('client backend', 'walsender') and application_name <> 'watcher'`,
    )
    most = Math.max(most, rows[0].count)
  }
  return most
}

async function visitAll(people: number, rounds: number): Promise<string[]> {
  const visits = servers.flatMap((server) =>
    Array.from({ length: people }, (_, number) => visit(server, number, rounds)),
  )
  return (await Promise.all(visits)).flat()
}

test('one server has twenty connections at most, replication and all', async () => {
  await startServers(100, 1)
  const visits = visitAll(40, ROUNDS)
  const most = await mostConnections(visits)
  expect(await visits).toEqual([])
  expect(most).toBeGreaterThan(10)
  expect(most).toBeLessThanOrEqual(MOST)
})

// Each server keeps a dozen at work (MIN_CONNECTIONS); what it may have beyond them is what they share.
test.each([100, 3 * MIN_CONNECTIONS])(
  'three servers on max_connections = %i: no request fails under load',
  async (maxConnections) => {
    await startServers(maxConnections, 3)
    const visits = visitAll(20, ROUNDS)
    const most = await mostConnections(visits)
    expect(await visits).toEqual([])
    expect(most).toBeLessThanOrEqual(Math.min(3 * MOST, maxConnections + 3))
    if (maxConnections < 4 * MOST) return
    // Nor does any at a server that comes to them.
    const late = await startTestServer({ env: { DATABASE_URL: postgres.url, JWT_SECRET: SECRET } })
    servers.push(late)
    expect(await visit(late, 0, 1)).toEqual([])
  },
)

test('while others hold every connection, what asks waits in turn, and fails only when its time is over', async () => {
  await startServers(15, 0)
  const holders: Client[] = []
  const takeAll = async () => {
    for (;;) {
      const one = new Client({ connectionString: postgres.url })
      one.on('error', () => {})
      try {
        await one.connect()
      } catch (error) {
        expect(isOutOfConnections(error)).toBe(true)
        return
      }
      holders.push(one)
    }
  }
  await takeAll()
  const pool = openPool(postgres.url, { max: 3, name: 'pool' })
  const batching = openBatching(postgres.url, { max: 3, name: 'batching' })
  const asked = Array.from({ length: 5 }, () => pool.query('select 1'))
  const read = batching.run([{ text: 'select 1' }], null)
  await eventually(() => pool.waitingCount === 5 && batching.counts().waiting === 1)
  for (const one of holders.splice(0, 2)) await one.end()
  await Promise.all([...asked, read])
  await Promise.all([pool.end(), batching.end()])
  // PostgreSQL's processes end a moment after their connections.
  await eventually(async () => {
    const { rows } = await (holders[0] as Client).query(
      `select count(*) from pg_stat_activity where application_name in ('pool', 'batching')`,
    )
    return rows[0]?.count === '0'
  })
  await takeAll()
  const late = openPool(postgres.url, { max: 1, name: 'late' })
  // It fails no earlier than its time; how much later is the machine's affair.
  const began = performance.now()
  const failure = await late.query('select 1').catch((error) => error)
  expect(isUnavailable(failure)).toBe(true)
  expect(performance.now() - began).toBeGreaterThan(9_900)
  await late.end()
  for (const one of holders) await one.end()
})
