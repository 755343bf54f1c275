// Writing through postgrest-js: insert and upsert, and what comes back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Fixture, freshItems, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())
beforeEach(() => freshItems(fixture))

const stored = (columns = 'id, name') => fixture.sql(`select ${columns} from api.items order by id`)

const send: Fixture['send'] = (...request) => fixture.send(...request)

describe('insert', () => {
  test('one row, with nothing back, with the row back, with an embed back', async () => {
    const plain = await fixture.api.from('items').insert({ name: 'plain' })
    expect([plain.status, plain.data, plain.error]).toEqual([201, null, null])
    const shown = await fixture.api
      .from('items')
      .insert({ name: 'shown', amount: 1.5 })
      .select('name,amount,extra')
      .single()
    expect(shown.data).toEqual({ name: 'shown', amount: 1.5, extra: { made: 'here' } })
    const embedded = await fixture.api
      .from('projects')
      .insert({ id: 50, name: 'New', client_id: 2 })
      .select('name,clients(name),upper_name')
    expect(embedded.data).toEqual([{ name: 'New', upper_name: 'NEW', clients: { name: 'Apple' } }])
    await fixture.sql('delete from api.projects where id = 50')
  })

  test('many rows, their columns united', async () => {
    const { data, count } = await fixture.api
      .from('items')
      .insert([{ name: 'x' }, { slug: 'y', name: 'y' }], { count: 'exact' })
      .select('name,slug')
    expect(data).toEqual([
      { name: 'x', slug: null },
      { name: 'y', slug: 'y' },
    ])
    expect(count).toBe(2)
  })

  test('missing keys can take their defaults, null ones do not', async () => {
    const { data } = await fixture.api
      .from('items')
      .insert([{ slug: 'd1' }, { slug: 'd2', name: 'named', extra: null }], { defaultToNull: false })
      .select('slug,name,extra')
    expect(data).toEqual([
      { slug: 'd1', name: 'unnamed', extra: { made: 'here' } },
      { slug: 'd2', name: 'named', extra: null },
    ])
    const nulls = await fixture.api.from('items').insert([{ slug: 'd3' }, { slug: 'd4', name: 'n' }])
    expect(nulls.error?.code).toBe('23502')
    const one = await send('POST', '/items?columns=name,slug', {
      body: { slug: 'd5' },
      headers: { prefer: 'missing=default, return=representation' },
    })
    expect(await one.json()).toMatchObject([{ slug: 'd5', name: 'unnamed' }])
    expect(one.headers.get('preference-applied')).toBe('missing=default, return=representation')
  })

  test('defaults are drawn anew for every row, also for one that does not need it', async () => {
    await fixture.sql(`
      create table api.drawn (
        id serial primary key, code uuid not null default gen_random_uuid(), at timestamptz default clock_timestamp(),
        pgrst_default_0 int default 7
      )`)
    await fixture.reload()
    const { data, error } = await fixture.api
      .from('drawn')
      .insert([{ id: 50, code: '00000000-0000-4000-8000-000000000001' }, {}, { at: null }, { code: null }], {
        defaultToNull: false,
      })
      .select()
    expect([data, error?.code]).toEqual([null, '23502'])
    const headers = { prefer: 'missing=default, return=representation' }
    const made = await send('POST', '/drawn?columns=id,code,at,pgrst_default_0', {
      headers,
      body: [{ id: 60 }, { at: null }, { pgrst_default_0: 1 }, {}],
    })
    const rows = (await made.json()) as { id: number; code: string; at: string; pgrst_default_0: number }[]
    // Four were drawn for the rows that were refused, and one each for these.
    expect(rows.map(({ id }) => id)).toEqual([60, 6, 7, 8])
    expect(new Set(rows.map(({ code }) => code)).size).toBe(4)
    expect(new Set(rows.map(({ at }) => at)).size).toBe(4)
    expect(rows.map((row) => row.pgrst_default_0)).toEqual([7, 7, 1, 7])
  })

  test('empty objects make rows of defaults, an empty list makes none', async () => {
    const one = await fixture.api.from('items').insert({}).select('name')
    expect(one.data).toEqual([{ name: 'unnamed' }])
    const two = await send('POST', '/items', { body: [{}, {}], headers: { prefer: 'return=representation' } })
    expect(await two.json()).toHaveLength(2)
    const none = await send('POST', '/items', { body: [], headers: { prefer: 'return=representation' } })
    expect([none.status, await none.json()]).toEqual([201, []])
  })

  test('columns= ignores the other keys', async () => {
    const response = await send('POST', '/items?columns=name', {
      body: [{ name: 'only', slug: 'ignored', unknown: 1 }],
      headers: { prefer: 'return=representation' },
    })
    expect(await response.json()).toMatchObject([{ name: 'only', slug: null }])
  })

  test('values keep every digit', async () => {
    const body =
      '{"big":9223372036854775807,"num":123456789012345678901234567890.123456789,"bytes":"\\\\xff00"}'
    const response = await send('POST', '/kinds?select=big,num,bytes', {
      body,
      headers: { prefer: 'return=representation' },
    })
    expect(await response.text()).toBe(
      '[{"big":9223372036854775807,"num":123456789012345678901234567890.123456789,"bytes":"\\\\xff00"}]',
    )
  })

  test('headers only, with where the row is', async () => {
    const response = await send('POST', '/items', {
      body: { name: 'x', id: 77 },
      headers: { prefer: 'return=headers-only' },
    })
    expect([response.status, await response.text()]).toEqual([201, ''])
    expect(response.headers.get('location')).toBe('/items?id=eq.77')
    expect(response.headers.get('content-range')).toBe('*/*')
    const compound = await send('POST', '/compound', {
      body: { a: 9, b: 8 },
      headers: { prefer: 'return=headers-only' },
    })
    expect(compound.headers.get('location')).toBe('/compound?a=eq.9&b=eq.8')
    await fixture.sql('delete from api.compound where a = 9')
    const many = await send('POST', '/items', {
      body: [{ name: 'x' }, { name: 'y' }],
      headers: { prefer: 'return=headers-only' },
    })
    expect(many.headers.get('location')).toBeNull()
  })

  test('from CSV and from a form', async () => {
    const csv = await send('POST', '/items?select=name,slug', {
      body: 'name,slug\n"a, b",NULL\nc,d\n',
      headers: { 'content-type': 'text/csv', prefer: 'return=representation' },
    })
    expect(await csv.json()).toEqual([
      { name: 'a, b', slug: null },
      { name: 'c', slug: 'd' },
    ])
    const form = await send('POST', '/items?select=name,slug', {
      body: 'name=from+form&slug=f%201',
      headers: { 'content-type': 'application/x-www-form-urlencoded', prefer: 'return=representation' },
    })
    expect(await form.json()).toEqual([{ name: 'from form', slug: 'f 1' }])
  })

  test('a single object is asked for, but several rows would come: nothing is kept', async () => {
    const { error, status } = await fixture.api
      .from('items')
      .insert([{ name: 'x' }, { name: 'y' }])
      .select()
      .single()
    expect([status, error?.code, error?.details]).toEqual([406, 'PGRST116', 'The result contains 2 rows'])
    expect(await stored()).toHaveLength(2)
  })

  test('an insert through a view', async () => {
    const { data } = await fixture.api
      .from('renamed_projects')
      .insert({ pid: 60, title: 'Via view' })
      .select('pid,title')
    expect(data).toEqual([{ pid: 60, title: 'Via view' }])
    await fixture.sql('delete from api.projects where id = 60')
  })
})

describe('upsert', () => {
  test('merges, telling new rows from old ones', async () => {
    const merged = await fixture.api
      .from('items')
      .upsert([
        { id: 1, name: 'changed' },
        { id: 3, name: 'three' },
      ])
      .select('id,name')
    expect([merged.status, merged.data]).toEqual([
      201,
      [
        { id: 1, name: 'changed' },
        { id: 3, name: 'three' },
      ],
    ])
    const again = await fixture.api.from('items').upsert({ id: 1, name: 'again' }).select('name').single()
    expect([again.status, again.data]).toEqual([200, { name: 'again' }])
    expect(await stored()).toEqual([
      { id: 1, name: 'again' },
      { id: 2, name: 'two' },
      { id: 3, name: 'three' },
    ])
  })

  test('ignores duplicates', async () => {
    const { data } = await fixture.api
      .from('items')
      .upsert(
        [
          { id: 1, name: 'no' },
          { id: 4, name: 'yes' },
        ],
        { ignoreDuplicates: true },
      )
      .select('id,name')
    expect(data).toEqual([{ id: 4, name: 'yes' }])
  })

  test('on another unique column', async () => {
    const { data } = await fixture.api
      .from('items')
      .upsert({ slug: 'a', name: 'by slug' }, { onConflict: 'slug' })
      .select('id,name')
    expect(data).toEqual([{ id: 1, name: 'by slug' }])
    const wrong = await fixture.api.from('items').upsert({ name: 'x' }, { onConflict: 'name' })
    expect(wrong.error?.code).toBe('42P10')
    const twice = await fixture.api.from('items').upsert([
      { id: 5, name: 'x' },
      { id: 5, name: 'y' },
    ])
    expect([twice.status, twice.error?.code]).toEqual([400, '21000'])
  })

  test('PUT writes exactly the row that its URL names', async () => {
    const headers = { prefer: 'return=representation' }
    const made = await send('PUT', '/items?id=eq.9&select=id,name', {
      body: { id: 9, name: 'nine' },
      headers,
    })
    expect([made.status, await made.json()]).toEqual([201, [{ id: 9, name: 'nine' }]])
    const changed = await send('PUT', '/items?id=eq.9', { body: { id: 9, name: 'neun' } })
    expect(changed.status).toBe(204)
    const kept = await send('PUT', '/items?id=eq.9&select=name', {
      body: [{ id: 9, name: 'nueve' }],
      headers,
    })
    expect([kept.status, await kept.json()]).toEqual([200, [{ name: 'nueve' }]])
    const other = await send('PUT', '/items?id=eq.9', { body: { id: 10, name: 'ten' } })
    expect([other.status, await other.json()]).toMatchObject([400, { code: 'PGRST115' }])
    const unfiltered = await send('PUT', '/items?name=eq.x', { body: { id: 9 } })
    expect([unfiltered.status, await unfiltered.json()]).toMatchObject([405, { code: 'PGRST105' }])
    const limited = await send('PUT', '/items?id=eq.9&limit=1', { body: { id: 9 } })
    expect([limited.status, await limited.json()]).toMatchObject([400, { code: 'PGRST114' }])
  })
})
