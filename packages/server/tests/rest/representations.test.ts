// Domain representations: columns that clients see, filter by and write otherwise than they are kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, makeDomains, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await makeDomains(fixture)
  await fixture.reload()
})
afterAll(() => fixture?.stop())

/** The answer, or the error with its status. */
async function rows(path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fixture.askApi(path, { headers })
  const body = await response.json()
  return response.ok ? body : [response.status, body]
}

const wrote = async (method: string, path: string, body: unknown, prefer = 'return=representation') => {
  const response = await fixture.send(method, path, { body, headers: { prefer } })
  return [response.status, await response.json()]
}

describe('reading', () => {
  test('shows columns as the cast to json has them', async () => {
    const { data, error } = await fixture.api.from('swatches').select().order('id').limit(2)
    expect([error, data]).toEqual([
      null,
      [
        { id: 1, palette_id: 1, color: '#ff0000', day: { year: 2026, month: 1 }, plain: 5 },
        { id: 2, palette_id: 1, color: '#ff8000', day: null, plain: 6 },
      ],
    ])
    expect(await rows('/swatches?select=color&id=eq.3')).toEqual([{ color: '#0000ff' }])
    expect(await rows('/swatches?select=shade:color,text:color::text&id=eq.3')).toEqual([
      { shade: '#0000ff', text: '"#0000ff"' },
    ])
    expect(await rows('/swatches?select=color::text&id=eq.3')).toEqual([{ color: '"#0000ff"' }])
    expect(await rows('/swatches?select=id,color&id=gte.3&order=id')).toEqual([
      { id: 3, color: '#0000ff' },
      { id: 4, color: null },
    ])
  })

  test('through views, functions, embeds and spreads', async () => {
    expect(await rows('/swatches_view?id=eq.1')).toEqual([{ id: 1, color: '#ff0000', palette_id: 1 }])
    expect(await rows('/rpc/swatches_of?palette=2&select=id,color&order=id')).toEqual([
      { id: 3, color: '#0000ff' },
      { id: 4, color: null },
    ])
    expect(await rows('/rpc/swatches_of?palette=2&order=id&limit=1')).toEqual([
      { id: 3, palette_id: 2, color: '#0000ff', day: { year: 2026, month: 3 }, plain: 7 },
    ])
    expect(await rows('/palettes?select=name,swatches(color)&swatches.order=id&id=eq.1')).toEqual([
      { name: 'warm', swatches: [{ color: '#ff0000' }, { color: '#ff8000' }] },
    ])
    expect(await rows('/palettes?select=name,...swatches(color)&swatches.order=id&id=eq.1')).toEqual([
      { name: 'warm', color: ['#ff0000', '#ff8000'] },
    ])
    expect(await rows('/palettes?select=name,swatches(*)&swatches.id=eq.3&id=eq.2')).toEqual([
      {
        name: 'cold',
        swatches: [{ id: 3, palette_id: 2, color: '#0000ff', day: { year: 2026, month: 3 }, plain: 7 }],
      },
    ])
    const csv = await fixture.askApi('/swatches?select=id,color&id=eq.3', { headers: { accept: 'text/csv' } })
    expect(await csv.text()).toBe('id,color\n3,"""#0000ff"""')
  })

  test('orders and aggregates by what is kept', async () => {
    expect(await rows('/swatches?select=color&order=color.desc.nullslast')).toEqual([
      { color: '#ff8000' },
      { color: '#ff0000' },
      { color: '#0000ff' },
      { color: null },
    ])
    await fixture.configure({ db_aggregates_enabled: 'true' })
    try {
      expect(await rows('/swatches?select=color.max(),color.count()')).toEqual([{ max: 16744448, count: 3 }])
      expect(await rows('/swatches?select=color,count()&palette_id=eq.2&order=color')).toEqual([
        { color: '#0000ff', count: 1 },
        { color: null, count: 1 },
      ])
      expect(await rows('/swatches?select=palettes(name),count()&palette_id=eq.2')).toEqual([
        { palettes: { name: 'cold' }, count: 2 },
      ])
      expect(await rows('/palettes?select=...swatches(color.sum())')).toMatchObject([
        400,
        { code: 'PGRST127' },
      ])
      expect(
        await rows('/swatches?select=id.sum(),...palettes(name,swatches(color))&palette_id=eq.1'),
      ).toEqual([{ sum: 3, name: 'warm', swatches: [{ color: '#ff0000' }, { color: '#ff8000' }] }])
    } finally {
      await fixture.configure({ db_aggregates_enabled: null })
    }
  })
})

describe('filtering', () => {
  const ids = async (query: string) => {
    const found = await rows(`/swatches?select=id&order=id&${query}`)
    return Array.isArray(found) && typeof found[0] !== 'number' ? found.map(({ id }) => id) : found
  }

  test('takes values as the cast from text has them', async () => {
    expect(await ids('color=eq.%230000ff')).toEqual([3])
    expect(await ids('color=neq.%230000ff')).toEqual([1, 2])
    expect(await ids('color=gte.%23ff0000')).toEqual([1, 2])
    expect(await ids('color=in.(%230000ff,%23ff0000)')).toEqual([1, 3])
    expect(await ids('color=not.in.(%230000ff,%23ff0000)')).toEqual([2])
    expect(await ids('color=in.()')).toEqual([])
    expect(await ids('color=eq(any).{%230000ff,%23ff8000}')).toEqual([2, 3])
    expect(await ids('color=gt(all).{%230000ff,%23ff0000}')).toEqual([2])
    expect(await ids('color=isdistinct.%230000ff')).toEqual([1, 2, 4])
    expect(await ids('color=is.null')).toEqual([4])
    expect(await ids('or=(color.eq.%230000ff,color.eq.%23ff0000)')).toEqual([1, 3])
    expect(await rows('/palettes?select=id,swatches!inner(id)&swatches.color=eq.%230000ff')).toEqual([
      { id: 2, swatches: [{ id: 3 }] },
    ])
    expect(await rows('/rpc/swatches_of?palette=1&select=id&color=eq.%23ff8000')).toEqual([{ id: 2 }])
  })

  test('has the cast’s error for other values', async () => {
    expect(await ids('color=eq.255')).toEqual([
      400,
      { code: '22P02', message: 'This is no colour: 255', details: null, hint: null },
    ])
    expect(await ids('color=in.(%230000ff,x)')).toMatchObject([400, { code: '22P02' }])
  })

  test('takes values as they are kept where there is no cast', async () => {
    expect(await ids('day=eq.2026-01-02')).toEqual([1])
    expect(await ids('plain=eq.7')).toEqual([3])
  })
})

describe('writing', () => {
  test('takes values as the cast from json has them', async () => {
    expect(await wrote('POST', '/swatches?select=id,color', { id: 10, color: '#102030' })).toEqual([
      201,
      [{ id: 10, color: '#102030' }],
    ])
    expect(
      await wrote('POST', '/swatches?select=color', [
        { id: 11, color: '#000001' },
        { id: 12, color: null },
      ]),
    ).toEqual([201, [{ color: '#000001' }, { color: null }]])
    expect(
      await wrote(
        'POST',
        '/swatches?columns=id,color&select=color',
        [{ id: 13 }, { id: 14, color: '#000002' }],
        'return=representation, missing=default',
      ),
    ).toEqual([201, [{ color: '#0000ff' }, { color: '#000002' }]])
    expect(await wrote('PATCH', '/swatches?id=eq.10&select=color', { color: '#abcdef' })).toEqual([
      200,
      [{ color: '#abcdef' }],
    ])
    expect(await fixture.sql('select color from api.swatches where id = 10')).toEqual([{ color: 0xabcdef }])
    expect(
      await wrote('DELETE', '/swatches?color=in.(%23abcdef,%23000001)&select=id&order=id', undefined),
    ).toEqual([200, [{ id: 10 }, { id: 11 }]])
    const csv = await fixture.send('POST', '/swatches?select=color', {
      body: 'id,color\n15,#000003\n16,#000004',
      headers: { 'content-type': 'text/csv', prefer: 'return=representation' },
    })
    expect(await csv.json()).toEqual([{ color: '#000003' }, { color: '#000004' }])
  })

  test('also of keys: upsert and PUT', async () => {
    const merge = 'return=representation, resolution=merge-duplicates'
    expect(await wrote('POST', '/color_names', [{ color: '#0000ff', name: 'Blue' }], merge)).toEqual([
      200,
      [{ color: '#0000ff', name: 'Blue' }],
    ])
    expect(
      await wrote('PUT', '/color_names?color=eq.%2300ff00', { color: '#00ff00', name: 'green' }),
    ).toEqual([201, [{ color: '#00ff00', name: 'green' }]])
    expect(
      await wrote('PUT', '/color_names?color=eq.%2300ff00', { color: '#00ff01', name: 'x' }),
    ).toMatchObject([400, { code: 'PGRST115' }])
  })

  test('has the cast’s error for other values', async () => {
    for (const color of ['red', 255, {}, [], true, '#12345g']) {
      expect(await wrote('POST', '/swatches', { id: 99, color })).toMatchObject([400, { code: '22P02' }])
    }
    expect(await wrote('PATCH', '/swatches?color=eq.red', { id: 1 })).toMatchObject([400, { code: '22P02' }])
  })
})
