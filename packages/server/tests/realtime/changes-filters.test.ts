// postgres_changes through supabase-js: which rows a filter lets through, and which filters are refused.
import { postgresChangesFilter, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { stranger } from '../support/people.ts'
import { listen, rejection } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const { server } = serverFor(`
    create type public.ripeness as enum ('green', 'ripe', 'rotten');
    create table public.pears (
      id int primary key, name text, weight numeric, ripe boolean, state public.ripeness, tree uuid
    );
    create table public.plums (id int primary key, name text);
    create table public.figs (id int primary key, name text, secret text);
    alter table public.plums replica identity full;
    grant select on public.pears, public.plums to anon;
    revoke all on public.figs from anon, authenticated;
    grant select (id, name) on public.figs to anon;
    alter publication supabase_realtime add table public.pears, public.plums, public.figs;
    create table public.unpublished (id int primary key);`)
let client: SupabaseClient

beforeAll(() => {
  client = stranger(server)
})
afterAll(() => client.removeAllChannels())

const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

const tree = '7a0f2f6e-2f8b-4b8e-9f58-2a8d3f6f0a01'
/** Filter and the ids that meet it. */
const cases: [string, number[]][] = [
  ['id=eq.11', [11]],
  ['id=neq.11', [12, 13, 14]],
  ['id=lt.12', [11]],
  ['id=lte.12', [11, 12]],
  ['id=gt.13', [14]],
  ['id=gte.13', [13, 14]],
  ['id=in.(11,13,99)', [11, 13]],
  ['id=not.in.(11,13)', [12, 14]],
  ['id=not.eq.11', [12, 13, 14]],
  ['name=eq.Comice', [11]],
  ['name=in.("Comice","a, b (c) \\"d\\"")', [11, 12]],
  ['name=eq."a, b (c) \\"d\\""', [12]],
  ['name=like.C%', [11]],
  ['name=ilike.c%', [11, 13]],
  ['name=not.like.C%', [12, 13]],
  ['name=match.^C', [11]],
  ['name=imatch.^C', [11, 13]],
  ['name=gt.b', [13]],
  ['name=is.null', [14]],
  ['name=not.is.null', [11, 12, 13]],
  ['name=isdistinct.Comice', [12, 13, 14]],
  ['name=not.isdistinct.Comice', [11]],
  ['weight=eq.1.50', [11]],
  ['weight=gt.1', [11, 12]],
  ['weight=in.(1.500,2)', [11, 12]],
  ['ripe=is.true', [11]],
  ['ripe=is.unknown', [13, 14]],
  ['ripe=eq.false', [12]],
  ['state=eq.ripe', [11, 14]],
  ['state=gt.green', [11, 13, 14]],
  [`tree=eq.${tree.toUpperCase()}`, [11]],
  ['id=gt.11,ripe=eq.false', [12]],
  ['id=gt.10,name=in.("Comice",conference),weight=lt.1', [13]],
]

test('filters let through what PostgreSQL says meets them', async () => {
  const received = await Promise.all(
    cases.map(([filter]) => listen(client, { table: 'pears', filter, event: 'INSERT' })),
  )
  const last = await listen(client, { table: 'pears', filter: 'id=eq.15' })
  await sql(
    `insert into pears values (11, 'Comice', 1.5, true, 'ripe', $1), (12, 'a, b (c) "d"', 2, false, 'green', null),
       (13, 'conference', 0.5, null, 'rotten', null), (14, null, null, null, 'ripe', null)`,
    [tree],
  )
  await sql('insert into pears (id) values (15)')
  await last.until(1)
  const met = received.map(({ events }, index) => [
    cases[index]?.[0],
    events.map(({ new: row }) => row.id).filter((id) => id !== 15),
  ])
  expect(met).toEqual(cases)
  await client.removeAllChannels()
  await sql('delete from pears')
})

test('filters may be made with the builder of the client', async () => {
  const filter = postgresChangesFilter().gte('id', 16).not('name', 'in', ['a, b', 'c']).is('ripe', null)
  const received = await listen(client, { table: 'pears', filter: filter as unknown as string })
  await sql(`insert into pears (id, name, ripe) values (16, 'a, b', null), (17, 'd', true), (18, 'd', null)`)
  const events = await received.until(1)
  expect(events.map(({ new: row }) => row.id)).toEqual([18])
  await sql('delete from pears')
})

test('filters on one row each reach everybody, whatever the spelling of the value', async () => {
  const filters = [
    'id=eq.70',
    'id=eq.070',
    'id=eq. 70',
    'weight=eq.70',
    'weight=eq.70.0',
    'name=eq.70',
    'id=eq.71',
  ]
  const received = await Promise.all(filters.map((filter) => listen(client, { table: 'pears', filter })))
  await sql(`insert into pears (id, name, weight) values (70, '70', 70.00), (71, '071', 71)`)
  await received[6]?.until(1)
  await eventually(() => received[4]?.events.length === 1)
  expect(received.map(({ events }) => events.map(({ new: row }) => row.id))).toEqual([
    ...[[70], [70], [70], [70], [70], [70]],
    [71],
  ])
})

test('filters look at the new row of an update and the old one of a deletion', async () => {
  await sql(`insert into plums values (20, 'Opal'), (21, 'Czar')`)
  const filter = 'name=eq.Opal'
  const received = await listen(
    client,
    { table: 'plums', filter, event: 'UPDATE' },
    { table: 'plums', filter, event: 'DELETE' },
  )
  await sql(`update plums set name = 'Opal' where id = 21; update plums set name = 'Czar' where id = 20`)
  await sql(`delete from plums where id in (20, 21)`)
  const events = await received.until(2)
  expect(events.map(({ eventType, old }) => [eventType, old.id])).toEqual([
    ['UPDATE', 21],
    ['DELETE', 21],
  ])
})

test('filters on a column that the log does not hold let nothing through', async () => {
  await sql(`insert into pears (id, name) values (30, 'Comice')`)
  const byName = await listen(client, { table: 'pears', event: 'DELETE', filter: 'name=eq.Comice' })
  const byId = await listen(client, { table: 'pears', event: 'DELETE', filter: 'id=eq.30' })
  await sql('delete from pears where id = 30')
  await byId.until(1)
  expect(byName.events).toEqual([])
})

test.each([
  [{ table: 'pears', filter: 'colour=eq.red' }, /Exception: invalid column for filter colour/],
  [{ table: 'figs', filter: 'secret=eq.x' }, /Exception: invalid column for filter secret/],
  [{ table: 'pears', filter: 'id=eq.eleven' }, /Exception: invalid input syntax for type integer: "eleven"/],
  [{ table: 'pears', filter: 'id=eq.99999999999' }, /value "99999999999" is out of range for type integer/],
  [{ table: 'pears', filter: 'state=eq.blue' }, /invalid input value for enum/],
  [{ table: 'pears', filter: 'id=foo.1' }, /Error parsing `filter` params: \["foo", "1"\]/],
  [{ table: 'pears', filter: 'id=in.1,2' }, /`in` filter value must be wrapped by parentheses/],
  [{ table: 'pears', filter: 'id=eq.1,,id=eq.2' }, /must not contain empty segments/],
  [{ table: 'pears', filter: 'id=like.1%' }, /operator like is not supported on column id of type int4/],
  [{ table: 'pears', filter: 'name=match.(' }, /invalid regular expression/],
  [{ table: 'pears', filter: 'id=is.true' }, /is true filter requires a boolean column, got int4/],
  [{ table: 'pears', filter: `id=in.(${Array.from({ length: 101 }, (_, i) => i)})` }, /Maximum 100/],
  [{ table: 'pears', select: ['id', 'colour'] }, /Exception: invalid column for select colour/],
  [{ schema: '*', table: 'pears', select: ['id'] }, /Column selection is not supported for wildcard/],
  [
    { table: 'unpublished' },
    /Please check Realtime is enabled for the given connect parameters: \[event: \*, schema: public, table: unpublished/,
  ],
  [{ table: `x' or '1'='1` }, /Please check Realtime is enabled/],
])('filters that cannot be are refused with the reason: %j', async (filter, reason) => {
  expect(await rejection(client, filter)).toMatch(reason)
})

test('a column that is dropped may not be filtered by any longer', async () => {
  await sql(`create table public.dates (id int primary key, secret text); grant select on public.dates to anon;
    alter publication supabase_realtime add table public.dates`)
  const received = await listen(client, { table: 'dates', filter: 'secret=eq.sweet' }, { table: 'dates' })
  await sql('revoke select on dates from anon; grant select (id) on dates to anon')
  await sql(`insert into dates values (1, 'sweet')`)
  await received.until(1)
  await sql(`insert into dates values (2, 'dry')`)
  expect((await received.until(2)).map(({ new: row }) => row.id)).toEqual([1, 2])
})

test('a regular expression that keeps PostgreSQL busy is refused', async () => {
  const filter = { table: 'pears', filter: 'name=match.((([a-z]|\\w)*x*){0,250})' }
  expect(await rejection(client, filter)).toMatch(/canceling statement due to statement timeout/)
})

test('only so many regular expressions are listened with at once', async () => {
  const filters = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ table: 'pears', filter: `name=imatch.x${from + n}` }))
  const many = await listen(client, ...filters(0, 30))
  const again = await listen(client, ...filters(0, 30))
  expect(await rejection(client, ...filters(29, 31))).toMatch(/at most 30 different match and imatch filters/)
  await client.removeChannel(many.channel)
  expect(await rejection(client, ...filters(29, 31))).toMatch(/at most 30/)
  await client.removeChannel(again.channel)
  const other = await listen(client, ...filters(1, 31))
  await sql(`insert into pears (id, name) values (40, 'X9')`)
  expect((await other.until(1)).map((event) => event.new.name)).toEqual(['X9'])
})

test('only so many filters that PostgreSQL has to decide are listened with at once, however many listen', async () => {
  await client.removeAllChannels()
  const filters = (from: number, conditions: number) =>
    Array.from({ length: 5 }, (_, n) => ({
      table: 'pears',
      filter: Array.from({ length: conditions }, (_, m) => `name=like.${from + n}_${m}%`).join(','),
    }))
  expect(await rejection(client, ...filters(0, 100), { table: 'pears', filter: 'id=eq.1' })).toMatch(
    /the filters of one channel have at most 500 conditions/,
  )
  const many = [await listen(client, ...filters(0, 100)), await listen(client, ...filters(5, 100))]
  many.push(await listen(client, ...filters(10, 100)), await listen(client, ...filters(15, 100)))
  // The same again costs nothing more, nor does what is decided without PostgreSQL.
  const [same, plain] = [
    await listen(client, ...filters(0, 100)),
    await listen(client, { table: 'pears', filter: 'id=eq.1' }),
  ]
  expect(await rejection(client, ...filters(20, 1))).toMatch(
    /at most 2000 filters that PostgreSQL has to decide are listened to at once/,
  )
  for (const { channel } of many.slice(1)) await client.removeChannel(channel)
  const more = await listen(client, ...filters(20, 1))
  for (const { channel } of [...many, same, plain, more]) await client.removeChannel(channel)
})
