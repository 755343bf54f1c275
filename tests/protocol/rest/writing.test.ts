// Writing through postgrest-js: insert, upsert, update, delete, what comes back, and what is refused.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())
beforeEach(async () => {
  await world.sql('truncate api.items restart identity')
  await world.sql(
    `insert into api.items (id, name, slug, amount) values (1, 'one', 'a', 1), (2, 'two', 'b', 2)`,
  )
})

const stored = (columns = 'id, name') => world.sql(`select ${columns} from api.items order by id`)

/** A raw request on `api`. */
function send(
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) {
  return world.ask(path, {
    method,
    headers: { 'content-profile': 'api', 'content-type': 'application/json', ...options.headers },
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  })
}

describe('insert', () => {
  test('one row, with nothing back, with the row back, with an embed back', async () => {
    const plain = await world.api.from('items').insert({ name: 'plain' })
    expect([plain.status, plain.data, plain.error]).toEqual([201, null, null])
    const shown = await world.api
      .from('items')
      .insert({ name: 'shown', amount: 1.5 })
      .select('name,amount,extra')
      .single()
    expect(shown.data).toEqual({ name: 'shown', amount: 1.5, extra: { made: 'here' } })
    const embedded = await world.api
      .from('projects')
      .insert({ id: 50, name: 'New', client_id: 2 })
      .select('name,clients(name),upper_name')
    expect(embedded.data).toEqual([{ name: 'New', upper_name: 'NEW', clients: { name: 'Apple' } }])
    await world.sql('delete from api.projects where id = 50')
  })

  test('many rows, their columns united', async () => {
    const { data, count } = await world.api
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
    const { data } = await world.api
      .from('items')
      .insert([{ slug: 'd1' }, { slug: 'd2', name: 'named', extra: null }], { defaultToNull: false })
      .select('slug,name,extra')
    expect(data).toEqual([
      { slug: 'd1', name: 'unnamed', extra: { made: 'here' } },
      { slug: 'd2', name: 'named', extra: null },
    ])
    const nulls = await world.api.from('items').insert([{ slug: 'd3' }, { slug: 'd4', name: 'n' }])
    expect(nulls.error?.code).toBe('23502')
    const one = await send('POST', '/items?columns=name,slug', {
      body: { slug: 'd5' },
      headers: { prefer: 'missing=default, return=representation' },
    })
    expect(await one.json()).toMatchObject([{ slug: 'd5', name: 'unnamed' }])
    expect(one.headers.get('preference-applied')).toBe('missing=default, return=representation')
  })

  test('empty objects make rows of defaults, an empty list makes none', async () => {
    const one = await world.api.from('items').insert({}).select('name')
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
    await world.sql('delete from api.compound where a = 9')
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
    const { error, status } = await world.api
      .from('items')
      .insert([{ name: 'x' }, { name: 'y' }])
      .select()
      .single()
    expect([status, error?.code, error?.details]).toEqual([406, 'PGRST116', 'The result contains 2 rows'])
    expect(await stored()).toHaveLength(2)
  })

  test('an insert through a view', async () => {
    const { data } = await world.api
      .from('renamed_projects')
      .insert({ pid: 60, title: 'Via view' })
      .select('pid,title')
    expect(data).toEqual([{ pid: 60, title: 'Via view' }])
    await world.sql('delete from api.projects where id = 60')
  })
})

describe('upsert', () => {
  test('merges, telling new rows from old ones', async () => {
    const merged = await world.api
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
    const again = await world.api.from('items').upsert({ id: 1, name: 'again' }).select('name').single()
    expect([again.status, again.data]).toEqual([200, { name: 'again' }])
    expect(await stored()).toEqual([
      { id: 1, name: 'again' },
      { id: 2, name: 'two' },
      { id: 3, name: 'three' },
    ])
  })

  test('ignores duplicates', async () => {
    const { data } = await world.api
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
    const { data } = await world.api
      .from('items')
      .upsert({ slug: 'a', name: 'by slug' }, { onConflict: 'slug' })
      .select('id,name')
    expect(data).toEqual([{ id: 1, name: 'by slug' }])
    const wrong = await world.api.from('items').upsert({ name: 'x' }, { onConflict: 'name' })
    expect(wrong.error?.code).toBe('42P10')
    const twice = await world.api.from('items').upsert([
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

describe('update and delete', () => {
  test('update by filter, with the rows back or only their number', async () => {
    const { data } = await world.api.from('items').update({ name: 'new' }).eq('id', 1).select('id,name')
    expect(data).toEqual([{ id: 1, name: 'new' }])
    const counted = await world.api.from('items').update({ name: 'all' }, { count: 'exact' }).gt('id', 0)
    expect([counted.status, counted.count, counted.data]).toEqual([204, 2, null])
    const none = await world.api.from('items').update({ name: 'x' }).eq('id', 99).select()
    expect([none.status, none.data]).toEqual([200, []])
    const tree = await world.api
      .from('items')
      .update({ name: 'x' })
      .or('id.eq.1,and(id.eq.2,slug.eq.z)')
      .select('id')
    expect(tree.data).toEqual([{ id: 1 }])
  })

  test('an empty update changes nothing', async () => {
    const { data, status } = await world.api.from('items').update({}).eq('id', 1).select()
    expect([status, data]).toEqual([200, []])
  })

  test('with embeds, computed columns and an order in what comes back', async () => {
    const { data } = await world.api
      .from('projects')
      .update({ client_id: 1 })
      .in('id', [1, 2])
      .select('upper_name,clients(name),tasks(id)')
      .order('id', { ascending: false })
      .order('id', { referencedTable: 'tasks' })
    expect(data).toEqual([
      { upper_name: 'WINDOWS 10', clients: { name: 'Microsoft' }, tasks: [{ id: 3 }, { id: 4 }] },
      { upper_name: 'WINDOWS 7', clients: { name: 'Microsoft' }, tasks: [{ id: 1 }, { id: 2 }] },
    ])
  })

  test('delete', async () => {
    const { data } = await world.api.from('items').delete().eq('id', 1).select('id')
    expect(data).toEqual([{ id: 1 }])
    const rest = await world.api.from('items').delete({ count: 'exact' }).neq('id', 0)
    expect([rest.status, rest.count]).toEqual([204, 1])
  })

  test('not more than max-affected, or nothing', async () => {
    const refused = await world.api.from('items').delete().gt('id', 0).maxAffected(1)
    expect([refused.status, refused.error]).toMatchObject([
      400,
      {
        code: 'PGRST124',
        message: 'Query result exceeds max-affected preference constraint',
        details: 'The query affects 2 rows',
      },
    ])
    expect(await stored()).toHaveLength(2)
    const fine = await world.api.from('items').update({ name: 'x' }).gt('id', 0).maxAffected(2)
    expect(fine.status).toBe(204)
    const lenient = await send('DELETE', '/items?id=gt.0', { headers: { prefer: 'max-affected=1' } })
    expect(lenient.status).toBe(204)
  })

  test('single() on an update that hits several rows keeps nothing', async () => {
    const { error } = await world.api.from('items').update({ name: 'x' }).gt('id', 0).select().single()
    expect(error?.code).toBe('PGRST116')
    expect(await stored()).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ])
  })

  test('a transaction can be tried and rolled back', async () => {
    const { data } = await world.api.from('items').insert({ name: 'ghost' }).select('name').rollback()
    expect(data).toEqual([{ name: 'ghost' }])
    expect(await stored()).toHaveLength(2)
    const deferred = await world.api.from('deferred_children').insert({ id: 1, parent_id: 9 }).rollback()
    expect(deferred.error?.code).toBe('23503')
    const committed = await world.api.from('deferred_children').insert({ id: 1, parent_id: 9 })
    expect([committed.status, committed.error?.code]).toEqual([409, '23503'])
  })
})

describe('refusals', () => {
  test('of the database, with its own words', async () => {
    const duplicate = await world.api.from('items').insert({ id: 1, name: 'x' })
    expect([duplicate.status, duplicate.error]).toMatchObject([
      409,
      {
        code: '23505',
        message: 'duplicate key value violates unique constraint "items_pkey"',
        details: 'Key (id)=(1) already exists.',
        hint: null,
      },
    ])
    expect((await world.api.from('projects').insert({ id: 70, name: 'x', client_id: 99 })).status).toBe(409)
    expect((await world.api.from('items').insert({ amount: -1 })).error?.code).toBe('23514')
    expect((await world.api.from('items').insert({ amount: 'many' })).error?.code).toBe('22P02')
    const short = await world.api.from('kinds').insert({ short: 'much too long for ten' })
    expect([short.status, short.error?.code]).toEqual([400, '22001'])
    expect((await world.api.from('kinds').insert({ mail: 'no address' })).error?.code).toBe('23514')
    expect((await world.api.from('kinds').insert({ doubled: 1 })).error?.code).toBe('428C9')
  })

  test('of functions, in the form they choose', async () => {
    const raised = await world.api.from('items').insert({ name: 'refused' })
    expect([raised.status, raised.error]).toMatchObject([
      400,
      { code: 'P0001', message: 'This name is refused', details: 'It is on the list', hint: 'name' },
    ])
    const teapot = await send('POST', '/items', { body: { name: 'teapot' } })
    expect([teapot.status, await teapot.json()]).toMatchObject([
      418,
      { code: 'PT418', message: 'I am a teapot', details: 'short and stout' },
    ])
    const custom = await send('POST', '/items', { body: { name: 'custom' } })
    expect([custom.status, custom.headers.get('x-custom'), await custom.json()]).toEqual([
      333,
      'yes',
      { code: 'X1', message: 'custom', details: 'more', hint: 'do this' },
    ])
    const broken = await send('POST', '/items', { body: { name: 'broken' } })
    expect([broken.status, await broken.json()]).toMatchObject([500, { code: 'PGRST121' }])
  })

  test('of unknown columns and bodies that are none', async () => {
    const unknown = await world.api.from('items').insert({ nam: 'x' })
    expect([unknown.status, unknown.error]).toMatchObject([
      400,
      { code: 'PGRST204', message: "Could not find the 'nam' column of 'items' in the schema cache" },
    ])
    const cases: [string, Record<string, string>, string][] = [
      ['{', {}, 'Empty or invalid json'],
      ['', {}, 'Empty or invalid json'],
      ['[{"a":1},{"b":2}]', {}, 'All object keys must match'],
      ['[1]', {}, 'All object keys must match'],
      ['['.repeat(2000), {}, 'JSON can be nested 500 levels deep'],
      ['x', { 'content-type': 'image/png' }, 'Content-Type not acceptable: image/png'],
      ['a,b\n1', { 'content-type': 'text/csv' }, 'All lines must have same number of fields'],
    ]
    for (const [body, headers, message] of cases) {
      const response = await send('POST', '/items', { body, headers })
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'PGRST102', message }])
    }
    const late = await send('POST', '/items?columns=name', { body: '{"name": }' })
    expect([late.status, (await late.json()).code]).toEqual([400, '22P02'])
  })

  test('of rights: columns, tables, rows', async () => {
    expect((await world.api.from('few_columns').insert({ id: 1, shown: 'x' })).status).toBe(201)
    expect((await world.api.from('few_columns').select('id,shown')).data).toEqual([{ id: 1, shown: 'x' }])
    const back = await world.api.from('few_columns').insert({ id: 2, shown: 'y' }).select('shown').single()
    expect(back.data).toEqual({ shown: 'y' })
    const secret = await world.api.from('few_columns').select('secret')
    expect([secret.status, secret.error]).toMatchObject([
      401,
      { code: '42501', message: 'permission denied for table few_columns' },
    ])
    expect((await world.api.from('few_columns').insert({ id: 3, secret: 's' })).status).toBe(401)
    expect((await world.api.from('forbidden').select()).status).toBe(401)
    const trusted = world.as({ authorization: `Bearer ${world.server.secretKey}` })
    expect((await trusted.from('forbidden').select()).status).toBe(403)
    const mine = await world.api
      .from('notes')
      .insert({ id: 1, owner: '00000000-0000-4000-8000-000000000001', body: 'x' })
    expect([mine.status, mine.error?.code]).toEqual([401, '42501'])
  })
})
