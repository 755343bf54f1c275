// Every kind of value as an event carries it, compared with PostgreSQL's own to_jsonb() of the same row.

import type { SupabaseClient } from '@supabase/supabase-js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChanges } from '../../src/realtime/changes/changes.ts'
import type { ChangePayload } from '../../src/realtime/changes/contract.ts'
import { type Database, openDatabase } from '../../src/sql/database.ts'
import { eventually } from '../support/eventually.ts'
import { stranger } from '../support/people.ts'
import { listen } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const { server } = serverFor(`
    create extension citext with schema extensions;
    create type public.size as enum ('small', 'large');
    create type public.place as (street text, number int, at timestamptz);
    create domain public.grade as int check (value > 0);
    create domain public.names as text[];
    create type public.tagged as (tag text);
    create function public.tagged_json(public.tagged) returns json language sql immutable
      as $$ select json_build_object('tagged', ($1).tag) $$;
    create cast (public.tagged as json) with function public.tagged_json(public.tagged);
    create table public.baskets (
      id bigint primary key,
      small int2, whole int4, long int8, object oid, real float4, double float8, number numeric, cash money,
      truth bool, words text, limited varchar(20), fixed char(4), tag name, either extensions.citext,
      raw bytea, doc json, docb jsonb, unique_id uuid,
      day date, clock time, zoned timetz, moment timestamp, instant timestamptz, span interval,
      address inet, mac macaddr, bits bit(3), area point, path tsvector, during tstzrange, many int4multirange,
      kind public.size, home public.place, graded public.grade, named public.names, labelled public.tagged,
      numbers int[], grid numeric[], texts text[], moments timestamptz[], docs jsonb[], kinds public.size[],
      homes public.place[], truths bool[]
    );
    grant select on public.baskets to anon;
    alter publication supabase_realtime add table public.baskets`)
let client: SupabaseClient
let changes: ReturnType<typeof createChanges>
let fresh: Database
const payloads: ChangePayload[] = []

beforeAll(async () => {
  client = stranger(server)
  // Not UTC, as here in Saskatchewan.
  await server.database.pool.query(`do $$ begin
    execute format('alter database %I set timezone = ''America/Regina''', current_database());
  end $$`)
  fresh = openDatabase(server.database.url)
  changes = createChanges({ ...server.services, database: fresh })
  // The stream waits for open transactions of the whole cluster, and a subscription waits for it no longer than a client would.
  await changes.ready(60_000)
  await changes.subscribe(
    { role: 'anon', claims: {} },
    [{ event: 'INSERT', schema: 'public', table: 'baskets' }],
    { onChange: (_, { payload }) => payloads.push(payload), onResync: () => {} },
  )
})
afterAll(async () => {
  await client.removeAllChannels()
  await changes.stop()
  await fresh.close()
})

/** Inserts, and compares what is received with the row as PostgreSQL writes it. */
async function compare(columns: string, values: string, parameters: unknown[] = []) {
  const id = ++inserted
  await server.database.pool.query(
    `insert into baskets (id, ${columns}) values (${id}, ${values})`,
    parameters,
  )
  await eventually(() => payloads.length >= id, 60_000, 2)
  const rows = await server.database.transaction(async (connection) => {
    await connection.query(`set local timezone = 'America/Regina'`)
    const written = `to_jsonb(b) - 'raw' || jsonb_build_object('raw', raw::text)`
    return (await connection.query(`select ${written} as json from baskets b where id = $1`, [id])).rows
  })
  expect(payloads[id - 1]?.record).toEqual(rows[0].json)
}
let inserted = 0

test.each([
  [
    'numbers',
    'small, whole, long, object, real, double, number, cash',
    `-1, 2, 9007199254740993, 4000000000, 1.5, 1e300, 123456789012345678901234567890.12, 12.34`,
  ],
  ['numbers at their ends', 'real, double, number', `'-Infinity', 'NaN', 'NaN'`],
  ['small numbers', 'real, double, number', `1e-20, 1.7976931348623157e308, 0.000000000000000000001`],
  ['truth', 'truth', 'true'],
  [
    'words',
    'words, limited, fixed, tag, either',
    `E'a "quoted"\\n\\u2028 word \\\\', 'x', 'ab', 'n', 'Mixed'`,
  ],
  ['bytes', 'raw', `'\\xdeadbeef'`],
  ['documents', 'doc, docb', `'{"a": [1, 2.50, null], "b": {"c": "d"}}', '"text"'`],
  ['json null', 'doc, docb', `'null', 'null'`],
  ['an id', 'unique_id', `'7A0F2F6E-2F8B-4B8E-9F58-2A8D3F6F0A01'`],
  [
    'times',
    'day, clock, zoned, moment, instant, span',
    `'2026-02-28', '23:59:59.5', '12:00+05:30', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05-06', '1 day 02:00'`,
  ],
  ['times at their ends', 'day, moment, instant', `'infinity', '-infinity', 'infinity'`],
  [
    'times before Christ',
    'day, moment, instant',
    `'0044-03-15 BC', '0044-03-15 12:00 BC', '0044-03-15 12:00+00 BC'`,
  ],
  [
    'addresses and shapes',
    'address, mac, bits, area, path, during, many',
    `'10.0.0.1/8', '08:00:2b:01:02:03', '101', '(1,2)', 'a:1 b:2', '[2026-01-01,2026-01-02)', '{[1,3),[5,7)}'`,
  ],
  [
    'own types',
    'kind, home, graded, named, labelled',
    `'large', '("Main St, 1",5,"2026-01-02 03:04:05+00")', 3, '{a,"b c"}', '(x)'`,
  ],
  [
    'arrays',
    'numbers, grid, texts, moments, docs, kinds, homes, truths',
    `'{1,null,3}', '{{1.50,2},{3,4}}', '{"a,b","c\\"d",NULL,"NULL",""}', '{"2026-01-02 03:04:05+00"}', array['{"a":1}'::jsonb], '{small}', array['(a,1,)'::public.place], '{t,f}'`,
  ],
  ['empty arrays', 'numbers, texts, homes', `'{}', '{}', '{}'`],
])('%s', (_, columns, values) => compare(columns, values))

test('whatever words, numbers and lists there are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 50 }).filter((text) => !text.includes('\0')),
      fc.double({ noNaN: false }),
      fc.array(fc.option(fc.string().filter((text) => !text.includes('\0'))), { maxLength: 5 }),
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes('\\u0000')),
      fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (words, double, texts, docb, instant) =>
        compare('words, double, texts, docb, instant', '$1, $2, $3, $4, $5', [
          ...[words, String(double), texts, JSON.stringify(docb), instant.toISOString()],
        ]),
    ),
    { numRuns: 60 },
  )
})

test('columns are sent with the names of their types', async () => {
  const [first] = payloads
  const types = Object.fromEntries((first?.columns ?? []).map(({ name, type }) => [name, type]))
  expect(types).toMatchObject({
    id: 'int8',
    numbers: '_int4',
    kind: 'size',
    home: 'place',
    graded: 'grade',
    docb: 'jsonb',
  })
})

test('a value too long for its row is there when it changed, and left out when not', async () => {
  const received = await listen(client, { table: 'baskets', event: 'UPDATE' })
  await server.database.pool.query(`alter table baskets alter column words set storage external`)
  await server.database.pool.query(`insert into baskets (id, words) values (1000000, repeat('long', 5000))`)
  await server.database.pool.query(`update baskets set whole = 1 where id = 1000000`)
  await server.database.pool.query(`update baskets set words = repeat('new', 5000) where id = 1000000`)
  await server.database.pool.query(`alter table baskets replica identity full`)
  await server.database.pool.query(`update baskets set whole = 2 where id = 1000000`)
  const events = await received.until(3)
  expect(events.map(({ new: row }) => [row.whole, row.words])).toEqual([
    [1, undefined],
    [1, 'new'.repeat(5000)],
    [2, 'new'.repeat(5000)],
  ])
})
