// One id from the client through PostgreSQL to the log and back: whoever is given it finds the statement and the failure.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let postgres: ExternalPostgres
let server: TestServer
const lines: string[] = []

beforeAll(async () => {
  postgres = await startExternalPostgres({
    settings: {
      logging_collector: 'on',
      log_directory: 'log',
      log_line_prefix: '%a|',
      log_min_messages: 'error',
      log_min_error_statement: 'panic',
      log_file_mode: '0644',
    },
  })
  server = await startTestServer({
    env: { DATABASE_URL: postgres.url, DATABASE_RECONNECT_TIMEOUT: '1', LOG_LEVEL: 'warn' },
    onLogLine: (line) => lines.push(line),
  })
  await server.database.pool.query(`
    create function public.seen() returns text language sql security definer as
      $$ select application_name from pg_stat_activity where pid = pg_backend_pid() $$;
    create function public.told() returns text language sql as
      $$ select current_setting('request.headers')::json ->> 'x-request-id' $$;
    create function public.fails() returns void language plpgsql as
      $$ begin raise exception 'it failed' using errcode = 'XX000'; end $$`)
  // The functions are there once the schema was read again.
  await eventually(async () => (await ask('/rest/v1/rpc/told')).status !== 404)
})
afterAll(async () => {
  await server?.stop()
  await postgres?.remove()
})

function ask(path: string, id?: string, init: RequestInit = {}) {
  const { publishable } = server.services.keys
  const headers = { apikey: publishable, 'content-type': 'application/json', ...init.headers }
  return fetch(server.url + path, { ...init, headers: id ? { ...headers, 'x-request-id': id } : headers })
}
const idOf = (response: Response) => response.headers.get('sb-request-id') ?? ''

test('a client’s id is that of the answer, of the transaction and of what policies read', async () => {
  const id = 'web-6f1c7e0e.53a3:1'
  const seen = await ask('/rest/v1/rpc/seen', id)
  expect([seen.status, idOf(seen), await seen.json()]).toEqual([200, id, `meadowlark ${id}`])
  expect(await (await ask('/rest/v1/rpc/told', id)).json()).toBe(id)
  // And it is over with the transaction.
  const { rows } = await server.database.pool.query(
    `select count(*)::int from pg_stat_activity where application_name like 'meadowlark web-%'`,
  )
  expect(rows).toEqual([{ count: 0 }])
})

test('without one, or with an invalid one, the server makes it', async () => {
  for (const given of [undefined, 'a b', "x'; --", 'x'.repeat(65), 'é']) {
    const response = await ask('/rest/v1/rpc/seen', given)
    expect(idOf(response)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(await response.json()).toBe(`meadowlark ${idOf(response)}`)
  }
  const long = 'x'.repeat(64)
  const response = await ask('/rest/v1/rpc/seen', long)
  expect([idOf(response), await response.json()]).toEqual([long, `meadowlark ${'x'.repeat(52)}`])
})

test('a failure names it in its header, in our log and in PostgreSQL’s, and tells nothing else', async () => {
  const id = 'fails-1'
  const response = await ask('/rest/v1/rpc/fails', id, { method: 'POST', body: '{}' })
  expect([response.status, idOf(response)]).toEqual([500, id])
  expect(await response.text()).not.toMatch(/postgres|select|raise|\/|stack/i)
  await eventually(() => logOfPostgres().includes(`meadowlark ${id}|ERROR:  it failed`))
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ request: id, service: 'rest', method: 'POST', status: 500, code: 'XX000' }),
  )
})

test('sign-in and storage have it in their statements, too', async () => {
  await server.database.pool.query(`
    create table public.names (name text);
    create function public.note_name() returns trigger language plpgsql security definer as
      $$ begin insert into public.names values (current_setting('application_name')); return new; end $$;
    create trigger note after insert on auth.audit_log_entries for each row execute function public.note_name();
    create trigger note after insert on storage.buckets for each row execute function public.note_name()`)
  const sam = { email: 'sam@example.com', password: 'Meadowlark1' }
  const body = JSON.stringify({ ...sam, data: { full_name: 'Sam Sample', role: 'task_giver' } })
  const signUp = await ask('/auth/v1/signup', 'sign-up-1', { method: 'POST', body })
  expect([signUp.status, await signUp.text()]).toEqual([200, expect.stringContaining('sam@')])
  const { secret } = server.services.keys
  const bucket = await ask('/storage/v1/bucket', 'bucket-1', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify({ id: 'crates', name: 'crates' }),
  })
  expect(bucket.status).toBe(200)
  const { rows } = await server.database.pool.query('select distinct name from names order by 1')
  expect(rows.map(({ name }) => name)).toEqual(['meadowlark bucket-1', 'meadowlark sign-up-1'])
})

test('while the database is away, the answer and the log have it', async () => {
  await postgres.stop()
  try {
    const response = await ask('/rest/v1/rpc/seen', 'away-1')
    expect([response.status, idOf(response)]).toEqual([503, 'away-1'])
    expect(lines.some((line) => line.includes('"away-1"'))).toBe(true)
  } finally {
    await postgres.start()
  }
})

function logOfPostgres(): string {
  const folder = join(postgres.directory, 'postgres', 'log')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}
