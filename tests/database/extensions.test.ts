// Extensions that stand in for Supabase's: creating one shows a notice of its limits.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let client: pg.Client
const warnings: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  client.on('notice', ({ severity, message = '' }) => {
    if (severity === 'WARNING') warnings.push(message)
  })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

async function warningsOf(extension: string): Promise<string[]> {
  warnings.length = 0
  await client.query(`drop extension if exists ${extension} cascade`)
  await client.query(`create extension ${extension}`)
  return [...warnings]
}

test('a queue of pgmq is made anew after the extension was dropped, as `supabase migration down` does', async () => {
  await client.query(`select pgmq.create('crates')`)
  await client.query('drop extension pgmq cascade')
  await client.query('create extension pgmq')
  await client.query(`select pgmq.create('crates')`)
  const { rows } = await client.query(`select queue_name, queue_length from pgmq.metrics('crates')`)
  expect(rows).toEqual([{ queue_name: 'crates', queue_length: '0' }])
})

test.each([
  ['vector', /row by row, indexes \(hnsw, ivfflat\) are accepted and not used/],
  ['pg_cron', /in UTC, and nothing runs while no server does/],
  ['pg_net', /nothing is sent while no server runs/],
  ['pgmq', /queues cannot be partitioned/],
  ['pg_graphql', /GraphQL is not answered here/],
  ['hypopg', /present in name only/],
  ['pgtap', /present in name only/],
])('%s says what it cannot do when it is created', async (extension, words) => {
  const told = await warningsOf(extension)
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(words)
})

test('one that does all of it says nothing', async () => {
  expect(await warningsOf('pgjwt')).toEqual([])
})

test('an index of vector is accepted and not used, as it was said', async () => {
  await client.query(`
    create extension if not exists vector;
    create table public.measured (place vector(3));
    insert into public.measured select '[1,2,3]' from generate_series(1, 100);
    create index on public.measured using hnsw (place vector_l2_ops);
    set enable_seqscan = off`)
  const { rows } = await client.query(
    `explain select * from public.measured order by place <-> '[0,0,0]' limit 1`,
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Seq Scan on measured/)
})
