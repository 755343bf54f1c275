// Requests as a role: one transaction each, settings that end with it, statements that stay prepared; and the owner's
// connections, on which nobody becomes more than the API may.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openRequestDatabase } from '../../src/sql/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let requests: Database

beforeAll(async () => {
  db = await createTestDatabase()
  requests = openRequestDatabase(db.url, { max: 1 })
  await db.database.pool.query(`
    create schema sample;
    grant usage on schema sample to anon, authenticated;
    create table sample.fruit (name text primary key, owner text default auth.uid()::text);
    grant select, insert, delete on sample.fruit to authenticated;
  `)
})
afterAll(async () => {
  await requests.close()
  await db.drop()
})

const SETTINGS = { 'request.jwt.claims': '{"sub":"6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10"}' }
const asTheo = () => requests.as({ role: 'authenticated' }, SETTINGS)
const names = () => asTheo().query([{ text: 'select name from sample.fruit order by 1' }])

test('the role and claims hold for the statements and no longer', async () => {
  const [first] = await asTheo().query([
    { text: 'select current_user, auth.uid()::text, $1::int + 1', values: ['41'] },
  ])
  expect(first).toEqual({ rows: [['authenticated', '6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10', '42']], count: 1 })
  const { rows } = await requests.pool.query(
    `select current_user, current_setting('request.jwt.claims', true) as claims`,
  )
  expect(rows[0]).toEqual({ current_user: 'authenticator', claims: '' })
})

test('a failing statement takes the whole group with it', async () => {
  const insert = { text: 'insert into sample.fruit (name) values ($1)', values: ['apple'] }
  await expect(asTheo().query([insert, insert])).rejects.toMatchObject({
    code: '23505',
  })
  expect((await names())[0]?.rows).toEqual([])
})

test('a role that authenticator was not granted is refused', async () => {
  const statements = [{ text: 'select 1' }]
  await expect(requests.as({ role: 'supabase_admin' }).query(statements)).rejects.toMatchObject({
    code: '42501',
  })
  await expect(requests.as({ role: 'nobody here' }).query(statements)).rejects.toMatchObject({
    code: '22023',
  })
})

test('read only refuses writes, and the next request may write again', async () => {
  const statements = [{ text: `insert into sample.fruit (name) values ('pear')` }]
  await expect(asTheo().query(statements, { readOnly: true })).rejects.toMatchObject({
    code: '25006',
  })
  expect(await asTheo().query(statements)).toEqual([{ rows: [], count: 1 }])
})

test('of a dry run nothing is kept, whether it succeeds or fails', async () => {
  const statements = [{ text: `delete from sample.fruit returning name` }]
  expect((await asTheo().dryRun(statements))[0]?.rows).toEqual([['pear']])
  const failing = [...statements, { text: 'select 1 / 0' }]
  await expect(asTheo().dryRun(failing)).rejects.toMatchObject({ code: '22012' })
  expect((await names())[0]?.rows).toEqual([['pear']])
  const inOne = await asTheo().query(statements, { isolation: 'serializable' })
  expect(inOne).toEqual([{ rows: [['pear']], count: 1 }])
  expect((await names())[0]?.rows).toEqual([])
})

test('statements and transactions of a caller may do some things as the owner', async () => {
  const who = 'select current_user, auth.uid() is null'
  const theo = db.database.as({ role: 'authenticated' }, SETTINGS)
  const [owner] = (await db.database.pool.query('select current_user')).rows
  const results = await theo.query([{ as: 'owner', text: who }, { text: who }, { as: 'owner', text: who }])
  expect(results.map(({ rows }) => rows[0]?.[0])).toEqual([
    owner.current_user,
    'authenticated',
    owner.current_user,
  ])
  // All at once: none of them gets another's role.
  const users = await theo.transaction(async ({ asCaller, asOwner }) => {
    const all = [asOwner, asCaller, asCaller, asOwner, asOwner, asCaller].map((query) => query(who))
    return (await Promise.all(all)).map(({ rows }) => rows[0]?.current_user === 'authenticated')
  })
  expect(users).toEqual([false, true, true, false, false, true])
  const { rows } = await db.database.pool.query(who)
  expect(rows[0].current_user).toBe(owner.current_user)
})

test('on the owner’s connections nobody becomes what authenticator may not', async () => {
  const refused = { code: '42501', message: expect.stringContaining('permission denied to set role') }
  for (const role of ['supabase_admin', 'postgres', 'none', 'nobody here']) {
    const nobody = db.database.as({ role }, SETTINGS)
    await expect(nobody.query([{ text: 'select 1' }])).rejects.toMatchObject(refused)
    await expect(nobody.dryRun([{ text: 'select 1' }])).rejects.toMatchObject(refused)
    await expect(nobody.transaction(({ asCaller }) => asCaller('select 1'))).rejects.toMatchObject(refused)
  }
  await db.database.pool.query('create role helper; grant helper to authenticator')
  const [result] = await db.database.as({ role: 'helper' }).query([{ text: 'select current_user' }])
  expect(result?.rows).toEqual([['helper']])
  await db.database.pool.query('drop role helper')
})

test('a transaction that fails keeps nothing, and its connection goes on', async () => {
  const failing = asTheo().transaction(async ({ asCaller }) => {
    await asCaller(`insert into sample.fruit (name) values ('plum')`)
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect((await names())[0]?.rows).toEqual([])
})

test('a schema change under a prepared statement goes unnoticed', async () => {
  const statements = [{ text: 'select * from sample.fruit' }]
  await asTheo().query(statements)
  await db.database.pool.query('alter table sample.fruit add column ripe boolean default true')
  expect((await asTheo().query(statements))[0]?.count).toBe(0)
})

test('statements are parsed once, and only the recent ones stay prepared', async () => {
  for (let i = 0; i < 300; i++) {
    await asTheo().query([{ text: `select ${i}` }])
    if (i % 10 === 0) {
      await asTheo()
        .query([{ text: `select ${i} / 0` }])
        .catch(() => {})
    }
  }
  const { rows } = await requests.pool.query('select count(*)::int as prepared from pg_prepared_statements')
  expect(rows[0].prepared).toBeLessThanOrEqual(201)
  expect(rows[0].prepared).toBeGreaterThan(150)
})

test('a connection that is ended reports it, and the pool goes on', async () => {
  await expect(
    asTheo().query([{ text: 'select 1' }, { text: 'select pg_terminate_backend(pg_backend_pid())' }]),
  ).rejects.toThrow()
  expect((await asTheo().query([{ text: 'select 7' }]))[0]?.rows).toEqual([['7']])
})
