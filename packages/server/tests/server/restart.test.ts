// PostgreSQL restarts (fast, immediate, one of its processes killed) while people read, write, sign in and upload.
// Requests wait and go on, nobody sees an error, and each acknowledged write exists exactly once. `npm run test:soak
// -- restart` restarts it more often, under more of them.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { authServer } from '../auth/project.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { amount } from '../support/soak.ts'
import { underLoad } from '../support/under-load.ts'

const ROUNDS = amount({ gate: 1, soak: 12 })
/** Of each kind of request, how many people do it at a time. */
const PEOPLE = amount({ gate: 4, soak: 16 })
const WAYS = ['fast', 'immediate', 'crash'] as const

let postgres: ExternalPostgres
let server: TestServer
let headers: Record<string, string>

beforeAll(async () => {
  postgres = await startExternalPostgres()
  server = await authServer({ options: { env: { DATABASE_URL: postgres.url } } })
  await server.database.pool.query(`
    create table public.crates (id bigint generated always as identity primary key, name text not null);
    grant all on public.crates to service_role;
    grant select on public.crates to anon;
    create function public.stack(name text) returns bigint language sql
      as 'insert into public.crates (name) values (name) returning id';
    insert into storage.buckets (id, name) values ('shed', 'shed');
    create policy everyone on storage.objects for all to authenticated using (true) with check (true)`)
  const grace = await signedIn(server, 'grace')
  const token = (await grace.auth.getSession()).data.session?.access_token as string
  headers = { apikey: server.publishableKey, authorization: `Bearer ${token}` }
  await eventually(async () => (await crates('GET')).ok)
})
afterAll(async () => {
  await server?.stop()
  await postgres?.remove()
})

function crates(method: string, body?: object): Promise<Response> {
  return fetch(`${server.url}/rest/v1/crates?select=name&limit=1`, {
    method,
    headers: {
      apikey: server.secretKey,
      authorization: `Bearer ${server.secretKey}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
}
const json = (path: string, body: object) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Requests of people; each gets a unique name. */
const requests: Record<string, (name: string) => Promise<Response>> = {
  read: () => crates('GET'),
  write: (name) => crates('POST', { name }),
  'write by a function': (name) =>
    fetch(`${server.url}/rest/v1/rpc/stack`, {
      method: 'POST',
      headers: {
        apikey: server.secretKey,
        authorization: `Bearer ${server.secretKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name }),
    }),
  'sign in': () =>
    json('/auth/v1/token?grant_type=password', { email: 'grace@example.com', password: PASSWORD }),
  'who am I': () => fetch(`${server.url}/auth/v1/user`, { headers }),
  upload: (name) =>
    fetch(`${server.url}/storage/v1/object/shed/${name}.txt`, { method: 'POST', headers, body: name }),
  list: () => json('/storage/v1/object/list/shed', { prefix: '', limit: 1 }),
}

async function restart(way: (typeof WAYS)[number]): Promise<void> {
  if (way !== 'crash') {
    await postgres.stop(way)
    await postgres.start()
    return
  }
  const { rows } = await server.database.pool.query(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
  )
  process.kill(rows[0].pid, 'SIGKILL')
}

test(`${ROUNDS * WAYS.length} restarts under load: no error reaches anybody, each write is there once`, async () => {
  const written = { crates: new Set<string>(), files: new Set<string>() }
  const onAnswered = (what: string, name: string) => {
    if (what.startsWith('write')) written.crates.add(name)
    if (what === 'upload') written.files.add(name)
  }
  await underLoad(requests, PEOPLE, onAnswered, async ({ allAnswered }) => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of WAYS) {
        await restart(way)
        await allAnswered()
      }
    }
  })

  const { rows } = await server.database.pool.query('select name from public.crates')
  expect(rows.map(({ name }) => name).sort()).toEqual([...written.crates].sort())
  const files = await server.database.pool.query(`select name from storage.objects where bucket_id = 'shed'`)
  expect(files.rows.map(({ name }) => name.replace('.txt', '')).sort()).toEqual([...written.files].sort())
})

test('meanwhile the server is alive, and ready as long as requests wait; then answers say when to come again', async () => {
  const impatient = await authServer({
    options: { env: { DATABASE_URL: postgres.url, DATABASE_RECONNECT_TIMEOUT: '1' } },
  })
  const get = async (path: string) => {
    const response = await fetch(`${impatient.url}${path}`, { headers: { apikey: impatient.publishableKey } })
    await response.arrayBuffer()
    return [response.status, response.headers.get('retry-after')]
  }
  expect(await get('/rest/v1/crates?select=id&limit=1')).toEqual([200, null])
  await postgres.stop()
  try {
    // This one lets requests wait for ten seconds.
    const ready = await fetch(`${server.url}/health/ready`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', database: 'reconnecting' }])
    await eventually(async () => (await get('/health/ready'))[0] === 503)
    expect(await get('/health/live')).toEqual([200, null])
    expect(await get('/rest/v1/crates?select=id&limit=1')).toEqual([503, '1'])
    expect(await get('/auth/v1/.well-known/jwks.json')).toEqual([200, null])
  } finally {
    await postgres.start()
    await impatient.stop()
  }
})
