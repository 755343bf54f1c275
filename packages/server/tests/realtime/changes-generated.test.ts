// Columns that the log does not have by itself: generated ones, and unchanged values that are stored out of line.
import { randomBytes } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withMissingValues } from '../../src/realtime/changes/missing-values.ts'
import { createTables } from '../../src/realtime/changes/tables.ts'
import type { RowChange } from '../../src/realtime/changes/wal.ts'
import { stranger } from '../support/people.ts'
import { listen, rejection } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const { server } = serverFor(`
    create table public.orders (
      id int primary key, price numeric, total numeric generated always as (price * amount) stored, amount int not null default 1,
      cost numeric generated always as (price / 2) stored, body text, label text generated always as ('order ' || id::text) stored
    );
    revoke all on public.orders from anon;
    grant select (id, price, total, amount, body, label) on public.orders to anon;
    create table public.whole (id int primary key, n int, body text);
    alter table public.whole replica identity full;
    create table public.narrow (id int primary key, n int, twice int generated always as (n * 2) stored);
    create table public.keyless (n int, twice int generated always as (n * 2) stored);
    grant select on public.whole, public.narrow, public.keyless to anon;
    alter publication supabase_realtime add table public.orders, public.whole, public.narrow (id, n), public.keyless`)
let client: SupabaseClient
const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)
let version: number

beforeAll(async () => {
  client = stranger(server)
  const { rows } = await sql(`select current_setting('server_version_num')::int / 10000 as version`)
  version = rows[0].version
  if (version >= 18)
    await sql(
      'create table public.doubles (id int primary key, double int generated always as (id * 2) virtual)',
    )
  else await sql('create table public.doubles (id int primary key)')
  await sql(
    'grant select on public.doubles to anon; alter publication supabase_realtime add table public.doubles',
  )
})
afterAll(() => client.removeAllChannels())

const publish = async (which: 'stored' | 'none') => {
  if (version >= 18)
    await sql(`alter publication supabase_realtime set (publish_generated_columns = ${which})`)
}
/** Noise, which PostgreSQL cannot compress. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex')

describe.each(['stored', 'none'] as const)('generated columns, published: %s', (which) => {
  beforeAll(async () => {
    await publish(which)
    await sql('truncate public.orders')
  })

  test('are in the row, in the order of the table, and a filter on one fires', async () => {
    const all = await listen(client, { table: 'orders' })
    const large = await listen(client, { table: 'orders', filter: 'total=gt.100' })
    const named = await listen(client, {
      table: 'orders',
      filter: 'label=eq.order 2',
      select: ['id', 'total'],
    })
    await sql(`insert into public.orders (id, price, amount) values (1, 30, 2), (2, 60, 2)`)
    await all.until(2)
    await sql(`update public.orders set amount = 4 where id = 1`)
    const [first, second, third] = await all.until(3)
    expect(first?.new).toEqual({ id: 1, price: 30, total: 60, amount: 2, body: null, label: 'order 1' })
    expect(Object.keys(first?.new ?? {})).toEqual(['id', 'price', 'total', 'amount', 'body', 'label'])
    expect(second?.new).toMatchObject({ id: 2, total: 120 })
    expect(third?.new).toMatchObject({ id: 1, total: 120, label: 'order 1' })
    expect((await large.until(2)).map((event) => [event.eventType, event.new.id])).toEqual([
      ['INSERT', 2],
      ['UPDATE', 1],
    ])
    expect((await named.until(1)).map((event) => event.new)).toEqual([{ id: 2, total: 120 }])
  })

  test('come of every row of one transaction', async () => {
    const received = await listen(client, { table: 'orders', filter: 'total=eq.700' })
    await sql(
      `insert into public.orders (id, price, amount) select n, 7, case when n % 2 = 0 then 100 else 1 end from generate_series(1000, 1499) n`,
    )
    expect(await received.until(250)).toHaveLength(250)
  })
})

test('the server has PostgreSQL 18 publish them from its start on', async () => {
  // Each describe above has set it since; what a start does is seen by another server's.
  await publish('none')
  const { createChanges } = await import('../../src/realtime/changes/changes.ts')
  const changes = createChanges(server.services)
  if (version >= 18) {
    await expect
      .poll(
        async () =>
          (await sql(`select pubgencols from pg_publication where pubname = 'supabase_realtime'`)).rows,
      )
      .toEqual([{ pubgencols: 's' }])
  }
  await changes.stop()
})

test('a column that the publication leaves out stays out, and a table without a key is served as before', async () => {
  await publish('none')
  const received = await listen(client, { table: 'narrow' }, { table: 'keyless' })
  await sql('insert into public.narrow (id, n) values (1, 2)')
  await sql('insert into public.keyless (n) values (1)')
  expect((await received.until(2)).map((event) => event.new)).toEqual([{ id: 1, n: 2 }, {}])
  expect(await rejection(client, { table: 'orders', filter: 'cost=gt.1' })).toMatch(
    /invalid column for filter cost/,
  )
})

describe('an unchanged value that is stored out of line', () => {
  test('is read from the table up to 64 kB, and is absent above', async () => {
    const [small, large] = [noise(20_000), noise(100_000)]
    await sql('insert into public.orders (id, price, body) values (10, 1, $1), (11, 1, $2)', [small, large])
    const received = await listen(client, { table: 'orders', event: 'UPDATE' })
    const filtered = await listen(client, {
      table: 'orders',
      event: 'UPDATE',
      filter: `body=like.${small.slice(0, 20)}%`,
    })
    await sql('update public.orders set price = 2 where id in (10, 11)')
    const [first, second] = await received.until(2)
    expect(first?.new).toMatchObject({ id: 10, price: 2, total: 2, body: small })
    expect(second?.new).toMatchObject({ id: 11, price: 2, total: 2 })
    expect(second?.new).not.toHaveProperty('body')
    expect(second?.errors).toBeNull()
    expect(await filtered.until(1)).toHaveLength(1)
  })

  test('comes from the old row where the replica identity is full, whatever its size', async () => {
    const body = noise(300_000)
    await sql('insert into public.whole values (1, 1, $1)', [body])
    const received = await listen(client, { table: 'whole', event: 'UPDATE' })
    await sql('update public.whole set n = 2')
    const [event] = await received.until(1)
    expect(event?.new).toEqual({ id: 1, n: 2, body })
    expect(event?.old).toEqual({ id: 1, n: 1, body })
  })

  test('is not taken from a row that another transaction has changed since', async () => {
    await sql('insert into public.orders (id, price, body) values (20, 1, $1)', [noise(10_000)])
    const { rows } = await sql(
      `select 'public.orders'::regclass::oid::int as oid, xmin::text::int8::int as xid from public.orders where id = 20`,
    )
    const column = (name: string, typeOid: number) => ({
      name,
      typeOid,
      typeMod: -1,
      typeSchema: null,
      typeName: null,
      flags: 0,
      parser: String,
    })
    const change = (xid: number): RowChange => ({
      type: 'UPDATE',
      record: { id: '20', price: '1', body: undefined },
      old: { id: '20' },
      xid,
      committedAt: '',
      size: 3,
      relation: {
        tag: 'relation',
        relationOid: rows[0].oid,
        schema: 'public',
        name: 'orders',
        replicaIdentity: 'default',
        keyColumns: ['id'],
        columns: [column('id', 23), column('price', 1700), column('body', 25)],
      },
    })
    const options = {
      tables: createTables(server.database.pool, 'supabase_realtime'),
      pool: server.database.pool,
      log: server.services.log,
    }
    const [own, older] = await withMissingValues(options, [change(rows[0].xid), change(rows[0].xid - 1)])
    expect(own?.record?.body).toHaveLength(10_000)
    expect(own?.record).toMatchObject({ total: '1', label: 'order 20' })
    expect(older).toEqual(change(rows[0].xid - 1))
  })
})

test('virtual columns are read from the table', async () => {
  if (version < 18) return
  const received = await listen(client, { table: 'doubles', filter: 'double=eq.8' })
  await sql('insert into public.doubles (id) values (3), (4)')
  expect((await received.until(1)).map((event) => event.new)).toEqual([{ id: 4, double: 8 }])
})
