// Media types of a project's own: domains named like one, as the result of functions and of aggregates over rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, makeDomains, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await makeDomains(fixture)
  await fixture.reload()
})
afterAll(() => fixture?.stop())

/** Status, content type and body. */
async function told(
  path: string,
  accept?: string,
  init: RequestInit = {},
): Promise<[number, string | null, string]> {
  const headers = { ...(accept === undefined ? {} : { accept }), ...(init.headers as object) }
  const response = await fixture.askApi(path, { ...init, headers })
  return [response.status, response.headers.get('content-type'), await response.text()]
}

const unavailable = (types: string) => [
  406,
  'application/json; charset=utf-8',
  JSON.stringify({
    code: 'PGRST107',
    message: `None of these media types are available: ${types}`,
    details: null,
    hint: null,
  }),
]

const JSON_TYPE = 'application/json; charset=utf-8'

describe('functions', () => {
  test('answer in bytes', async () => {
    const response = await fixture.askApi('/rpc/picture?id=7', { headers: { accept: 'image/x-tiny' } })
    expect(response.headers.get('content-type')).toBe('image/x-tiny')
    expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe('00ff07c3a9')
    // Nothing comes back: that is an empty answer.
    expect(await told('/rpc/picture?id=0', 'image/x-tiny')).toEqual([200, 'image/x-tiny', ''])
    const posted = await fixture.send('POST', '/rpc/picture', {
      body: { id: 1 },
      headers: { accept: 'image/x-tiny' },
    })
    expect(Buffer.from(await posted.arrayBuffer()).toString('hex')).toBe('00ff01c3a9')
    const [{ name }] = await fixture.sql('select current_database() as name')
    const anon = `alter role anon in database "${name}"`
    await fixture.sql(`${anon} set bytea_output = 'escape'`)
    try {
      await fixture.reload()
      const escaped = await fixture.askApi('/rpc/picture?id=7', { headers: { accept: 'image/x-tiny' } })
      expect(Buffer.from(await escaped.arrayBuffer()).toString('hex')).toBe('00ff07c3a9')
    } finally {
      await fixture.sql(`${anon} reset bytea_output`)
      await fixture.reload()
    }
  })

  test('answer in text', async () => {
    expect(await told('/rpc/page?title=x', 'text/html')).toEqual([200, 'text/html', '<h1>x — é</h1>'])
  })

  test('are chosen by what is accepted, most wanted first', async () => {
    expect((await told('/rpc/page', 'application/pdf, text/html;q=0.9, */*;q=0.8'))[1]).toBe('text/html')
    expect((await told('/rpc/page', 'TEXT/HTML'))[1]).toBe('text/html')
    expect(await told('/rpc/page', 'application/json')).toEqual([200, JSON_TYPE, '"<h1>Hello — é</h1>"'])
    expect(await told('/rpc/page')).toEqual([200, JSON_TYPE, '"<h1>Hello — é</h1>"'])
    expect(await told('/rpc/page', 'text/plain, image/png')).toEqual(unavailable('text/plain, image/png'))
    // Neither a set of them nor text that is no media type.
    expect(await told('/rpc/pages', 'text/html')).toEqual(unavailable('text/html'))
    expect(await told('/rpc/greet', 'text/plain')).toEqual(unavailable('text/plain'))
    // A part of the result is no page.
    expect(await told('/rpc/page?select=x', 'text/html')).toEqual(unavailable('text/html'))
  })

  test('may say more about the answer', async () => {
    const response = await fixture.askApi('/rpc/page_with_headers', { headers: { accept: 'text/html' } })
    expect([response.status, response.headers.get('content-type'), response.headers.get('x-page')]).toEqual([
      203,
      'text/html; charset=utf-8',
      '1',
    ])
    expect(await told('/rpc/broken_page', 'text/html')).toEqual([
      400,
      JSON_TYPE,
      '{"code":"P0001","message":"No page","details":null,"hint":null}',
    ])
    const head = await fixture.askApi('/rpc/page', { method: 'HEAD', headers: { accept: 'text/html' } })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/html', ''])
  })

  test('show their pages in a separate origin, unless they say otherwise', async () => {
    const policy = async (path: string, accept: string) =>
      (await fixture.askApi(path, { headers: { accept } })).headers.get('content-security-policy')
    const apart = 'sandbox allow-scripts allow-forms allow-modals allow-popups'
    expect(await policy('/rpc/page', 'text/html')).toBe(apart)
    expect(await policy('/rpc/page_with_headers', 'text/html')).toBe(apart)
    expect(await policy('/rpc/note_in_xml', 'text/xml')).toBe(apart)
    expect(await policy('/rpc/page_with_policy', 'text/html')).toBe("default-src 'none'")
    expect(await policy('/rpc/picture?id=7', 'image/x-tiny')).toBeNull()
    expect(await policy('/rpc/page', 'application/json')).toBeNull()
  })

  test('may answer for any type', async () => {
    const octets = 'application/octet-stream'
    expect(await told('/rpc/anything')).toEqual([200, octets, 'any'])
    expect(await told('/rpc/anything', '*/*')).toEqual([200, octets, 'any'])
    expect(await told('/rpc/anything', 'app/bingo')).toEqual([200, octets, 'any'])
    expect(await told('/rpc/anything', 'application/json')).toEqual([200, octets, 'any'])
    expect(await told('/rpc/anything', 'app/known')).toEqual([200, 'app/known', 'any'])
    expect(await told('/rpc/anything', 'text/csv')).toEqual([
      406,
      JSON_TYPE,
      '{"code":"PT406","message":"Not that","details":null,"hint":null}',
    ])
    // PostgREST's own types stay as they are.
    expect(await told('/rpc/anything', 'application/vnd.pgrst.object+json')).toEqual([
      200,
      'application/vnd.pgrst.object+json; charset=utf-8',
      '"any"',
    ])
  })
})

describe('rows', () => {
  test('of one table, by its aggregate', async () => {
    const bytes = async (path: string, init: RequestInit = {}) => {
      const response = await fixture.askApi(path, {
        ...init,
        headers: { accept: 'image/x-tiny', ...init.headers },
      })
      return [response.status, Buffer.from(await response.arrayBuffer()).toString('hex')]
    }
    // A column that is shown otherwise makes the rows others than the aggregate takes.
    expect(await told('/swatches', 'image/x-tiny')).toEqual(unavailable('image/x-tiny'))
    await fixture.sql('drop cast (api.color as json); drop cast (api.day as json)')
    await fixture.reload()
    expect(await bytes('/swatches?order=id')).toEqual([200, '01020304'])
    expect(await bytes('/swatches?order=id.desc&limit=2&id=lt.4')).toEqual([200, '0302'])
    expect(await bytes('/swatches?id=eq.99')).toEqual([200, ''])
    expect(await bytes('/rpc/swatches_of?palette=2&order=id')).toEqual([200, '0304'])
    const prefer = { 'content-type': 'application/json', prefer: 'return=representation' }
    expect(
      await bytes('/swatches', { method: 'POST', headers: prefer, body: '[{"id":20},{"id":21}]' }),
    ).toEqual([201, '1415'])
    expect(await bytes('/swatches?id=eq.20', { method: 'DELETE', headers: prefer })).toEqual([200, '14'])
    for (const select of ['id', 'id,palette_id,color,day,plain', '*,palettes(name)', '*,id']) {
      expect(await told(`/swatches?select=${select}`, 'image/x-tiny')).toEqual(unavailable('image/x-tiny'))
    }
    const counted = await fixture.askApi('/swatches?order=id&limit=2', {
      headers: { accept: 'image/x-tiny', prefer: 'count=exact' },
    })
    expect([counted.status, counted.headers.get('content-range')]).toEqual([206, '0-1/5'])
  })

  test('of any table, with any columns', async () => {
    expect(await told('/clients?select=id&order=id&limit=2', 'application/vnd.rows+json')).toEqual([
      200,
      'application/vnd.rows+json',
      '[{"id": 1}, {"id": 2}]',
    ])
    expect(await told('/rpc/add?a=1&b=2', 'application/vnd.rows+json')).toEqual([
      200,
      'application/vnd.rows+json',
      '[3]',
    ])
    expect(await told('/projects?select=id,clients(name)&id=eq.1', 'application/vnd.rows+json')).toEqual([
      200,
      'application/vnd.rows+json',
      '[{"id": 1, "clients": {"name": "Microsoft"}}]',
    ])
  })

  test('with custom headers', async () => {
    const response = await fixture.askApi('/projects?id=lte.2&order=id', {
      headers: { accept: 'text/tab-separated-values' },
    })
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="p.tsv"')
    expect(await response.text()).toBe('id\tname\n1\tWindows 7\n2\tWindows 10\n')
  })

  test("instead of what is made otherwise, but for what is PostgREST's own", async () => {
    expect(await told('/palettes?id=eq.1')).toEqual([200, JSON_TYPE, '[{"id":1,"name":"warm"}]'])
    expect(await told('/palettes?id=eq.1', 'application/json')).toEqual([
      200,
      JSON_TYPE,
      '{"palettes" : "warm"}',
    ])
    expect(await told('/palettes?id=eq.1&select=name', 'application/json')).toEqual([
      200,
      JSON_TYPE,
      '[{"name":"warm"}]',
    ])
    const object = 'application/vnd.pgrst.object'
    expect(await told('/palettes?id=eq.1', object)).toEqual([
      200,
      'application/vnd.pgrst.object+json; charset=utf-8',
      '{"id":1,"name":"warm"}',
    ])
  })

  test('for any type', async () => {
    const octets = 'application/octet-stream'
    expect(await told('/anything_view?order=id')).toEqual([200, octets, 'warm;cold;'])
    expect(await told('/anything_view?order=id', 'application/json')).toEqual([200, octets, 'warm;cold;'])
    expect(await told('/anything_view?select=id&order=id')).toEqual([
      200,
      JSON_TYPE,
      '[{"id":1}, \n {"id":2}]',
    ])
  })

  test('explained', async () => {
    await fixture.configure({ db_plan_enabled: 'true' })
    try {
      const plan = 'application/vnd.pgrst.plan+json; for="text/tab-separated-values"'
      const [status, type, body] = await told('/projects', plan)
      expect([status, type]).toEqual([200, `${plan}; charset=utf-8`])
      expect(JSON.parse(body)[0].Plan['Node Type']).toBe('Aggregate')
      expect((await told('/projects', 'application/vnd.pgrst.plan+json; for="text/nothing"'))[0]).toBe(406)
    } finally {
      await fixture.configure({ db_plan_enabled: null })
    }
  })
})
