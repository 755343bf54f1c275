// Starting and stopping: any project's folder, twice on one DATA_DIR, odd places, odd accounts, wrong settings.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { accountFor, commandAs } from '@meadowlark/server/postgres/cluster/account.ts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'
import {
  buildServer,
  eventually,
  newProject,
  postmasterOf,
  preparedProject,
  processesOf,
  refusedStart,
  startProcess,
} from '../../support/process.ts'

// Several servers start and stop in one test, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 })

const isRoot = process.getuid?.() === 0
const FIRST = '20250101000000_fruit.sql'

const ends: (() => unknown)[] = []
beforeAll(buildServer)
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function project(name?: string) {
  const made = newProject(name)
  ends.push(made.remove)
  return made
}

/** One that has been started before, but not seeded. */
async function startedBefore() {
  const made = await preparedProject()
  ends.push(made.remove)
  return made
}

async function start(options: Parameters<typeof startProcess>[0]) {
  const server = await startProcess(options)
  ends.push(() => server.end('SIGKILL'))
  return server
}

/** The URL of a database on the tests' cluster, which nobody has prepared. */
async function emptyDatabase() {
  const made = await createTestDatabase(null)
  ends.push(made.drop)
  return made.url
}

const health = (url: string) => fetch(`${url}/health`).then((response) => response.status)

test('a project never seen before, its path full of quotes: migrated and seeded once, kept over restarts, ended by Ctrl-C', async () => {
  const { workdir, dataDir } = project(`meadowlark it's "a" project `)
  const first = await start({ workdir, dataDir })
  expect(first.applied).toEqual({
    migrations: [FIRST, '20250102000000_baskets.sql'],
    skipped: [],
    newer: [],
    seeded: ['seeds/1_fruit.sql', 'seeds/2_baskets.sql'],
  })
  expect(await health(first.url)).toBe(200)
  expect(await first.end('SIGINT')).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
  const second = await start({ workdir, dataDir })
  expect(second.applied).toEqual({ migrations: [], skipped: [], newer: [], seeded: [] })
  expect([second.publishable, second.secret]).toEqual([first.publishable, first.secret])
  expect(await second.end('SIGTERM')).toBe(0)
})

test('a function that drops a failing promise takes nobody down', async () => {
  const { workdir, dataDir } = await startedBefore()
  const server = await start({ workdir, dataDir })
  const headers = { authorization: `Bearer ${server.publishable}` }
  const call = await fetch(`${server.url}/functions/v1/careless`, { headers })
  expect(await call.text()).toBe('picked')
  await eventually(() => server.printed().includes('dropped a basket'))
  expect(await health(server.url)).toBe(200)
})

test('a function connects to the embedded database as postgres, with its password alone', async () => {
  const { workdir, dataDir } = await startedBefore()
  const server = await start({ workdir, dataDir })
  const headers = { authorization: `Bearer ${server.publishable}` }
  const call = await fetch(`${server.url}/functions/v1/direct`, { headers })
  const refused = expect.stringMatching(/^28/)
  expect(await call.json()).toEqual({
    given: { name: 'postgres', fruit: expect.any(Number) },
    superuser: refused,
    bare: refused,
  })
})

test('services that config.toml turns off are not there', async () => {
  const { workdir, dataDir } = project()
  appendFileSync(
    join(workdir, 'supabase', 'config.toml'),
    '\n[auth]\nenabled = false\n[edge_runtime]\nenabled = false\n[db.migrations]\nenabled = false\n',
  )
  writeFileSync(join(workdir, 'supabase', 'seeds', '1_fruit.sql'), 'select 1;')
  rmSync(join(workdir, 'supabase', 'seeds', '2_baskets.sql'))
  const server = await start({ workdir, dataDir, env: { DATABASE_URL: await emptyDatabase() } })
  expect(server.applied.migrations).toEqual([])
  const headers = { apikey: server.publishable, authorization: `Bearer ${server.publishable}` }
  for (const path of ['/auth/v1/settings', '/functions/v1/careless']) {
    expect([path, (await fetch(server.url + path, { headers })).status]).toEqual([path, 404])
  }
  expect((await fetch(`${server.url}/rest/v1/fruit`, { headers })).status).toBe(404)
})

test('production seeds nothing and has no sandbox', async () => {
  const { workdir, dataDir } = project()
  const DATABASE_URL = await emptyDatabase()
  const env = { ALLOW: 'missing-site-url,missing-smtp', DATABASE_URL }
  const server = await start({ workdir, dataDir, args: ['--production'], env })
  expect(server.applied.seeded).toEqual([])
  expect((await fetch(`${server.url}/sandbox/inbox`)).status).toBe(404)
  await server.end('SIGTERM')
  // An installation that began without demo data stays without.
  const demo = await start({ workdir, dataDir, env: { DATABASE_URL } })
  expect(demo.applied.seeded).toEqual([])
})

test('production does not start among demo people, and touches nothing', async () => {
  const { workdir, dataDir } = await startedBefore()
  appendFileSync(
    join(workdir, 'supabase', 'seeds', '2_baskets.sql'),
    `\ninsert into auth.users (id, aud, role, email) select gen_random_uuid(), 'authenticated', 'authenticated', name || '@example.com' from unnest('{grace,theo}'::text[]) name;\n`,
  )
  await (await start({ workdir, dataDir })).end('SIGTERM')
  writeFileSync(
    join(workdir, 'supabase', 'migrations', '20250104000000_later.sql'),
    'delete from auth.users;',
  )
  const live = { SITE_URL: 'https://sample.example', ALLOW: 'missing-smtp' }
  const { code, output } = await refusedStart({ workdir, dataDir, args: ['--production'], env: live })
  expect([code, output.trim()]).toEqual([
    1,
    `DATA_DIR: ${dataDir} holds 2 demo people, made by the project's seed when it was started outside of production: ` +
      'everybody knows their passwords. Start production with a DATA_DIR of its own, or remove them first ' +
      '(ALLOW=demo-people starts with them)',
  ])
  expect(processesOf(dataDir)).toEqual([])
  const env = { ...live, ALLOW: 'missing-smtp,demo-people' }
  const server = await start({ workdir, dataDir, args: ['--production'], env })
  expect(server.applied.migrations).toEqual(['20250104000000_later.sql'])
  await server.end('SIGTERM')
  // The migration has deleted them.
  await start({ workdir, dataDir, args: ['--production'], env: live })
})

test('a second server on the same DATA_DIR says so and leaves; the first goes on', async () => {
  const { workdir, dataDir } = await startedBefore()
  const first = await start({ workdir, dataDir })
  const second = await refusedStart({ workdir, dataDir })
  expect(second.code).toBe(1)
  expect(second.output.trim()).toBe(
    `DATA_DIR: another server (pid ${first.pid}) already runs on ${dataDir}. ` +
      'Stop it first, or start this one with a DATA_DIR of its own.',
  )
  expect(await health(first.url)).toBe(200)
})

test('a lock left behind is taken over, also when another process has its pid now', async () => {
  const { workdir, dataDir } = await startedBefore()
  writeFileSync(join(dataDir, 'server.lock'), JSON.stringify({ pid: process.pid, began: 'long ago' }))
  const server = await start({ workdir, dataDir })
  expect(await health(server.url)).toBe(200)
})

test('a port in use is reported before anything is made', async () => {
  const { workdir, dataDir } = project()
  const taken = createServer().listen(0, '0.0.0.0')
  ends.push(() => taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const { code, output } = await refusedStart({ workdir, dataDir, port })
  expect([code, output.trim()]).toEqual([
    1,
    `PORT: ${port} is in use by another program. Stop that program, or set PORT to a free one`,
  ])
  expect(() => statSync(join(dataDir, 'postgres'))).toThrow('ENOENT')
})

test('DATABASE_URL: a database that exists is prepared and used, and outlives the server', async () => {
  const { workdir, dataDir } = project()
  const existing = await createTestDatabase(null)
  ends.push(existing.drop)
  const first = await start({ workdir, dataDir, env: { DATABASE_URL: existing.url } })
  expect(first.applied.seeded).toHaveLength(2)
  expect(await health(first.url)).toBe(200)
  expect(postmasterOf(dataDir)).toBeNull()
  await first.end('SIGTERM')
  const { rows } = await existing.database.pool.query(
    'select version from supabase_migrations.schema_migrations order by 1',
  )
  expect(rows.map((row) => row.version)).toEqual(['20250101000000', '20250102000000'])
})

test('a database that cannot be reached is reported', async () => {
  const { workdir, dataDir } = project()
  const env = { DATABASE_URL: 'postgresql://postgres:secret@127.0.0.1:1/postgres' }
  const { code, output } = await refusedStart({ workdir, dataDir, env })
  expect(code).toBe(1)
  expect(output).toMatch(/^DATABASE_URL: .*127\.0\.0\.1:1.*ECONNREFUSED/m)
  expect(output).not.toMatch(/secret|\n\s+at /)
})

test('an edited, a late, a removed and a failing migration are each named, and change nothing; a misnamed is skipped', async () => {
  const { workdir, dataDir } = await startedBefore()
  const migrations = join(workdir, 'supabase', 'migrations')
  const refusal = async () => (await refusedStart({ workdir, dataDir })).output.trim()
  await (await start({ workdir, dataDir })).end('SIGTERM')

  appendFileSync(join(migrations, FIRST), 'drop table public.fruit;\n')
  expect(await refusal()).toBe(
    `${FIRST}: was edited after it had been applied. Restore it, and put the change into a new migration`,
  )
  rmSync(join(migrations, FIRST))
  expect(await refusal()).toMatch(
    /^20250101000000_\*\.sql: was applied to this database, but its file is missing/,
  )
  renameSync(join(project().workdir, 'supabase', 'migrations', FIRST), join(migrations, FIRST))

  writeFileSync(join(migrations, '20240101000000_late.sql'), 'select 1;')
  expect(await refusal()).toBe(
    '20240101000000_late.sql: is new, but older than 20250102000000, which was applied already. Rename it with a later version',
  )
  rmSync(join(migrations, '20240101000000_late.sql'))
  writeFileSync(join(migrations, 'later.sql'), 'select nothing_here;')
  writeFileSync(
    join(migrations, '20250103000000_wrong.sql'),
    'create table public.half ();\n\nselect nothing_here;\n',
  )
  expect(await refusal()).toBe('20250103000000_wrong.sql: column "nothing_here" does not exist (line 3)')
  writeFileSync(join(migrations, '20250103000000_wrong.sql'), 'create table public.half ();\n')
  const { applied, url } = await start({ workdir, dataDir })
  expect(applied).toMatchObject({ migrations: ['20250103000000_wrong.sql'], skipped: ['later.sql'] })
  expect(await health(url)).toBe(200)
})

test('wrong settings are printed without a stack', async () => {
  const { workdir, dataDir } = project()
  appendFileSync(join(workdir, 'supabase', 'config.toml'), '\n[auth]\njwt_expiry = "soon"\n')
  const { code, output } = await refusedStart({ workdir, dataDir })
  expect(code).toBe(1)
  expect(output.trim()).toMatch(
    /supabase\/config\.toml: \[auth\] jwt_expiry is "soon", but must be a whole number from 30 to 604800$/,
  )
  const unknown = await refusedStart({ workdir, dataDir, args: ['--fast'] })
  expect(unknown.output).toMatch(/^Unknown option '--fast'/m)
})

test.runIf(isRoot)('an ordinary user runs it as themselves', async () => {
  const { workdir, dataDir } = project()
  mkdirSync(dataDir)
  const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
  const gid = Number(execFileSync('id', ['-g', 'nobody'], { encoding: 'utf8' }))
  chownSync(dataDir, uid, gid)
  // From a folder of root that it may not read, as by `runuser` in /root.
  const cwd = join(dataDir, '..', 'closed')
  mkdirSync(cwd, { mode: 0o700 })
  const server = await start({ workdir, dataDir, cwd, account: { uid, gid }, env: { HOME: dataDir } })
  expect(await health(server.url)).toBe(200)
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(uid)
  expect(await server.end('SIGINT')).toBe(0)
  // Root continues with the owner's account.
  const root = await start({ workdir, dataDir })
  expect(await health(root.url)).toBe(200)
  expect(await root.end('SIGINT')).toBe(0)
})

test.runIf(isRoot)('root may keep the data where no other account can look', async () => {
  const { workdir, dataDir } = project()
  const closed = join(dataDir, '..', 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const server = await start({ workdir, dataDir: join(closed, 'data') })
  expect(await health(server.url)).toBe(200)
  expect(await server.end('SIGINT')).toBe(0)
})

test.runIf(isRoot)('root may keep the checkout there, too', () => {
  const { dataDir } = project()
  const closed = join(dataDir, '..', 'closed')
  mkdirSync(closed, { mode: 0o700 })
  writeFileSync(join(closed, 'program'), '', { mode: 0o755 })
  const account = accountFor(dataDir)
  expect(account?.uid).toBeGreaterThan(0)
  // initdb looks for postgres with access(2), as `test -x` does.
  const look = commandAs(account, 'test', ['-x', join(closed, 'program')], [join(closed, 'program')])
  expect(spawnSync(look.file, look.args).status).toBe(0)
  expect(
    spawnSync(look.file, [...look.args.slice(0, -3), 'id', '-u'])
      .stdout.toString()
      .trim(),
  ).toBe(String(account?.uid))
})

test('PostgreSQL left behind by a killed server is found and ended', async () => {
  const { workdir, dataDir } = await startedBefore()
  // Without setpriv nothing ends PostgreSQL together with the server.
  const bin = join(dataDir, '..', 'bin')
  mkdirSync(bin)
  for (const name of ['id', 'test'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
  const first = await start({ workdir, dataDir, env: { PATH: bin } })
  const orphan = postmasterOf(dataDir)
  await first.end('SIGKILL')
  expect(processesOf(dataDir)).toContain(orphan)
  const second = await start({ workdir, dataDir })
  expect(await health(second.url)).toBe(200)
  expect(postmasterOf(dataDir)).not.toBe(orphan)
  expect(processesOf(dataDir)).not.toContain(orphan)
})

test('a pid file that names a process of somebody else is no obstacle', async () => {
  const { workdir, dataDir } = await startedBefore()
  const first = await start({ workdir, dataDir })
  const postmaster = postmasterOf(dataDir) as number
  await first.end('SIGKILL')
  await eventually(() => processesOf(dataDir).length === 0)
  const lines = `${process.pid}\n${dataDir}/postgres\n1700000000\n5432\n/tmp\n\n  1234567         1\nready   \n`
  writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), lines)
  const second = await start({ workdir, dataDir })
  expect(await health(second.url)).toBe(200)
  expect(postmasterOf(dataDir)).not.toBe(postmaster)
})
