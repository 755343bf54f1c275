// Changing and removing through postgrest-js, and what the database, its functions and rights refuse.
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

describe('update and delete', () => {
  test('update by filter, with the rows back or only their number', async () => {
    const { data } = await fixture.api.from('items').update({ name: 'new' }).eq('id', 1).select('id,name')
    expect(data).toEqual([{ id: 1, name: 'new' }])
    const counted = await fixture.api.from('items').update({ name: 'all' }, { count: 'exact' }).gt('id', 0)
    expect([counted.status, counted.count, counted.data]).toEqual([204, 2, null])
    const none = await fixture.api.from('items').update({ name: 'x' }).eq('id', 99).select()
    expect([none.status, none.data]).toEqual([200, []])
    const tree = await fixture.api
      .from('items')
      .update({ name: 'x' })
      .or('id.eq.1,and(id.eq.2,slug.eq.z)')
      .select('id')
    expect(tree.data).toEqual([{ id: 1 }])
  })

  test('an empty update changes nothing', async () => {
    const { data, status } = await fixture.api.from('items').update({}).eq('id', 1).select()
    expect([status, data]).toEqual([200, []])
  })

  test('with embeds, computed columns and an order in what comes back', async () => {
    const { data } = await fixture.api
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
    const { data } = await fixture.api.from('items').delete().eq('id', 1).select('id')
    expect(data).toEqual([{ id: 1 }])
    const rest = await fixture.api.from('items').delete({ count: 'exact' }).neq('id', 0)
    expect([rest.status, rest.count]).toEqual([204, 1])
  })

  test('not more than max-affected, or nothing', async () => {
    const refused = await fixture.api.from('items').delete().gt('id', 0).maxAffected(1)
    expect([refused.status, refused.error]).toMatchObject([
      400,
      {
        code: 'PGRST124',
        message: 'Query result exceeds max-affected preference constraint',
        details: 'The query affects 2 rows',
      },
    ])
    expect(await stored()).toHaveLength(2)
    const fine = await fixture.api.from('items').update({ name: 'x' }).gt('id', 0).maxAffected(2)
    expect(fine.status).toBe(204)
    const lenient = await send('DELETE', '/items?id=gt.0', { headers: { prefer: 'max-affected=1' } })
    expect(lenient.status).toBe(204)
  })

  test('single() on an update that hits several rows keeps nothing', async () => {
    const { error } = await fixture.api.from('items').update({ name: 'x' }).gt('id', 0).select().single()
    expect(error?.code).toBe('PGRST116')
    expect(await stored()).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ])
  })

  test('a transaction can be tried and rolled back', async () => {
    const { data } = await fixture.api.from('items').insert({ name: 'ghost' }).select('name').rollback()
    expect(data).toEqual([{ name: 'ghost' }])
    expect(await stored()).toHaveLength(2)
    const deferred = await fixture.api.from('deferred_children').insert({ id: 1, parent_id: 9 }).rollback()
    expect(deferred.error?.code).toBe('23503')
    const committed = await fixture.api.from('deferred_children').insert({ id: 1, parent_id: 9 })
    expect([committed.status, committed.error?.code]).toEqual([409, '23503'])
  })
})

describe('refusals', () => {
  test('of the database, with its own words', async () => {
    const duplicate = await fixture.api.from('items').insert({ id: 1, name: 'x' })
    expect([duplicate.status, duplicate.error]).toMatchObject([
      409,
      {
        code: '23505',
        message: 'duplicate key value violates unique constraint "items_pkey"',
        details: 'Key (id)=(1) already exists.',
        hint: null,
      },
    ])
    expect((await fixture.api.from('projects').insert({ id: 70, name: 'x', client_id: 99 })).status).toBe(409)
    expect((await fixture.api.from('items').insert({ amount: -1 })).error?.code).toBe('23514')
    expect((await fixture.api.from('items').insert({ amount: 'many' })).error?.code).toBe('22P02')
    const short = await fixture.api.from('kinds').insert({ short: 'much too long for ten' })
    expect([short.status, short.error?.code]).toEqual([400, '22001'])
    expect((await fixture.api.from('kinds').insert({ mail: 'no address' })).error?.code).toBe('23514')
    expect((await fixture.api.from('kinds').insert({ doubled: 1 })).error?.code).toBe('428C9')
  })

  test('of functions, in the form they choose', async () => {
    const raised = await fixture.api.from('items').insert({ name: 'refused' })
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
    const unknown = await fixture.api.from('items').insert({ nam: 'x' })
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
    expect((await fixture.api.from('few_columns').insert({ id: 1, shown: 'x' })).status).toBe(201)
    expect((await fixture.api.from('few_columns').select('id,shown')).data).toEqual([{ id: 1, shown: 'x' }])
    const back = await fixture.api.from('few_columns').insert({ id: 2, shown: 'y' }).select('shown').single()
    expect(back.data).toEqual({ shown: 'y' })
    const secret = await fixture.api.from('few_columns').select('secret')
    expect([secret.status, secret.error]).toMatchObject([
      401,
      { code: '42501', message: 'permission denied for table few_columns' },
    ])
    expect((await fixture.api.from('few_columns').insert({ id: 3, secret: 's' })).status).toBe(401)
    expect((await fixture.api.from('forbidden').select()).status).toBe(401)
    const trusted = fixture.as({ authorization: `Bearer ${fixture.server.secretKey}` })
    expect((await trusted.from('forbidden').select()).status).toBe(403)
    const mine = await fixture.api
      .from('notes')
      .insert({ id: 1, owner: '00000000-0000-4000-8000-000000000001', body: 'x' })
    expect([mine.status, mine.error?.code]).toEqual([401, '42501'])
  })
})
