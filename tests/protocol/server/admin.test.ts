// npm run admin -- EMAIL, the only way to the first administrator, and for people who have lost second factors and
// recovery codes.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { makeAccount } from '../../support/people.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db.drop())

function admin(...args: string[]): [number | null, string] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [repositoryFile('scripts/admin.mjs'), ...args],
    {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, DATABASE_URL: db.url },
      encoding: 'utf8',
    },
  )
  return [status, (stdout + stderr).trim()]
}

test('a person who has signed up becomes administrator, once', async () => {
  const id = await makeAccount(db, 'sam')
  expect(admin('Sam@example.com')).toEqual([0, 'sam@example.com is an administrator now.'])
  expect(admin('sam@example.com')).toEqual([0, 'sam@example.com was an administrator already.'])
  const { rows } = await db.database.pool.query('select role from public.profiles where id = $1', [id])
  expect(rows).toEqual([{ role: 'admin' }])
})

test('second factors are removed with recovery codes and sessions, which is audited and reported', async () => {
  const { pool } = db.database
  const id = await makeAccount(db, 'grace')
  await pool.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     select gen_random_uuid(), $1, kind::auth.factor_type, 'verified', now(), now()
     from unnest('{totp,webauthn}'::text[]) kind`,
    [id],
  )
  await pool.query(`insert into auth.sessions (id, user_id) values (gen_random_uuid(), $1)`, [id])
  await pool.query(`insert into private.recovery_codes values ($1, 'x')`, [id])
  expect(admin('Grace@example.com', '--remove-factors')).toEqual([
    0,
    'All 2 second factors of grace@example.com went, with their sessions. They sign in with their password alone.',
  ])
  for (const table of ['auth.mfa_factors', 'auth.sessions', 'private.recovery_codes'])
    expect((await pool.query(`select from ${table}`)).rowCount, table).toBe(0)
  const { rows } = await pool.query(
    `select payload ->> 'action' as action, payload ->> 'actor_username' as by, payload -> 'traits' ->> 'user_id' as whose
     from auth.audit_log_entries`,
  )
  const entry = { action: 'factor_deleted', by: 'npm run admin', whose: id }
  expect(rows).toEqual([entry, entry])
  const told = await pool.query('select key from public.notifications where user_id = $1', [id])
  expect(told.rows).toContainEqual({ key: 'factors_removed' })
  const none = [1, 'grace@example.com has no second factor.']
  expect(admin('grace@example.com', '--remove-factors')).toEqual(none)
})

test('an address that nobody signed up with is reported, and so is a wrong call', () => {
  expect(admin('theo@example.com')).toEqual([
    1,
    'Nobody has signed up as theo@example.com. Sign up in the app first, then run this again.',
  ])
  for (const args of [[], ['sam'], ['grace@example.com', 'theo@example.com']]) {
    expect(admin(...args)).toEqual([1, expect.stringMatching(/^Usage: npm run admin -- EMAIL/)])
  }
  expect(admin('sam@example.com', '--fast')).toEqual([1, expect.stringMatching(/^Unknown option '--fast'/)])
})

test('--workdir names the project whose people it is about', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-admin-'))
  try {
    mkdirSync(join(folder, 'supabase'))
    const { status, stderr } = spawnSync(
      process.execPath,
      [repositoryFile('scripts/admin.mjs'), 'sam@example.com', '--workdir', folder],
      { cwd: repositoryRoot, env: { PATH: process.env.PATH }, encoding: 'utf8' },
    )
    expect([status, stderr.trim()]).toEqual([
      1,
      `DATA_DIR: there is no database in ${folder}/.data yet; start the server once`,
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
