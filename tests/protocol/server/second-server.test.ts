// A server that starts next to others. If nothing has to be changed it waits for nobody; otherwise it gives up before
// everybody else waits behind it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@meadowlark/server/postgres/cluster/start-error.ts'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATABASE_PLUGINS } from '../../../plugins/index.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { asSuperuser, createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let at: TestDatabase
let first: TestServer
let project: string

const env = () => ({
  DATABASE_URL: at.url,
  JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters',
})

beforeAll(async () => {
  at = await createTestDatabase()
  first = await startTestServer({ env: env() })
  project = mkdtempSync(join(tmpdir(), 'meadowlark-project-'))
  await cp(repositoryFile('supabase/migrations'), join(project, 'migrations'), { recursive: true })
})
afterAll(async () => {
  await first.stop()
  await at.drop()
  rmSync(project, { recursive: true })
})

/** Reads every table of the platform and of the application, and goes on holding what a reader holds. */
async function readEverything(): Promise<pg.PoolClient> {
  const reader = await at.database.pool.connect()
  await reader.query('begin')
  const { rows } = await reader.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
  )
  expect(rows.length).toBeGreaterThan(50)
  for (const { name } of rows) await reader.query(`select from ${name} limit 1`)
  return reader
}

test('while somebody reads every table for long, another server starts and serves', async () => {
  const reader = await readEverything()
  try {
    const second = await startTestServer({ env: env() })
    const headers = { apikey: second.publishableKey }
    expect(
      (await fetch(`${second.url}/rest/v1/categories?select=id&limit=1`, { headers })).status,
    ).toBeLessThan(500)
    await second.stop()
  } finally {
    await reader.query('rollback')
    reader.release()
  }
})

test('a start that has nothing to change takes no lock that a writer would wait for', async () => {
  await asSuperuser(
    at.url,
    `create table public.watched_locks (statement text);
     grant all on public.watched_locks to public;
     create function public.note_change() returns event_trigger language plpgsql as $$ begin
       insert into public.watched_locks values (tg_tag); end $$;
     create event trigger note_change on ddl_command_end execute function public.note_change()`,
  )
  const before = await at.database.pool.query(
    'select xmin::text, * from supabase_migrations.platform_version',
  )
  const prepare = { project: repositoryFile('supabase'), plugins: DATABASE_PLUGINS, seed: [] }
  expect(await preparePlatform(at.url, prepare)).toEqual({
    migrations: [],
    seeded: [],
    skipped: [],
    newer: [],
  })
  const after = await at.database.pool.query('select xmin::text, * from supabase_migrations.platform_version')
  expect(after.rows).toEqual(before.rows)
  expect((await at.database.pool.query('select statement from public.watched_locks')).rows).toEqual([])
  await asSuperuser(at.url, 'drop event trigger note_change; drop table public.watched_locks')
})

test('a migration that others block is given up in time, names them, and keeps nobody waiting', async () => {
  const file = '29991231000000_widen.sql'
  writeFileSync(join(project, 'migrations', file), 'alter table public.tasks add column widened text;')
  const reader = await readEverything()
  const prepare = () => preparePlatform(at.url, { project, plugins: DATABASE_PLUGINS, seed: [] })
  try {
    const refusal = (await prepare().catch((error) => error)) as Error
    expect(refusal).toBeInstanceOf(StartError)
    expect(refusal.message).toMatch(
      /^The database has to be changed, but others have held .* 10s \(29991231000000/,
    )
    expect(refusal.message).toMatch(
      /pid \d+ \(meadowlark\), in a transaction since \d\d:\d\d:\d\d: select from /,
    )
    // Nobody waits behind it any more.
    await first.database.pool.query(
      `set lock_timeout = '1s'; select from public.tasks limit 1; reset lock_timeout`,
    )
  } finally {
    await reader.query('rollback')
    reader.release()
  }
  expect((await prepare()).migrations).toEqual([file])
})

test('another version of the platform is applied at the next start, by one of those that start', async () => {
  await at.database.pool.query(`
    update supabase_migrations.platform_version set version = 'another';
    drop function auth.email() cascade`)
  const prepare = () => preparePlatform(at.url, { project, plugins: DATABASE_PLUGINS, seed: [] })
  await Promise.all([prepare(), prepare(), prepare()])
  const { rows } = await at.database.pool.query(
    `select to_regprocedure('auth.email()') is not null as there, version from supabase_migrations.platform_version`,
  )
  expect(rows).toEqual([{ there: true, version: expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{64}$/) }])
})
