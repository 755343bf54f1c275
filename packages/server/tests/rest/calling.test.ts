// Functions through postgrest-js: every form of argument and result, overloads, settings, and mistakes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSuperuser } from '../support/database.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

/** A raw request to a function of `api`. */
function call(
  method: string,
  path: string,
  options: { body?: string; headers?: Record<string, string> } = {},
) {
  const headers = { 'content-profile': 'api', 'accept-profile': 'api', ...options.headers }
  return fixture.ask(`/rpc/${path}`, {
    method,
    headers,
    ...(options.body === undefined ? {} : { body: options.body }),
  })
}

describe('results', () => {
  test('scalars, null, void', async () => {
    expect((await fixture.api.rpc('add', { a: 1, b: 2 })).data).toBe(3)
    expect((await fixture.api.rpc('greet')).data).toBe('Hello you')
    expect((await fixture.api.rpc('one_null')).data).toBeNull()
    const nothing = await fixture.api.rpc('nothing')
    expect([nothing.status, nothing.data, nothing.error]).toEqual([204, null, null])
  })

  test('sets of scalars, tables, rows, composites, out arguments', async () => {
    expect((await fixture.api.rpc('numbers_to', { n: 3 })).data).toEqual([1, 2, 3])
    expect((await fixture.api.rpc('table_of', { n: 2 })).data).toEqual([
      { id: 1, square: 1 },
      { id: 2, square: 4 },
    ])
    expect((await fixture.api.rpc('a_project', { wanted: 1 })).data).toEqual({
      id: 1,
      name: 'Windows 7',
      client_id: 1,
    })
    expect((await fixture.api.rpc('out_args', { n: 2 })).data).toEqual({ twice: 4, thrice: 6 })
    expect((await fixture.api.rpc('all_projects')).data).toHaveLength(5)
  })

  test('are filtered, shaped, ordered, limited, counted and embedded like tables', async () => {
    const { data, count } = await fixture.api
      .rpc('all_projects', {}, { count: 'exact' })
      .select('name,clients(name)')
      .gt('id', 1)
      .not('clients', 'is', null)
      .order('id', { ascending: false })
      .limit(2)
    expect(data).toEqual([
      { name: 'OSX', clients: { name: 'Apple' } },
      { name: 'IOS', clients: { name: 'Apple' } },
    ])
    expect(count).toBe(3)
    expect(
      (
        await fixture.api
          .rpc('table_of', { n: 5 })
          .select('square')
          .gt('id', 3)
          .order('square', { ascending: false })
      ).data,
    ).toEqual([{ square: 25 }, { square: 16 }])
    expect(
      (await fixture.api.rpc('a_project', { wanted: 3 }).select('upper_name,tasks(id)').single()).data,
    ).toMatchObject({
      upper_name: 'IOS',
      tasks: [{ id: 5 }, { id: 6 }],
    })
  })

  test('single, maybeSingle, csv', async () => {
    expect((await fixture.api.rpc('all_projects').eq('id', 1).single()).data).toMatchObject({ id: 1 })
    expect((await fixture.api.rpc('all_projects').single()).error?.code).toBe('PGRST116')
    expect((await fixture.api.rpc('all_projects').eq('id', 99).maybeSingle()).data).toBeNull()
    expect((await fixture.api.rpc('table_of', { n: 2 }).csv()).data).toBe('id,square\n1,1\n2,4')
  })

  test('a function that writes, with its row back', async () => {
    const { data } = await fixture.api.rpc('save_item', { name: 'by function' }).select('name').single()
    expect(data).toEqual({ name: 'by function' })
    const refused = await fixture.api.rpc('save_item', { name: 'refused' })
    expect([refused.status, refused.error?.code]).toEqual([400, 'P0001'])
  })
})

describe('arguments', () => {
  test('by GET and HEAD, read-only', async () => {
    expect((await fixture.api.rpc('add', { a: 2, b: 3 }, { get: true })).data).toBe(5)
    expect((await fixture.api.rpc('tags_of', { tags: ['a', 'b'] }, { get: true })).data).toBe('a|b')
    const head = await fixture.api.rpc('all_projects', undefined, { head: true, count: 'exact' })
    expect([head.count, head.data]).toEqual([5, null])
    const volatile = await fixture.api.rpc('save_item', { name: 'x' }, { get: true })
    expect([volatile.status, volatile.error?.code]).toEqual([405, '25006'])
    const filtered = await call('GET', 'table_of?n=4&id=gt.2&select=id')
    expect(await filtered.json()).toEqual([{ id: 3 }, { id: 4 }])
  })

  test('variadic, repeated in a query string or as a JSON array', async () => {
    expect(await (await call('GET', 'sum_all?v=1&v=2&v=3')).json()).toBe(6)
    expect((await fixture.api.rpc('sum_all', { v: [4, 5] })).data).toBe(9)
  })

  test('from a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await (await call('POST', 'add', { body: 'a=3&b=4', headers })).json()).toBe(7)
  })

  test('the body whole: JSON, text, bytes', async () => {
    expect((await fixture.api.rpc('take_json', { any: ['thing', 1.0] })).data).toEqual({ any: ['thing', 1] })
    const list = await call('POST', 'take_json', {
      body: '[{"a":1},{"b":2}]',
      headers: { 'content-type': 'application/json' },
    })
    expect(await list.json()).toMatchObject({ code: 'PGRST102' })
    const text = await call('POST', 'take_text', {
      body: 'plain words',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await text.json()).toBe('got plain words')
    const bytes = await call('POST', 'take_bytes', {
      body: 'four',
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(await bytes.json()).toBe(4)
    expect((await fixture.api.rpc('echo_jsonb', { doc: { deep: [1, { x: null }] } })).data).toEqual({
      deep: [1, { x: null }],
    })
  })

  test('overloads are distinguished by names', async () => {
    expect((await fixture.api.rpc('overloaded', { a: 1 })).data).toBe('one')
    expect((await fixture.api.rpc('overloaded', { a: 1, b: 'x' })).data).toBe('two')
    const both = await fixture.api.rpc('ambiguous', { a: 1 })
    expect([both.status, both.error]).toMatchObject([
      300,
      {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: api.ambiguous(a => integer, b => integer), api.ambiguous(a => integer, c => text)',
        hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
      },
    ])
  })
})

describe('the transaction', () => {
  test('knows the caller, the request and the time zone', async () => {
    const headers = {
      'x-test': 'ünïcode "quoted"',
      cookie: 'flavour=oat; other=1',
      prefer: 'timezone=America/Regina',
    }
    const response = await call('GET', 'whoami', {
      headers: { ...headers, 'x-test': encodeURIComponent(headers['x-test']) },
    })
    expect(response.headers.get('preference-applied')).toBe('timezone=America/Regina')
    expect(await response.json()).toEqual({
      role: 'anon',
      uid: null,
      method: 'GET',
      path: '/rpc/whoami',
      header: encodeURIComponent(headers['x-test']),
      cookie: 'oat',
      zone: 'America/Regina',
      isolation: 'read committed',
    })
    const trusted = fixture.as({ authorization: `Bearer ${fixture.server.secretKey}` })
    expect((await trusted.rpc('whoami')).data).toMatchObject({ role: 'service_role', method: 'POST' })
  })

  test("keeps a function's own settings and isolation level", async () => {
    expect((await fixture.api.rpc('with_setting')).data).toBe('7MB')
    expect((await fixture.api.rpc('isolated')).data).toBe('serializable')
    expect((await fixture.api.rpc('whoami')).data).toMatchObject({ isolation: 'read committed' })
  })

  test('lets a function set status and headers', async () => {
    const response = await call('POST', 'set_response')
    expect([response.status, response.headers.get('x-made'), response.headers.get('cache-control')]).toEqual([
      202,
      'by hand',
      'no-store',
    ])
    expect(await response.json()).toBe('ok')
  })

  test('refuses what no status and no header can be', async () => {
    const saying = (setting: string, value: string) =>
      fixture.sql(`create or replace function api.say_wrong() returns text language plpgsql as $$
        begin perform set_config('${setting}', '${value}', true); return 'x'; end $$`)
    const refused = async () => {
      const response = await call('POST', 'say_wrong')
      return [response.status, (await response.json()).code]
    }
    await saying('response.status', 'teapot')
    await fixture.reload()
    expect(await refused()).toEqual([500, 'PGRST112'])
    await saying('response.status', '99')
    expect(await refused()).toEqual([500, 'PGRST112'])
    for (const headers of [
      '{"X": "y"}',
      'no json',
      '[{"X": "a", "Y": "b"}]',
      '[{"X": 1}]',
      '[{"X y": "z"}]',
    ]) {
      await saying('response.headers', headers)
      expect(await refused()).toEqual([500, 'PGRST111'])
    }
  })

  test('refuses a custom error with headers that HTTP cannot carry', async () => {
    for (const header of ['"X Y": "z"', '"X": "a\\nSet-Cookie: b"', '"X": "\u{1f426}"']) {
      await fixture.sql(`create or replace function api.raise_wrong() returns void language plpgsql as $$
        begin raise sqlstate 'PGRST' using message = '{"code": "X", "message": "m"}',
          detail = '{"status": 400, "headers": {${header}}}'; end $$`)
      await fixture.reload()
      const response = await call('POST', 'raise_wrong')
      expect([response.status, (await response.json()).code]).toEqual([500, 'PGRST121'])
    }
  })

  test("ends at the role's statement timeout", async () => {
    const { error, status } = await fixture.api.rpc('slow', { seconds: 10 })
    expect([status, error]).toMatchObject([
      504,
      { code: '57014', message: 'canceling statement due to statement timeout' },
    ])
  })

  test("has the role's own settings, as far as they may be set", async () => {
    const [{ name, owner }] = await fixture.sql('select current_database() as name, current_user as owner')
    // A plain owner may not set these for others; the provider may let it.
    await asSuperuser(
      fixture.server.database.url,
      `grant set on parameter my.colour, log_statement to ${owner}`,
    )
    await fixture.sql(`
      create function api.setting(name text) returns text language sql stable as $$ select current_setting(name, true) $$;
      alter role anon in database "${name}" set work_mem = '9MB';
      alter role anon in database "${name}" set my.colour = 'blue';
      alter role anon in database "${name}" set default_transaction_isolation = 'repeatable read';
      alter role anon in database "${name}" set log_statement = 'all'`)
    await fixture.reload()
    const setting = async (name: string) => (await fixture.api.rpc('setting', { name })).data
    expect(await setting('work_mem')).toBe('9MB')
    expect(await setting('my.colour')).toBe('blue')
    expect(await setting('transaction_isolation')).toBe('repeatable read')
    expect(await setting('search_path')).toBe('"api", "public", "extensions"')
    await fixture.sql(`alter role anon in database "${name}" reset all`)
    await fixture.reload()
    expect(await setting('transaction_isolation')).toBe('read committed')
  })

  test('calls the function named by db_pre_request first', async () => {
    await fixture.sql(`
      create function api.check_request() returns void language plpgsql as $$
      begin
        if current_setting('request.headers')::json ->> 'x-block' = 'yes' then
          raise sqlstate 'PT429' using message = 'Slow down';
        end if;
      end $$`)
    await fixture.configure({ db_pre_request: 'api.check_request' })
    try {
      expect((await fixture.as({ 'x-block': 'yes' }).rpc('greet')).status).toBe(429)
      expect((await fixture.api.rpc('greet')).data).toBe('Hello you')
    } finally {
      await fixture.configure({ db_pre_request: null })
    }
  })
})

describe('mistakes', () => {
  test('no such function, with the nearest one', async () => {
    const { error, status } = await fixture.api.rpc('gret')
    expect([status, error]).toMatchObject([
      404,
      {
        code: 'PGRST202',
        message: 'Could not find the function api.gret without parameters in the schema cache',
        details:
          'Searched for the function api.gret without parameters or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
        hint: 'Perhaps you meant to call the function api.greet',
      },
    ])
    const arguments_ = await fixture.api.rpc('add', { a: 1, c: 2 })
    expect(arguments_.error).toMatchObject({
      message: 'Could not find the function api.add(a, c) in the schema cache',
      details:
        'Searched for the function api.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
      hint: 'Perhaps you meant to call the function api.add(a, b)',
    })
    const raw = await call('POST', 'add', { body: 'x', headers: { 'content-type': 'text/plain' } })
    expect(await raw.json()).toMatchObject({
      code: 'PGRST202',
      details:
        'Searched for the function api.add with a single unnamed text parameter, but no matches were found in the schema cache.',
      hint: null,
    })
    expect((await fixture.api.rpc('secret')).status).toBe(404)
  })

  test('methods, bodies, max-affected', async () => {
    const patch = await call('PATCH', 'add', { body: '{}' })
    expect([patch.status, await patch.json()]).toMatchObject([
      405,
      { code: 'PGRST101', message: 'Cannot use the PATCH method on RPC' },
    ])
    expect((await fixture.api.rpc('add', { a: 'x', b: 1 })).error?.code).toBe('22P02')
    const single = await fixture.api.rpc('add', { a: 1, b: 2 }).maxAffected(1)
    expect(single.error?.code).toBe('PGRST128')
    const many = await fixture.api.rpc('all_projects').maxAffected(2)
    expect(many.error).toMatchObject({ code: 'PGRST124', details: 'The query affects 5 rows' })
  })

  test('statuses by SQLSTATE', async () => {
    const expected: Record<string, number> = {
      P0001: 400,
      P0002: 500,
      '23503': 409,
      '23505': 409,
      '25006': 405,
      '28000': 403,
      '40001': 500,
      '42883': 404,
      '42P01': 404,
      '42501': 401,
      '53400': 500,
      '53100': 503,
      '54000': 413,
      PT404: 404,
      PT999: 500,
      '21000': 500,
      XX000: 500,
    }
    for (const [state, status] of Object.entries(expected)) {
      const { error, status: actual } = await fixture.api.rpc('fail_with', { state })
      expect([state, error?.code, actual]).toEqual([state, state, status])
    }
  })
})
