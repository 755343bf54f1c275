// The test database itself: the platform's roles, schemas and grants as a migration finds them.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { preparePlatform } from '../../src/start/platform-schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isPlainOwner } from '../support/other-postgres.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createTestDatabase(null)
  await preparePlatform(db.url, { project: '/nowhere', seed: [] })
})
afterAll(() => db.drop())

const query = (sql: string, values: unknown[] = []) => db.database.pool.query(sql, values)

test('migrations run as postgres, who may create trusted extensions and tables open to the API', async () => {
  const client = await db.database.pool.connect()
  try {
    await client.query('set role postgres')
    await client.query('create extension if not exists pg_trgm with schema extensions')
    await client.query('create extension if not exists btree_gist with schema extensions')
    await client.query('create table public.fruit (id int primary key, owner uuid default auth.uid())')
    await client.query('alter publication supabase_realtime add table public.fruit')
    await client.query('create schema sample')
    const { rows } = await client.query(
      `select has_table_privilege('anon', 'public.fruit', 'select') as anon,
        has_table_privilege('authenticated', 'public.fruit', 'insert') as authenticated,
        has_table_privilege('service_role', 'public.fruit', 'delete') as service`,
    )
    expect(rows[0]).toEqual({ anon: true, authenticated: true, service: true })
  } finally {
    await client.query('reset role')
    client.release()
  }
})

test('roles have the attributes of Supabase', async () => {
  const { rows } = await query(
    `select rolname, rolsuper, rolbypassrls, rolcanlogin, rolinherit from pg_roles
     where rolname in ('anon', 'authenticated', 'service_role', 'authenticator', 'postgres') order by rolname`,
  )
  expect(
    rows.map((row) => [row.rolname, row.rolsuper, row.rolbypassrls, row.rolcanlogin, row.rolinherit]),
  ).toEqual([
    ['anon', false, false, false, false],
    ['authenticated', false, false, false, false],
    ['authenticator', false, false, true, false],
    // Without the right to bypass row-level security, an account can grant it to nobody.
    ['postgres', false, !isPlainOwner, true, true],
    ['service_role', false, true, false, false],
  ])
})

test('auth functions read the claims of the request', async () => {
  const { rows } = await query(
    `select auth.uid(), auth.role(), auth.email(), auth.jwt() from
     (select set_config('request.jwt.claims', $1, false)) as claims`,
    [
      JSON.stringify({
        sub: '6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10',
        role: 'authenticated',
        email: 'grace@example.com',
      }),
    ],
  )
  expect(rows[0]).toMatchObject({
    uid: '6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10',
    role: 'authenticated',
    email: 'grace@example.com',
  })
})

test('databases of one cluster may be prepared at the same moment', async () => {
  const databases = await Promise.all([0, 1, 2].map(() => createTestDatabase(null)))
  const options = { project: '/nowhere', seed: [] }
  try {
    for (let round = 0; round < 3; round++) {
      await Promise.all(databases.map(({ url }) => preparePlatform(url, options)))
    }
    const { rows } = await query(`select rolname, rolconfig from pg_roles where rolname = 'postgres'`)
    expect(rows).toEqual([{ rolname: 'postgres', rolconfig: ['search_path="$user", public, extensions'] }])
  } finally {
    for (const { drop } of databases) await drop()
  }
})
