// Requests as a role: one transaction per group, settings that end with it, statements that stay prepared.
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, openRequestPool } from '../../../server/sql/request.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  db = await createTestDatabase()
  pool = openRequestPool(db.url, { max: 1 })
  await db.database.pool.query(`
    create schema orchard;
    grant usage on schema orchard to anon, authenticated;
    create table orchard.fruit (name text primary key, owner text default auth.uid()::text);
    grant select, insert, delete on orchard.fruit to authenticated;
  `)
})
afterAll(async () => {
  await pool.end()
  await db.drop()
})

const theo = {
  role: 'authenticated',
  settings: { 'request.jwt.claims': '{"sub":"6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10"}' },
}
const names = () =>
  execute(pool, { ...theo, statements: [{ text: 'select name from orchard.fruit order by 1' }] })

test('the role and claims hold for the statements and no longer', async () => {
  const [first] = await execute(pool, {
    ...theo,
    statements: [{ text: 'select current_user, auth.uid()::text, $1::int + 1', values: ['41'] }],
  })
  expect(first).toEqual({ rows: [['authenticated', '6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10', '42']], count: 1 })
  const { rows } = await pool.query(
    `select current_user, current_setting('request.jwt.claims', true) as claims`,
  )
  expect(rows[0]).toEqual({ current_user: 'authenticator', claims: '' })
})

test('a failing statement takes the whole group with it', async () => {
  const insert = { text: 'insert into orchard.fruit (name) values ($1)', values: ['apple'] }
  await expect(execute(pool, { ...theo, statements: [insert, insert] })).rejects.toMatchObject({
    code: '23505',
  })
  expect((await names())[0]?.rows).toEqual([])
})

test('a role that authenticator was not granted is refused', async () => {
  const statements = [{ text: 'select 1' }]
  await expect(execute(pool, { role: 'supabase_admin', settings: {}, statements })).rejects.toMatchObject({
    code: '42501',
  })
  await expect(execute(pool, { role: 'nobody here', settings: {}, statements })).rejects.toMatchObject({
    code: '22023',
  })
})

test('read only refuses writes, and the next request may write again', async () => {
  const statements = [{ text: `insert into orchard.fruit (name) values ('pear')` }]
  await expect(execute(pool, { ...theo, readOnly: true, statements })).rejects.toMatchObject({
    code: '25006',
  })
  expect(await execute(pool, { ...theo, statements })).toEqual([{ rows: [], count: 1 }])
})

test('the results may decide that nothing is kept', async () => {
  const statements = [{ text: `delete from orchard.fruit returning name` }]
  const [deleted] = await execute(pool, { ...theo, statements, decide: () => 'rollback' })
  expect(deleted?.rows).toEqual([['pear']])
  const refuse = () => {
    throw new Error('too many')
  }
  await expect(execute(pool, { ...theo, statements, decide: refuse })).rejects.toThrow('too many')
  expect((await names())[0]?.rows).toEqual([['pear']])
  await execute(pool, { ...theo, statements, decide: () => 'commit' })
  expect((await names())[0]?.rows).toEqual([])
})

test('a schema change under a prepared statement goes unnoticed', async () => {
  const statements = [{ text: 'select * from orchard.fruit' }]
  await execute(pool, { ...theo, statements })
  await db.database.pool.query('alter table orchard.fruit add column ripe boolean default true')
  expect((await execute(pool, { ...theo, statements }))[0]?.count).toBe(0)
})

test('statements are parsed once, and only the recent ones stay prepared', async () => {
  for (let i = 0; i < 300; i++) {
    await execute(pool, { ...theo, statements: [{ text: `select ${i}` }] })
    if (i % 10 === 0) {
      await execute(pool, { ...theo, statements: [{ text: `select ${i} / 0` }] }).catch(() => {})
    }
  }
  const { rows } = await pool.query('select count(*)::int as prepared from pg_prepared_statements')
  expect(rows[0].prepared).toBeLessThanOrEqual(201)
  expect(rows[0].prepared).toBeGreaterThan(150)
})

test('a connection that is ended reports it, and the pool goes on', async () => {
  await expect(
    execute(pool, {
      ...theo,
      statements: [{ text: 'select 1' }, { text: 'select pg_terminate_backend(pg_backend_pid())' }],
    }),
  ).rejects.toThrow()
  expect((await execute(pool, { ...theo, statements: [{ text: 'select 7' }] }))[0]?.rows).toEqual([['7']])
})
