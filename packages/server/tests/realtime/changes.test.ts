// postgres_changes through supabase-js: which events arrive, in which form, with which columns.
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    create table public.walnuts (id int);
    create schema sample;
    grant usage on schema sample to anon;
    create table sample.apples (id int primary key);
    grant select on public.pears, public.plums, public.walnuts, sample.apples to anon;
    revoke all on public.figs from anon, authenticated;
    grant select (id, name) on public.figs to anon;
    grant select on public.figs to service_role;
    create table public.keyless (id int primary key, name text);
    revoke all on public.keyless from anon;
    grant select (name) on public.keyless to anon;
    alter publication supabase_realtime add table public.pears, public.plums, public.figs, public.walnuts,
      public.keyless, sample.apples;
    create table public.unpublished (id int primary key);`)
let client: SupabaseClient

beforeAll(() => {
  client = stranger(server)
})
afterAll(() => client.removeAllChannels())

const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

describe('events', () => {
  test('tell what was inserted, updated and deleted', async () => {
    const received = await listen(client, { table: 'pears' })
    await sql(`insert into pears (id, name, weight) values (1, 'Conference', 1.5)`)
    await sql(`update pears set name = 'Comice' where id = 1`)
    await sql(`delete from pears where id = 1`)
    const rest = { ripe: null, state: null, tree: null }
    expect(await received.until(3)).toEqual([
      {
        schema: 'public',
        table: 'pears',
        eventType: 'INSERT',
        errors: null,
        commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        new: { id: 1, name: 'Conference', weight: 1.5, ...rest },
        old: {},
      },
      expect.objectContaining({
        eventType: 'UPDATE',
        new: { id: 1, name: 'Comice', weight: 1.5, ...rest },
        old: { id: 1 },
      }),
      expect.objectContaining({ eventType: 'DELETE', new: {}, old: { id: 1 } }),
    ])
  })

  test('come only of the requested kind', async () => {
    const inserts = await listen(client, { event: 'INSERT', table: 'pears' })
    const updates = await listen(client, { event: 'UPDATE', table: 'pears' })
    const deletes = await listen(client, { event: 'DELETE', table: 'pears' })
    await sql(
      `insert into pears (id) values (2); update pears set name = 'x' where id = 2; delete from pears where id = 2`,
    )
    await deletes.until(1)
    const kinds = [inserts, updates, deletes].map(({ events }) => events.map(({ eventType }) => eventType))
    expect(kinds).toEqual([['INSERT'], ['UPDATE'], ['DELETE']])
  })

  test('of every table of a schema, or of all schemas', async () => {
    const sample = await listen(client, { schema: 'sample' })
    const all = await listen(client, { schema: '*' })
    await sql(`insert into plums values (1, 'Victoria'); insert into sample.apples values (1)`)
    await all.until(2)
    expect(all.events.map(({ table }) => table)).toEqual(['plums', 'apples'])
    expect(sample.events.map(({ table }) => table)).toEqual(['apples'])
  })

  test('reach every binding of a channel that they meet', async () => {
    const received = await listen(
      client,
      { table: 'pears', filter: 'id=eq.3' },
      { table: 'pears', event: 'INSERT' },
      { table: 'plums' },
    )
    await sql(
      `insert into pears (id) values (3); insert into pears (id) values (4); insert into plums values (3)`,
    )
    const events = await received.until(4)
    expect(events.map(({ table, new: row }) => [table, row.id])).toEqual([
      ['pears', 3],
      ['pears', 3],
      ['pears', 4],
      ['plums', 3],
    ])
  })

  test('carry the whole old row where the replica identity is full', async () => {
    await sql(`insert into plums values (5, 'Czar')`)
    const received = await listen(
      client,
      { table: 'plums', event: 'UPDATE' },
      { table: 'plums', event: 'DELETE' },
    )
    await sql(`update plums set name = 'Opal' where id = 5; delete from plums where id = 5`)
    const events = await received.until(2)
    expect(events.map(({ old }) => old)).toEqual([
      { id: 5, name: 'Czar' },
      { id: 5, name: 'Opal' },
    ])
  })

  test('of one transaction arrive together and in order, and none of one that is rolled back', async () => {
    const received = await listen(client, { table: 'pears' })
    await server.database.transaction(async (connection) => {
      await connection.query('insert into pears (id) values (90)')
      await connection.query('rollback')
      await connection.query('begin')
      await connection.query('insert into pears (id) select generate_series(100, 399)')
    })
    const events = await received.until(300)
    expect(events.map(({ new: row }) => row.id)).toEqual(
      Array.from({ length: 300 }, (_, index) => 100 + index),
    )
    await sql('delete from pears')
  })
})

describe('columns', () => {
  test('without a grant are left out', async () => {
    const received = await listen(client, { table: 'figs' })
    await sql(`insert into figs values (1, 'Brunswick', 'sweet')`)
    await received.until(1)
    await sql(`grant select on figs to anon`)
    await sql(`insert into figs values (2, 'Smyrna', 'dry')`)
    await received.until(2)
    await sql(`revoke select on figs from anon; grant select (id, name) on figs to anon`)
    await sql(`insert into figs values (3, 'Kadota', 'mild')`)
    const events = await received.until(3)
    expect(events.map(({ new: row }) => row)).toEqual([
      { id: 1, name: 'Brunswick' },
      { id: 2, name: 'Smyrna', secret: 'dry' },
      { id: 3, name: 'Kadota' },
    ])
  })

  test("of one change are each reader's own, though all ask for the same", async () => {
    const everything = stranger(server, server.secretKey)
    const [all, some] = [await listen(everything, { table: 'figs' }), await listen(client, { table: 'figs' })]
    await sql(`insert into figs values (9, 'Panache', 'striped')`)
    const [[first], [second]] = [await all.until(1), await some.until(1)]
    expect([first?.new, second?.new]).toEqual([
      { id: 9, name: 'Panache', secret: 'striped' },
      { id: 9, name: 'Panache' },
    ])
    await everything.removeAllChannels()
  })

  test('are those selected, and the key', async () => {
    const received = await listen(
      client,
      { table: 'plums', select: ['name'] },
      { table: 'plums', event: 'INSERT' },
    )
    await sql(`insert into plums values (40, 'Jubileum')`)
    await sql(`delete from plums where id = 40`)
    const events = await received.until(3)
    expect(events.map((event) => [event.new, event.old])).toEqual([
      [{ id: 40, name: 'Jubileum' }, {}],
      [{ id: 40, name: 'Jubileum' }, {}],
      [{}, { id: 40, name: 'Jubileum' }],
    ])
  })

  test('of a table whose key may not be read become an error', async () => {
    const received = await listen(client, { table: 'keyless' })
    await sql(`insert into keyless values (1, 'Bartlett')`)
    expect(await received.until(1)).toEqual([
      expect.objectContaining({ new: {}, errors: ['Error 401: Unauthorized'] }),
    ])
  })

  test('of a table without a primary key become an error', async () => {
    const received = await listen(client, { table: 'walnuts' })
    await sql(`insert into walnuts values (1)`)
    const errors = ['Error 400: Bad Request, no primary key']
    expect(await received.until(1)).toEqual([expect.objectContaining({ new: {}, errors })])
  })

  test('that are too large are left out, with an error', async () => {
    const received = await listen(client, { table: 'plums' })
    await sql(`insert into plums values (50, repeat('x', 2000000))`)
    expect(await received.until(1)).toEqual([
      expect.objectContaining({ new: { id: 50 }, errors: ['Error 413: Payload Too Large'] }),
    ])
  })
})

describe('changes of the schema', () => {
  test('show in the next event', async () => {
    const received = await listen(client, { table: 'plums' })
    await sql(`alter table plums add column stone boolean default true`)
    await sql(`insert into plums values (60, 'Opal')`)
    await received.until(1)
    await sql(`alter table plums rename column stone to pit`)
    await sql(`insert into plums values (61, 'Czar')`)
    await received.until(2)
    await sql(`alter table plums drop column pit`)
    await sql(`insert into plums values (62, 'Blue')`)
    const events = await received.until(3)
    expect(events.map(({ new: row }) => row)).toEqual([
      { id: 60, name: 'Opal', stone: true },
      { id: 61, name: 'Czar', pit: true },
      { id: 62, name: 'Blue' },
    ])
  })

  test('of the publication show at once', async () => {
    const received = await listen(client, { schema: 'public' })
    await sql(`create table public.cherries (id int primary key); grant select on public.cherries to anon`)
    await sql(`insert into cherries values (1)`)
    await sql(`alter publication supabase_realtime add table public.cherries`)
    await sql(`insert into cherries values (2)`)
    const named = await listen(client, { table: 'cherries' })
    await sql(`insert into cherries values (3)`)
    await named.until(1)
    await received.until(2)
    expect(received.events.map(({ new: row }) => row.id)).toEqual([2, 3])
    await sql(`alter publication supabase_realtime drop table public.cherries`)
    await sql(`insert into cherries values (4)`)
    // A passed check is cached for a second.
    await eventually(async () =>
      (await rejection(client, { table: 'cherries' })).includes('Please check Realtime'),
    )
    expect(received.events).toHaveLength(2)
  })
})
