// npm run upgrade: a database of an older PostgreSQL is refused with the command to run, which brings all of it to
// this one's. The endurance tests cover a real older version, with its programs and its migrations.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreBackup } from '@meadowlark/server/backup/commands.ts'
import { programsOf } from '@meadowlark/server/cli/postgres-programs.mjs'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { binariesIn } from '../../../packages/server/tests/support/debian-postgres.ts'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { loadConfig } from '../../../plugins/index.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { startExternalPostgres } from '../../support/external-postgres.ts'
import { programOf } from '../../support/npm-scripts.ts'
import { stranger } from '../../support/people.ts'
import {
  buildServer,
  newProject,
  preparedProject,
  refusedStart,
  startProcess,
} from '../../support/process.ts'
import { startTestServer } from '../../support/server.ts'

vi.setConfig({ testTimeout: 600_000 })

const ends: (() => unknown)[] = []
beforeAll(buildServer)
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('files of another PostgreSQL are refused with what to do, and stay as they are', async () => {
  const { workdir, dataDir, remove } = await preparedProject()
  ends.push(remove)
  const version = join(dataDir, 'postgres', 'PG_VERSION')
  const own = Number(readFileSync(version, 'utf8'))
  const refusal = async (major: number) => {
    writeFileSync(version, `${major}\n`)
    return (await refusedStart({ workdir, dataDir })).output.trim()
  }
  const cluster = join(dataDir, 'postgres')
  expect(await refusal(own - 1)).toBe(
    `DATA_DIR: ${cluster} is of PostgreSQL ${own - 1}, and this version runs ${own}. Nothing was changed: run the command upgrade, which brings it over, or start the version before`,
  )
  expect(await refusal(own + 1)).toMatch(/start the version that made it, or restore a backup of before$/)
  writeFileSync(version, `${own}\n`)
  expect(upgrade(dataDir)).toBe("The database is of this version's PostgreSQL already.\n")
})

test('a cut between the two renames at the end is reported, not mistaken for a first start', async () => {
  const { workdir, dataDir, remove } = newProject()
  ends.push(remove)
  cpSync(workdir, join(dataDir, 'postgres.upgrading'), { recursive: true })
  expect((await refusedStart({ workdir, dataDir })).output).toMatch(
    /mv \S+\/postgres\.upgrading \S+\/postgres"/,
  )
})

test('the backup of another database is refused, and that of another PostgreSQL', async () => {
  const { workdir, dataDir, remove } = await preparedProject()
  ends.push(remove)
  const kept = join(dataDir, '..', 'kept')
  mkdirSync(join(kept, 'database'), { recursive: true })
  writeFileSync(join(kept, 'database', 'system-identifier'), '7000000000000000000')
  const env = { DATA_DIR: dataDir, BACKUP_DIR: kept }
  const { output } = await refusedStart({ workdir, dataDir, env })
  expect(output).toContain('BACKUP_DIR, BACKUP_S3_BUCKET: keeps the backup of another database')

  mkdirSync(join(kept, 'base', 'old'), { recursive: true })
  writeFileSync(
    join(kept, 'base', 'old', 'manifest.json'),
    JSON.stringify({
      id: 'old',
      postgres: 17,
      timeline: 1,
      segmentBytes: 16_777_216,
      startedAt: '2026-01-01',
      endedAt: '2026-01-01',
      startLsn: '0/2000028',
      stopLsn: '0/2000100',
      sha256: 'none',
      tarBytes: 0,
    }),
  )
  writeFileSync(join(kept, 'base', 'old', 'postgres.tar.gz'), '')
  const config = loadConfig({ workdir, env })
  await expect(restoreBackup(config, { replace: true })).rejects.toThrow(
    /^BACKUP_DIR: the backup is of PostgreSQL 17, and this version runs \d+; restore it with a version that runs 17$/,
  )
})

test.runIf(isSoak).each([15, 16, 17])('a database of PostgreSQL %s is upgraded', async (major) => {
  const programs = programsOf(major)
  const old = await startExternalPostgres({ binaries: binariesIn(programs) })
  ends.push(() => old.remove())
  const dataDir = old.directory
  // Of a version of ours, too, that had a migration less.
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-earlier-'))
  ends.push(() => rmSync(workdir, { recursive: true, force: true }))
  cpSync(repositoryFile('supabase'), join(workdir, 'supabase'), { recursive: true })
  const newest = readdirSync(repositoryFile('supabase/migrations')).sort().at(-1) ?? ''
  rmSync(join(workdir, 'supabase', 'migrations', newest))
  const before = await startTestServer({
    workdir,
    seed: true,
    env: { DATABASE_URL: old.url, DATA_DIR: dataDir },
  })
  const { pool } = before.database
  const grace = stranger(before)
  const { data } = await grace.auth.signInWithPassword({
    email: 'grace@example.com',
    password: 'Meadowlark1',
  })
  const files = stranger(before, before.secretKey).storage
  await files.createBucket('attic')
  await files.from('attic').upload('a photo é.txt', 'of the attic')
  await pool.query(
    `select vault.create_secret('a word', 'word'); alter role anon set statement_timeout = '7s'; create function public.by_hand() returns int return 1;
     grant select on private.issuer to service_role; revoke select on public.receipts from authenticated`,
  )
  const counts = async (query: (sql: string) => Promise<{ rows: Record<string, unknown>[] }>) =>
    (
      await query(`select (select count(*) from public.bookings) as bookings, (select count(*) from auth.users) as people,
        (select count(*) from sandbox.stripe_objects) as charges, (select count(*) from pgmq.a_effects) as done,
        (select sum(amount) from public.ledger_entries) as ledger`)
    ).rows[0]
  await pool.query(`alter system set work_mem = '16MB'`)
  const had = await counts((sql) => pool.query(sql))
  await before.stop()
  await old.stop()

  expect((await refusedStart({ workdir: repositoryRoot, dataDir })).output).toContain('the command upgrade')
  const told = upgrade(dataDir, '--programs', programs)
  expect(told).toMatch(
    new RegExp(`PostgreSQL \\d+ has \\d+ rows .* that of ${major} lies in ${dataDir}/postgres\\.${major}-`),
  )
  expect(told.match(/^ {2}only the old one has: .*/gm)).toEqual([
    '  only the old one has: function public.by_hand()',
  ])
  expect(told.match(/^ {2}as in the old one: .*/gm)).toEqual([
    '  as in the old one: revoke select on table public.receipts from authenticated cascade',
    '  as in the old one: grant select on table private.issuer to service_role',
  ])
  expect(told).not.toContain('!')

  const server = await startProcess({ workdir: repositoryRoot, dataDir })
  ends.push(() => server.end('SIGKILL'))
  expect(server.applied.migrations).toEqual([newest])
  const now = { url: server.url, publishableKey: server.publishable, secretKey: server.secret }
  const again = stranger(now)
  const session = await again.auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' })
  expect(session.data.user?.email).toBe('grace@example.com')
  const photo = await stranger(now, now.secretKey).storage.from('attic').download('a photo é.txt')
  expect(await photo.data?.text()).toBe('of the attic')
  const vault = new pg.Client({ connectionString: runningUrl(join(dataDir, 'postgres')) ?? '' })
  await vault.connect()
  const { rows: words } = await vault.query(
    `select decrypted_secret as word, current_setting('work_mem') as memory from vault.decrypted_secrets where name = 'word'`,
  )
  await vault.end()
  expect(words).toEqual([{ word: 'a word', memory: '16MB' }])
  await server.end('SIGTERM')
  // The old one can still be gone back to.
  const kept = readdirSync(dataDir).find((name) => name.startsWith(`postgres.${major}-`)) ?? ''
  expect(readFileSync(join(dataDir, kept, 'PG_VERSION'), 'utf8').trim()).toBe(String(major))
  expect(had).toMatchObject({ bookings: expect.stringMatching(/^[1-9]/) })
})

/** Runs the command, and answers what it prints. */
function upgrade(dataDir: string, ...args: string[]): string {
  const { PATH, HOME } = process.env
  return execFileSync(process.execPath, [...programOf('upgrade'), ...args], {
    cwd: repositoryRoot,
    encoding: 'utf8' as const,
    env: { PATH, HOME, DATA_DIR: dataDir },
  })
}
