// The names of the Supabase CLI's containers, in each of the four ways in which a project sends requests. These are
// hooks of auth, pg_net, database webhooks, and fetch in functions, under Deno and in this process.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listener, listen } from '../../../packages/server/tests/support/listener.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { soon } from './running.ts'

const SECRET = 'v1,whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
/** Each leads to the function `echo` of this server. */
const ECHOES = [
  'http://kong:8000/functions/v1/echo',
  'http://supabase_kong_local:8000/functions/v1/echo',
  'http://api.supabase.internal:8000/functions/v1/echo',
  'http://host.docker.internal:54321/functions/v1/echo',
  'http://edge_runtime:8081/echo',
  'http://supabase_edge_runtime_local:8081/echo',
]

const hook = (name: string, uri: string) =>
  `[auth.hook.${name}]\nenabled = true\nuri = "${uri}"\nsecrets = "${SECRET}"\n`
const FILES = {
  'config.toml': `project_id = "local"
${hook('before_user_created', 'http://host.docker.internal:54321/functions/v1/sign-up')}
${hook('custom_access_token', 'http://supabase_edge_runtime_local:8081/token')}
${hook('password_verification_attempt', 'http://kong:8000/functions/v1/password')}
[auth.email]
enable_confirmations = false
${['sign-up', 'token', 'password', 'echo', 'fetching', 'in-process'].map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('')}`,
  'functions/echo/index.ts': `Deno.serve(async (request) => Response.json({
    path: new URL(request.url).pathname, method: request.method, body: await request.text(),
  }))`,
  'functions/sign-up/handler.ts': `export default async (request: Request) => {
    const { user } = await request.json()
    return Response.json(user.email.startsWith('sam') ? { error: { http_code: 403, message: 'not you' } } : {})
  }`,
  'functions/token/handler.ts': `export default async (request: Request) => {
    const { claims } = await request.json()
    return Response.json({ claims: { ...claims, from: 'the hook' } })
  }`,
  'functions/password/handler.ts': `export default () => Response.json({ decision: 'reject', message: 'by the hook' })`,
  'functions/fetching/index.ts': `Deno.serve(async (request) => {
    const addresses = await request.json()
    const answers = await Promise.all(addresses.map(async (address, index) => {
      const asked = index % 2 ? address : new Request(new URL(address), { method: 'POST', body: 'words' })
      return (await fetch(asked, { method: 'POST', ...(index % 2 ? { body: 'words' } : {}) })).json()
    }))
    const rest = await fetch(Deno.env.get('SUPABASE_URL') + '/auth/v1/health', {
      headers: { apikey: Deno.env.get('SUPABASE_ANON_KEY') },
    })
    return Response.json({ answers, health: rest.status })
  })`,
  'functions/in-process/handler.ts': `export default async (request: Request) => {
    const addresses: string[] = await request.json()
    const ask = async (address: string) => (await fetch(address, { method: 'POST', body: 'words' })).json()
    return Response.json({ answers: await Promise.all(addresses.map(ask)) })
  }`,
  'migrations/20240101000000_webhooks.sql': `create extension if not exists pg_net;
    create table public.posts (id bigint generated always as identity primary key, title text);
    ${[
      'kong:8000/functions/v1/echo',
      'supabase_edge_runtime_local:8081/echo',
      'host.docker.internal:54321/functions/v1/echo',
    ]
      .map(
        (place, index) => `create trigger webhook_${index} after insert on public.posts for each row
          execute function supabase_functions.http_request('http://${place}', 'POST', '{"Content-Type":"application/json"}', '{}', '60000');`,
      )
      .join('\n')}`,
}

let folder: string
let database: TestDatabase
let server: TestServer
let machine: Listener

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-names-'))
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, 'supabase', path)), { recursive: true })
    writeFileSync(join(folder, 'supabase', path), content)
  }
  machine = await listen(({ path }) => ({ body: JSON.stringify({ path }) }))
  database = await createTestDatabase(null)
  server = await startTestServer({ workdir: folder, env: { DATABASE_URL: database.url } })
  // A hook has five seconds to answer; the first call of a function compiles it.
  for (const name of ['sign-up', 'token', 'password']) {
    await stranger(server).functions.invoke(name, { body: { user: { email: '' }, claims: {} } })
  }
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
  await machine?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** An address at this machine, but of no port of this server. */
const elsewhere = () => `http://host.docker.internal:${new URL(machine.url).port}/elsewhere`
const echo = (method: string, body: string) => ({ path: '/echo', method, body })

test('hooks of auth', async () => {
  const grace = stranger(server)
  const { data, error } = await grace.auth.signUp({ email: 'grace@example.com', password: PASSWORD })
  expect(error).toBeNull()
  expect(decodeJwt(data.session?.access_token as string)).toMatchObject({ from: 'the hook' })
  const refused = await stranger(server).auth.signUp({ email: 'sam@example.com', password: PASSWORD })
  expect(refused.error).toMatchObject({ status: 403, message: 'not you' })
  const signIn = await grace.auth.signInWithPassword({ email: 'grace@example.com', password: PASSWORD })
  expect(signIn.error?.message).toBe('by the hook')
})

test('pg_net', async () => {
  const { pool } = server.database
  const ask = async (sql: string, url: string): Promise<number> =>
    (await pool.query<{ id: number }>(`select ${sql} as id`, [url])).rows[0]?.id as number
  const asked = new Map<number, unknown>()
  for (const url of ECHOES) {
    asked.set(
      await ask(`net.http_post($1, '{"a": 1}'::jsonb, timeout_milliseconds := 60000)`, url),
      echo('POST', '{"a": 1}'),
    )
  }
  asked.set(
    await ask('net.http_get($1, timeout_milliseconds := 60000)', ECHOES[0] as string),
    echo('GET', ''),
  )
  asked.set(
    await ask('net.http_delete($1, timeout_milliseconds := 60000)', ECHOES[1] as string),
    echo('DELETE', ''),
  )
  asked.set(await ask('net.http_get($1, timeout_milliseconds := 60000)', elsewhere()), { path: '/elsewhere' })
  const answers = async () => {
    const { rows } = await pool.query<{ id: number; content: string; error_msg: string }>(
      'select id, content, error_msg from net._http_response where id = any ($1)',
      [[...asked.keys()]],
    )
    return new Map(rows.map(({ id, content, error_msg }) => [id, error_msg ?? JSON.parse(content)]))
  }
  await expect.poll(answers, soon).toEqual(asked)
})

test('database webhooks', async () => {
  const { pool } = server.database
  await pool.query(`insert into public.posts (title) values ('Snow')`)
  const answers = async () => {
    const { rows } = await pool.query<{ content: string }>(
      `select content from supabase_functions.hooks join net._http_response on net._http_response.id = request_id
       where status_code = 200`,
    )
    return rows.map(({ content }) => JSON.parse(JSON.parse(content).body).record.title)
  }
  await expect.poll(answers, soon).toEqual(['Snow', 'Snow', 'Snow'])
})

test.each(['fetching', 'in-process'])('fetch in the function %s', async (name) => {
  const { data, error } = await stranger(server).functions.invoke(name, { body: [...ECHOES, elsewhere()] })
  expect(error).toBeNull()
  expect(data.answers).toEqual([...ECHOES.map(() => echo('POST', 'words')), { path: '/elsewhere' }])
  if (name === 'fetching') expect(data.health).toBe(200)
})

test("the server's own requests, and names that are nobody's, go where they say", async () => {
  await expect(fetch('http://kong:8000/health')).rejects.toThrow('fetch failed')
})
