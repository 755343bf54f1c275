// Transactions that are under way together commit without waiting for the disk, and are told of once it has them.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommitFlush } from '../../../server/sql/commit-flush.ts'
import { type Database, openDatabase } from '../../../server/sql/database.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase
let database: Database

beforeAll(async () => {
  db = await createTestDatabase()
  database = openDatabase(db.url, {
    ...{ max: 3, shareFlush: true },
    // The tests' cluster waits for no disk.
    settings: { synchronous_commit: 'on' },
  })
  await database.pool.query('create table public.apples (id int primary key)')
})
afterAll(async () => {
  await database?.close()
  await db?.drop()
})

/** Where the log of changes ends; null where the transaction has written nothing. */
const WRITTEN_UP_TO = 'select pg_current_wal_insert_lsn() as lsn, current_setting($1) as commit'

async function pick(id: number) {
  const { lsn, commit } = await database.transaction(async (client) => {
    await client.query('insert into public.apples values ($1)', [id])
    return (await client.query(WRITTEN_UP_TO, ['synchronous_commit'])).rows[0]
  })
  const { rows } = await db.database.pool.query('select pg_current_wal_flush_lsn() >= $1 as "onDisk"', [lsn])
  return { commit, onDisk: rows[0].onDisk }
}

test('what is told of is on disk, whether it came alone or with others', async () => {
  expect(await pick(1)).toEqual({ commit: 'on', onDisk: true })
  const many = await Promise.all(Array.from({ length: 30 }, (_, n) => pick(n + 2)))
  expect(many.filter(({ onDisk }) => !onDisk)).toEqual([])
  expect(many.filter(({ commit }) => commit === 'off')).toHaveLength(29)
  expect(await pick(100)).toEqual({ commit: 'on', onDisk: true })
})

test('one that fails is undone and stops no other', async () => {
  const outcomes = await Promise.allSettled([pick(201), pick(1), pick(202), pick(203)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  const { rows } = await database.pool.query('select id from public.apples where id > 200 order by id')
  expect(rows.map(({ id }) => id)).toEqual([201, 202, 203])
})

test('nobody is told of what may not be on disk; who has written nothing waits for nothing', async () => {
  const away = new pg.Pool({ connectionString: 'postgresql://127.0.0.1:1/nowhere' })
  const commits = new CommitFlush(away)
  const transaction = (written: boolean) =>
    commits
      .run(async (together) => ({ result: together, written }))
      .then(({ result, onDisk }) => ({
        ...{ together: result },
        onDisk: onDisk?.then(
          () => 'known',
          (error: Error) => (error as Error & { code: string }).code,
        ),
      }))
  const [alone, reader, writer] = await Promise.all([
    transaction(true),
    transaction(false),
    transaction(true),
  ])
  expect([alone, reader].map(({ onDisk }) => onDisk)).toEqual([undefined, undefined])
  expect(await writer?.onDisk).toBe('ECONNREFUSED')
  // The next one tries again.
  const [, later] = await Promise.all([transaction(true), transaction(true)])
  expect(await later?.onDisk).toBe('ECONNREFUSED')
  await commits.close()
})
