// Checks of a restored or upgraded database: unreadable pages, and stored objects whose file is missing or has other
// bytes.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countRows, inspect } from '@meadowlark/server/backup/inspect.ts'
import { connectClient } from '@meadowlark/server/sql/client.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
const storage = mkdtempSync(join(tmpdir(), 'meadowlark-inspect-'))
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  rmSync(storage, { recursive: true })
  await database?.drop()
})

test('files are compared by their SHA-256 where it is known, else by their size', async () => {
  const client = await connectClient({ connectionString: database.url })
  const digests = new Map<string, string>()
  const store = async (name: string, bytes: string | null, was?: string) => {
    const version = randomUUID()
    await client.query(
      `insert into storage.objects (bucket_id, name, version, metadata) values ('shed', $1, $2, '{"size": 3}')`,
      [name, version],
    )
    const folder = join(storage, 'objects', version.slice(0, 2))
    mkdirSync(folder, { recursive: true })
    if (bytes !== null) writeFileSync(join(folder, version), bytes)
    if (was) digests.set(version, createHash('sha256').update(was).digest('hex'))
  }
  try {
    await client.query(`insert into storage.buckets (id, name) values ('shed', 'shed')`)
    await store('changed', 'oak', 'ash')
    await store('gone', null)
    await store('kept', 'ash', 'ash')
    await store('longer', 'maple')
    await store('unknown', 'elm')
    const { missing } = await inspect(client, storage, {}, digests)
    expect(missing).toEqual(['shed/changed', 'shed/gone', 'shed/longer'])
  } finally {
    await client.end()
  }
})

test('every page of a table is read, though an index knows the number of its rows, and so is what is long', async () => {
  const client = await connectClient({ connectionString: database.url })
  const pages = async () => {
    await client.query('select pg_stat_force_next_flush()')
    const { rows } = await client.query(
      `select relkind, pg_relation_size(oid) / 8192 as pages, pg_stat_get_blocks_fetched(oid) as read from pg_class
       where oid = 'private.hay'::regclass or oid = (select reltoastrelid from pg_class where oid = 'private.hay'::regclass)
       order by relkind`,
    )
    return rows.map(({ pages, read }) => ({ pages: Number(pages), read: Number(read) }))
  }
  try {
    await client.query(
      `create table private.hay (id integer primary key, straw text default repeat('straw', 200), bale text)`,
    )
    await client.query('alter table private.hay alter column bale set storage external')
    await client.query(
      `insert into private.hay (id, bale) select n, repeat('hay', n % 2 * 1000) from generate_series(1, 2000) n`,
    )
    // Only then an index is enough to count rows by.
    await client.query('vacuum analyze private.hay')
    const before = await pages()
    expect((await countRows(client))['private.hay']).toBe(2000)
    const after = await pages()
    expect(after.length).toBe(2)
    for (const [at, { pages, read }] of after.entries())
      expect(read - (before[at]?.read ?? 0)).toBeGreaterThanOrEqual(pages)
  } finally {
    await client.query('drop table if exists private.hay')
    await client.end()
  }
})
