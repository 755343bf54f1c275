// npm run admin -- EMAIL, the only way to the first administrator.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageFile, packageRoot } from '../../../server/package-root.ts'
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
    [packageFile('scripts/admin.mjs'), ...args],
    {
      cwd: packageRoot,
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

test('an address that nobody signed up with is told, and so is a wrong call', () => {
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
      [packageFile('scripts/admin.mjs'), 'sam@example.com', '--workdir', folder],
      { cwd: packageRoot, env: { PATH: process.env.PATH }, encoding: 'utf8' },
    )
    expect([status, stderr.trim()]).toEqual([
      1,
      `DATA_DIR: there is no database in ${folder}/.data yet; start the server once with npm start`,
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
