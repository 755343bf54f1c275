// Reading through postgrest-js: columns, types, filters, orders, ranges and counts, one resource at a time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

/** Ids of the rows that a query on `kinds` finds. */
const ids = (rows: { id: number }[] | null) => rows?.map(({ id }) => id)

describe('select', () => {
  test('all columns, some, renamed, cast', async () => {
    const { data } = await fixture.api.from('clients').select().order('id').limit(1)
    expect(data).toEqual([{ id: 1, name: 'Microsoft' }])
    const shaped = await fixture.api.from('clients').select('key:id::text,name').eq('id', 2)
    expect(shaped.data).toEqual([{ key: '2', name: 'Apple' }])
  })

  test('JSON paths, named by their last key', async () => {
    const { data } = await fixture.api
      .from('kinds')
      .select('plain->a,plain->a->2->>c,doc->key,text:doc->>key,doc->list->0,doc->"odd key",numbers->1')
      .eq('id', 1)
    expect(data).toEqual([
      {
        a: [1, 2, { c: 'deep' }],
        c: 'deep',
        key: 'value',
        text: 'value',
        list: 'x',
        'odd key': true,
        numbers: 2,
      },
    ])
  })

  test('names that need quotes', async () => {
    const { data } = await fixture.api
      .from('Odd "names"')
      .select('"id col","a.b","select",snake-case')
      .order('"id col"')
    expect(data).toEqual([
      { 'id col': 1, 'a.b': 'dot', select: 'word', 'snake-case': 'dash' },
      { 'id col': 2, 'a.b': 'comma, "quote"', select: null, 'snake-case': '(bracket)' },
    ])
    const found = await fixture.api.from('Odd "names"').select('"id col"').eq('"a.b"', 'dot')
    expect(found.data).toEqual([{ 'id col': 1 }])
  })

  test('every type as PostgreSQL writes it', async () => {
    const response = await fixture.ask('/kinds?id=eq.1', { headers: { 'accept-profile': 'api' } })
    const text = await response.text()
    expect(text).toContain('"big":9007199254740993')
    expect(text).toContain('"num":0.1000000000000000000001')
    expect(text).toContain('"money":10.50')
    const [row] = await fixture.sql(`select row_to_json(k)::text as json from api.kinds k where id = 1`)
    expect(text).toBe(`[${row.json}]`)
    expect(text).toContain(String.raw`"bytes":"\\xdeadbeef"`)
    expect(text).toContain('"at":"2026-01-02T03:04:05.123456+00:00"')
  })

  test('computed columns', async () => {
    const { data } = await fixture.api.from('projects').select('id,upper_name').eq('upper_name', 'IOS')
    expect(data).toEqual([{ id: 3, upper_name: 'IOS' }])
    const called = await fixture.api.rpc('pinned_projects').select('id,upper_name').eq('id', 3)
    expect(called.data).toEqual([{ id: 3, upper_name: 'IOS' }])
  })

  test('views and materialized views', async () => {
    const { data } = await fixture.api.from('renamed_projects').select().eq('pid', 1)
    expect(data).toEqual([{ pid: 1, title: 'Windows 7', cid: 1 }])
    const counts = await fixture.api.from('project_counts').select().eq('client_id', 1)
    expect(counts.data).toEqual([{ client_id: 1, projects: 2 }])
    expect((await fixture.api.from('constant_view').select()).data).toEqual([{ one: 1, letter: 'x' }])
  })
})

describe('filters', () => {
  const kinds = () => fixture.api.from('kinds').select('id').order('id')

  test('comparison', async () => {
    expect(ids((await kinds().eq('id', 2)).data)).toEqual([2])
    expect(ids((await kinds().neq('id', 2)).data)).toEqual([1, 3])
    expect(ids((await kinds().gt('id', 1).lte('id', 2)).data)).toEqual([2])
    expect(ids((await kinds().gte('at', '2026-01-01').lt('at', '2027-01-01')).data)).toEqual([1])
    expect(ids((await kinds().eq('feeling', 'sad')).data)).toEqual([2])
    expect(ids((await kinds().eq('uid', '00000000-0000-4000-8000-000000000002')).data)).toEqual([2])
    expect(ids((await kinds().eq('words', 'a rat, (and) "more"')).data)).toEqual([2])
  })

  test('null and booleans', async () => {
    expect(ids((await kinds().is('flag', null)).data)).toEqual([3])
    expect(ids((await kinds().is('flag', true)).data)).toEqual([1])
    expect(ids((await kinds().not('flag', 'is', null)).data)).toEqual([1, 2])
    expect(ids((await kinds().filter('flag', 'is', 'unknown')).data)).toEqual([3])
    expect(ids((await kinds().filter('flag', 'is', 'not_null')).data)).toEqual([1, 2])
    expect(ids((await kinds().isDistinct('flag', true)).data)).toEqual([2, 3])
  })

  test('patterns', async () => {
    expect(ids((await kinds().like('words', '%fat%')).data)).toEqual([1])
    expect(ids((await kinds().ilike('words', '*FAT*')).data)).toEqual([1])
    expect(ids((await kinds().likeAllOf('words', ['%fat%', '%cat'])).data)).toEqual([1])
    expect(ids((await kinds().likeAnyOf('words', ['%fat%', '%rat%'])).data)).toEqual([1, 2])
    expect(ids((await kinds().ilikeAnyOf('words', ['%FAT%', '%RAT%'])).data)).toEqual([1, 2])
    expect(ids((await kinds().regexMatch('words', '^The')).data)).toEqual([1])
    expect(ids((await kinds().regexIMatch('words', '^the')).data)).toEqual([1])
  })

  test('lists, with any and all', async () => {
    expect(ids((await kinds().in('id', [1, 3, 9])).data)).toEqual([1, 3])
    expect(ids((await kinds().in('id', [])).data)).toEqual([])
    expect(
      ids((await kinds().filter('words', 'in', '("The fat cat","a rat, (and) \\"more\\"")')).data),
    ).toEqual([1, 2])
    expect(ids((await kinds().notIn('id', [1, 2])).data)).toEqual([3])
    expect(ids((await kinds().filter('id', 'eq(any)', '{1,2}')).data)).toEqual([1, 2])
    expect(ids((await kinds().filter('id', 'gte(all)', '{1,2}')).data)).toEqual([2, 3])
  })

  test('arrays, JSON and ranges', async () => {
    expect(ids((await kinds().contains('numbers', [1, 2])).data)).toEqual([1])
    expect(ids((await kinds().containedBy('numbers', [4, 5, 6])).data)).toEqual([2])
    expect(ids((await kinds().overlaps('tags', ['green', 'blue'])).data)).toEqual([1, 2])
    expect(ids((await kinds().contains('doc', { key: 'value' })).data)).toEqual([1])
    expect(ids((await kinds().eq('doc->>key', 'other')).data)).toEqual([2])
    expect(ids((await kinds().gt('doc->n', 5)).data)).toEqual([2])
    expect(ids((await kinds().eq('numbers->0', 4)).data)).toEqual([2])
    expect(ids((await kinds().contains('between_ints', '[2,3]')).data)).toEqual([1])
    expect(ids((await kinds().rangeLt('between_ints', '[15,16)')).data)).toEqual([1])
    expect(ids((await kinds().rangeGt('between_ints', '[15,16)')).data)).toEqual([2])
    expect(ids((await kinds().rangeGte('between_ints', '[15,16)')).data)).toEqual([2])
    expect(ids((await kinds().rangeLte('between_ints', '[15,16)')).data)).toEqual([1])
    expect(ids((await kinds().rangeAdjacent('between_ints', '[10,20)')).data)).toEqual([1, 2])
    expect(ids((await kinds().overlaps('between_times', '[2026-01-15,2026-03-01)')).data)).toEqual([1])
  })

  test('full text, on tsvector, text and JSON', async () => {
    expect(ids((await kinds().textSearch('vector', 'cat')).data)).toEqual([1])
    expect(ids((await kinds().textSearch('vector', 'fat & cat', { config: 'english' })).data)).toEqual([1])
    expect(ids((await kinds().textSearch('vector', 'fat cat', { type: 'plain' })).data)).toEqual([1])
    expect(
      ids((await kinds().textSearch('vector', 'fat cat', { type: 'phrase', config: 'english' })).data),
    ).toEqual([1])
    // In this order the words are no phrase.
    expect(ids((await kinds().textSearch('vector', 'cat fat', { type: 'phrase' })).data)).toEqual([])
    expect(ids((await kinds().textSearch('vector', 'cat fat', { type: 'plain' })).data)).toEqual([1])
    expect(ids((await kinds().textSearch('words', 'cat or rat', { type: 'websearch' })).data)).toEqual([1, 2])
    expect(ids((await kinds().textSearch('doc', 'other', { config: 'simple' })).data)).toEqual([2])
    expect(ids((await kinds().textSearch('doc->>key', 'value')).data)).toEqual([1])
    expect(ids((await kinds().not('vector', 'fts', 'cat')).data)).toEqual([2])
  })

  test('or, and, not, nested', async () => {
    expect(ids((await kinds().or('id.eq.1,words.like.*rat*')).data)).toEqual([1, 2])
    expect(ids((await kinds().or('and(id.gt.1,id.lt.3),flag.is.true')).data)).toEqual([1, 2])
    expect(ids((await kinds().or('id.in.(2,3),words.eq."The fat cat"')).data)).toEqual([1, 2, 3])
    expect(ids((await kinds().not('id', 'eq', 1).or('tags.cs.{blue},id.eq.3')).data)).toEqual([2, 3])
    const negated = await fixture.ask('/kinds?select=id&not.or=(id.eq.1,id.eq.2)', {
      headers: { 'accept-profile': 'api' },
    })
    expect(await negated.json()).toEqual([{ id: 3 }])
    const inner = await fixture.ask('/kinds?select=id&order=id&and=(id.gte.1,not.or(id.eq.2,id.not.lt.3))', {
      headers: { 'accept-profile': 'api' },
    })
    expect(await inner.json()).toEqual([{ id: 1 }])
  })

  test('match and several on one column', async () => {
    expect(ids((await kinds().match({ id: 1, flag: true })).data)).toEqual([1])
  })
})

describe('order, ranges, counts', () => {
  const tasks = (columns = 'id', options = {}) =>
    fixture.api.from('tasks').select<string, { id: number }>(columns, options)

  test('order with nulls, by JSON, by several', async () => {
    expect(ids((await tasks().order('hours').limit(2)).data)).toEqual([5, 1])
    expect(ids((await tasks().order('hours', { nullsFirst: true }).limit(2)).data)).toEqual([4, 5])
    expect(
      ids((await tasks().order('hours', { ascending: false, nullsFirst: false }).limit(1)).data),
    ).toEqual([8])
    expect(
      ids(
        (await tasks().order('done', { ascending: false }).order('id', { ascending: false }).limit(3)).data,
      ),
    ).toEqual([7, 3, 6])
    const byJson = await fixture.api.from('kinds').select('id').order('doc->n', { nullsFirst: false })
    expect(ids(byJson.data)).toEqual([1, 2, 3])
  })

  test('limit, range and the Range header', async () => {
    expect(ids((await tasks().order('id').range(2, 4)).data)).toEqual([3, 4, 5])
    expect((await tasks().limit(0)).data).toEqual([])
    const headers = { 'accept-profile': 'api', range: '6-', 'range-unit': 'items' }
    const response = await fixture.ask('/tasks?select=id&order=id', { headers })
    expect(await response.json()).toEqual([{ id: 7 }, { id: 8 }])
    expect(response.headers.get('content-range')).toBe('6-7/*')
    expect(response.headers.get('content-location')).toBe('/tasks?order=id&select=id')
  })

  test('counts', async () => {
    const exact = await tasks('id', { count: 'exact' }).gt('id', 2).limit(2)
    expect([exact.count, exact.status, exact.data?.length]).toEqual([6, 206, 2])
    expect((await tasks('*', { count: 'exact', head: true })).count).toBe(8)
    expect((await tasks('*', { count: 'exact' }).eq('id', 99)).count).toBe(0)
    const planned = await tasks('id', { count: 'planned' })
    expect(planned.count).toBeGreaterThan(0)
    expect((await tasks('id', { count: 'estimated' })).count).toBe(8)
    const beyond = await tasks('id', { count: 'exact' }).range(20, 30)
    expect(beyond.error).toMatchObject({
      code: 'PGRST103',
      message: 'Requested range not satisfiable',
      details: 'An offset of 20 was requested, but there are only 8 rows.',
    })
    expect(beyond.status).toBe(416)
  })

  test('max_rows bounds every answer, and embeds too', async () => {
    await fixture.configure({ db_max_rows: '3' })
    try {
      expect((await tasks()).data).toHaveLength(3)
      expect((await tasks().limit(7)).data).toHaveLength(3)
      const estimated = await tasks('id', { count: 'estimated' })
      expect(estimated.count).toBeGreaterThanOrEqual(8)
      const embedded = () => fixture.api.from('users').select('users_tasks(task_id)').eq('id', 1)
      for (const asked of [embedded(), embedded().limit(9, { referencedTable: 'users_tasks' })]) {
        expect((await asked).data?.[0]?.users_tasks).toHaveLength(3)
      }
      expect((await fixture.api.rpc('numbers_to', { n: 9 })).data).toEqual([1, 2, 3])
    } finally {
      await fixture.configure({ db_max_rows: null })
    }
  })
})

describe('one row, CSV, stripped nulls', () => {
  test('single and maybeSingle', async () => {
    expect((await fixture.api.from('clients').select().eq('id', 1).single()).data).toEqual({
      id: 1,
      name: 'Microsoft',
    })
    const none = await fixture.api.from('clients').select().eq('id', 99).single()
    expect([none.status, none.error]).toMatchObject([
      406,
      {
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 0 rows',
        hint: null,
      },
    ])
    expect((await fixture.api.from('clients').select().single()).error?.details).toBe(
      'The result contains 3 rows',
    )
    expect((await fixture.api.from('clients').select().eq('id', 99).maybeSingle()).data).toBeNull()
  })

  test('csv', async () => {
    const { data } = await fixture.api.from('clients').select('id,name').order('id').csv()
    expect(data).toBe('id,name\n1,Microsoft\n2,Apple\n3,Nobody')
    const odd = await fixture.api.from('Odd "names"').select('"a.b"').eq('"id col"', 2).csv()
    expect(odd.data).toBe('a.b\n"comma, ""quote"""')
    expect((await fixture.api.from('clients').select().eq('id', 99).csv()).data).toBe('\n')
  })

  test('nulls can be left out', async () => {
    const { data } = await fixture.api.from('projects').select().eq('id', 5).stripNulls()
    expect(data).toEqual([{ id: 5, name: 'Orphan' }])
    const one = await fixture.api.from('projects').select().eq('id', 5).single().stripNulls()
    expect(one.data).toEqual({ id: 5, name: 'Orphan' })
  })

  test('enums and booleans by each of their values, and by invalid ones', async () => {
    const ids = async (column: string, filter: string) => {
      const response = await fixture.ask(`/kinds?select=id&order=id&id=lt.100&${column}=${filter}`, {
        headers: { 'accept-profile': 'api' },
      })
      const body = await response.json()
      return response.ok ? body.map(({ id }: { id: number }) => id) : body.code
    }
    // Twice, since what a filter means is remembered.
    for (const _ of [1, 2]) {
      expect(await ids('feeling', 'eq.happy')).toEqual([1])
      expect(await ids('feeling', 'eq.sad')).toEqual([2])
      expect(await ids('feeling', 'neq.sad')).toEqual([1])
      expect(await ids('feeling', 'not.eq.happy')).toEqual([2])
      expect(await ids('feeling', 'eq.grumpy')).toBe('22P02')
      expect(await ids('feeling', `eq.sad' or true --`)).toBe('22P02')
      expect(await ids('flag', 'eq.true')).toEqual([1])
      expect(await ids('flag', 'eq.false')).toEqual([2])
      expect(await ids('flag', 'eq.t')).toEqual([1])
      expect(await ids('flag', 'eq.maybe')).toBe('22P02')
    }
    const several = '(flag.eq.true,feeling.eq.sad,flag.eq.false,feeling.eq.happy)'
    expect(await ids('or', several)).toEqual([1, 2])
  })

  test('GeoJSON takes PostGIS, which is not here', async () => {
    const { error, status } = await fixture.api.from('clients').select().geojson()
    expect([status, error?.code]).toEqual([406, 'PGRST107'])
    expect(error?.message).toBe('None of these media types are available: application/geo+json')
  })
})
