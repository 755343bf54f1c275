// PostgreSQL hangs: its connections stay open, new ones are taken by the kernel, and nothing is ever answered. Every
// service says so, the server stays alive, and everything works again when PostgreSQL does. A write that hung in the
// middle of its COMMIT was made, and sending it again under its id reports that.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, startProject } from '../functions/project.ts'
import { rawSocket } from '../realtime/fixture.ts'
import { encoded } from '../storage/resumable.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { amount, isSoak } from '../support/soak.ts'

const AWAY = 'UnableToConnectToProject: Realtime was unable to connect to the project database'

const PLANKS = `
create table public.planks (id uuid primary key default gen_random_uuid(), name text not null);
grant all on public.planks to authenticated;
alter publication supabase_realtime add table public.planks;`

const FILES = {
  'config.toml': '',
  'functions/count-planks/handler.ts': `
    export default (request, env) => fetch(env.SUPABASE_URL + '/rest/v1/planks?select=count', { headers: {
      apikey: env.SUPABASE_ANON_KEY, authorization: request.headers.get('authorization') } })`,
}

let postgres: ExternalPostgres
let server: Project
let token: string
let headers: Record<string, string>

beforeAll(async () => {
  postgres = await startExternalPostgres()
  server = await startProject(FILES, { DATABASE_URL: postgres.url })
  await server.database.pool.query(`${PLANKS}
    insert into storage.buckets (id, name) values ('shed', 'shed');
    create policy everyone on storage.objects for all to authenticated using (true) with check (true);
    create policy everyone on realtime.messages for select to authenticated using (true)`)
  const grace = await signedIn(server, 'grace')
  token = (await grace.auth.getSession()).data.session?.access_token as string
  headers = { apikey: server.publishableKey, authorization: `Bearer ${token}` }
  await eventually(async () => (await get('/rest/v1/planks')).ok)
  // Connections that were used and are idle are the ones that a freeze catches.
  for (const one of Object.values(requests)) expect((await one()).status).toBeLessThan(300)
})
afterAll(async () => {
  postgres?.thaw()
  await server?.stop()
  await postgres?.remove()
})

const json = (path: string, body: unknown, method = 'POST') =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const get = (path: string) => fetch(`${server.url}${path}`, { headers })
let files = 0

const requests: Record<string, () => Promise<Response>> = {
  'a read': () => get('/rest/v1/planks?select=id&limit=1'),
  'a read that nobody made before': () => get(`/rest/v1/planks?select=id&limit=${2 + files++}`),
  'a write': () => json('/rest/v1/planks?id=eq.00000000-0000-0000-0000-000000000000', { name: 'x' }, 'PATCH'),
  'a transaction undone': () =>
    fetch(`${server.url}/rest/v1/planks?id=eq.00000000-0000-0000-0000-000000000000`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json', prefer: 'tx=rollback' },
      body: '{"name":"x"}',
    }),
  'a sign-in': () =>
    json('/auth/v1/token?grant_type=password', { email: 'grace@example.com', password: PASSWORD }),
  'who am I': () => get('/auth/v1/user'),
  'an upload': () =>
    fetch(`${server.url}/storage/v1/object/shed/${files++}.txt`, { method: 'POST', headers, body: 'text' }),
  'a list': () => json('/storage/v1/object/list/shed', { prefix: '' }),
  'a resumable upload': () =>
    fetch(`${server.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'tus-resumable': '1.0.0',
        'upload-length': '4',
        'upload-metadata': encoded({ bucketName: 'shed', objectName: `${files++}.bin` }),
      },
    }),
  'a function that asks the database': () => json('/functions/v1/count-planks', {}),
}

async function everythingIsAway() {
  const answered = Object.entries(requests).map(async ([name, ask]) => {
    const response = await ask()
    await response.arrayBuffer()
    return { name, status: response.status, retry: response.headers.get('retry-after') }
  })
  const joins = [{ private: true }, { postgres_changes: [{ event: '*', schema: 'public', table: 'planks' }] }]
  const joined = joins.map(async (config, at) => {
    const raw = await rawSocket(server)
    const { response } = await raw.join(`frozen ${at}`, { access_token: token, config }, '1')
    raw.socket.close()
    return response.reason
  })
  expect(await Promise.all(answered)).toEqual(
    Object.keys(requests).map((name) => ({ name, status: 503, retry: '1' })),
  )
  expect(await Promise.all(joined)).toEqual([AWAY, AWAY])
  // Nobody is to restart the server, only to leave it alone for a while.
  // Not ready once a question has waited for as long as requests wait.
  await eventually(async () => (await get('/health/ready')).status === 503)
  const health = await Promise.all(['/health/live', '/health/ready', '/health'].map(get))
  expect(health.map(({ status }) => status)).toEqual([200, 503, 503])
}

async function everythingWorks() {
  await eventually(async () => (await get('/health/ready')).ok)
  for (const [name, ask] of Object.entries(requests)) expect([name, (await ask()).ok]).toEqual([name, true])
}

test('every service answers 503 and when to come again, and then works on', async () => {
  postgres.freeze()
  // Later ones find that every connection is given up already.
  for (let round = 0; round < amount({ gate: 1, soak: 3 }); round++) await everythingIsAway()
  postgres.thaw()
  await everythingWorks()
})

test.runIf(isSoak)('a write that hung in its COMMIT is there once, and its second try says so', async () => {
  const { pool } = server.database
  const standbys = async (names: string) => {
    await pool.query(`alter system set synchronous_standby_names = '${names}'`)
    await pool.query('select pg_reload_conf()')
  }
  const id = randomUUID()
  const post = () => json('/rest/v1/planks', { id, name: 'oak' })
  // Nobody of that name follows: what is committed waits for them, and for ever.
  await standbys('nobody')
  // The processes of PostgreSQL read the setting one after the other.
  await eventually(async () => {
    pool.query(`select pg_logical_emit_message(true, 'probe', '')`).catch(() => {})
    return (await pool.query(`select from pg_stat_activity where wait_event = 'SyncRep'`)).rowCount !== 0
  })
  expect((await post()).status).toBe(503)
  await standbys('')
  await eventually(async () => (await get('/health/ready')).ok)
  const again = await post()
  expect([again.status, (await again.json()).code]).toEqual([409, '23505'])
  expect(await (await get(`/rest/v1/planks?id=eq.${id}&select=id`)).json()).toEqual([{ id }])
})
