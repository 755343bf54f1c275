// Around a request: paths, methods, schemas, media types, preferences, tokens, plans, OpenAPI, reloads.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

const ask = (path: string, init: RequestInit = {}) =>
  fixture.ask(path, {
    ...init,
    headers: { 'accept-profile': 'api', 'content-profile': 'api', ...init.headers },
  })

/** Status and body of an error. */
async function refused(path: string, init?: RequestInit): Promise<[number, unknown]> {
  const response = await ask(path, init)
  return [response.status, await response.json()]
}

describe('paths, methods and schemas', () => {
  test('tables that do not exist', async () => {
    expect(await refused('/taks')).toEqual([
      404,
      {
        code: 'PGRST205',
        message: "Could not find the table 'api.taks' in the schema cache",
        details: null,
        hint: "Perhaps you meant the table 'api.tasks'",
      },
    ])
    expect(await refused('/secret%00table')).toMatchObject([404, { code: 'PGRST205' }])
    expect(await refused('/a/b/c')).toMatchObject([
      404,
      { code: 'PGRST125', message: 'Invalid path specified in request URL' },
    ])
  })

  test('methods that are not taken', async () => {
    expect(await refused('/tasks', { method: 'PROPFIND' })).toMatchObject([405, { code: 'PGRST117' }])
    expect(await refused('/', { method: 'POST', body: '{}' })).toMatchObject([405, { code: 'PGRST117' }])
  })

  test('OPTIONS tells what is', async () => {
    const allow = async (path: string) => (await ask(path, { method: 'OPTIONS' })).headers.get('allow')
    expect(await allow('/tasks')).toBe('OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE')
    expect(await allow('/no_key')).toBe('OPTIONS,GET,HEAD,POST,PATCH,DELETE')
    expect(await allow('/joined')).toBe('OPTIONS,GET,HEAD')
    expect(await allow('/rpc/greet')).toBe('OPTIONS,GET,HEAD,POST')
    expect(await allow('/rpc/nothing')).toBe('OPTIONS,POST')
    expect(await allow('/')).toBe('OPTIONS,GET,HEAD')
  })

  test('HEAD answers like GET, without a body', async () => {
    const response = await ask('/tasks?id=eq.1', { method: 'HEAD', headers: { prefer: 'count=exact' } })
    expect([response.status, response.headers.get('content-range'), await response.text()]).toEqual([
      200,
      '0-0/1',
      '',
    ])
    expect((await ask('/nothing_here', { method: 'HEAD' })).status).toBe(404)
  })

  test('schemas by profile', async () => {
    const { data, error } = await fixture.api
      .schema('other' as never)
      .from('things')
      .select()
    expect([error, data]).toEqual([null, [{ id: 1, label: 'elsewhere' }]])
    const response = await fixture.ask('/things', { headers: { 'accept-profile': 'other' } })
    expect(response.headers.get('content-profile')).toBe('other')
    expect(await refused('/tasks', { headers: { 'accept-profile': 'hidden' } })).toEqual([
      406,
      {
        code: 'PGRST106',
        message: 'Invalid schema: hidden',
        details: null,
        hint: 'Only the following schemas are exposed: api, other',
      },
    ])
    expect((await fixture.ask('/things')).status).toBe(404)
  })

  test('URLs and bodies have bounds', async () => {
    expect(await refused(`/tasks?name=eq.${'x'.repeat(15_990)}`)).toMatchObject([414, { code: 'PGRST100' }])
    const row = '{"id":1},'
    const rows = `[${row.repeat(1_300_000)}{}]`
    // Told by its length before anything is read, or once too much has come.
    const streamed = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 26; n++) controller.enqueue(new TextEncoder().encode(row.repeat(50_000)))
        controller.close()
      },
    })
    for (const body of [rows, streamed]) {
      const answer = await ask('/tasks', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        ...(body === rows ? {} : { duplex: 'half' }),
      } as RequestInit)
      expect([answer.status, (await answer.json()).code]).toEqual([413, 'PGRST102'])
    }
    // The key and the token come first: nobody's body is read for nothing.
    const unknown = await fetch(`${fixture.server.url}/rest/v1/tasks`, { method: 'POST', body: rows })
    expect(unknown.status).toBe(401)
  })
})

describe('media types and preferences', () => {
  test('the first accepted type that can be made', async () => {
    const type = async (accept: string) =>
      (await ask('/clients', { headers: { accept } })).headers.get('content-type')
    expect(await type('*/*')).toBe('application/json; charset=utf-8')
    expect(await type('image/png, text/csv;q=0.4, application/json;q=0.9')).toBe(
      'application/json; charset=utf-8',
    )
    expect(await type('text/csv')).toBe('text/csv; charset=utf-8')
    expect(await refused('/clients', { headers: { accept: 'image/png, text/html' } })).toMatchObject([
      406,
      { code: 'PGRST107', message: 'None of these media types are available: image/png, text/html' },
    ])
  })

  test('handling=strict refuses unknown preferences', async () => {
    expect(await refused('/clients', { headers: { prefer: 'handling=strict, wrong=1' } })).toMatchObject([
      400,
      { code: 'PGRST122', details: 'Invalid preferences: wrong=1' },
    ])
    const lenient = await ask('/clients?limit=1', {
      headers: { prefer: 'handling=lenient, wrong=1, count=exact' },
    })
    expect(lenient.headers.get('preference-applied')).toBe('count=exact, handling=lenient')
    expect(lenient.status).toBe(206)
  })

  test('explain, only where it is enabled', async () => {
    expect((await fixture.api.from('clients').select().explain()).error?.code).toBe('PGRST107')
    await fixture.configure({ db_plan_enabled: 'true' })
    try {
      const text = await fixture.api
        .from('clients')
        .select('name,projects(id)')
        .eq('id', 1)
        .explain({ analyze: true, buffers: true })
      expect(text.data).toMatch(/Aggregate.*actual time/s)
      const json = await fixture.api
        .from('clients')
        .select()
        .eq('id', 1)
        .explain({ format: 'json', verbose: true })
      expect(json.data).toMatchObject([{ Plan: { 'Node Type': 'Aggregate' } }])
      const write = await fixture.api.from('items').insert({ name: 'x' }).select().explain({ format: 'json' })
      expect(write.data).toMatchObject([{ Plan: {} }])
      expect(await fixture.sql('select from api.items')).toHaveLength(0)
    } finally {
      await fixture.configure({ db_plan_enabled: null })
    }
  })
})

describe('the client', () => {
  test('errors can be thrown, headers set', async () => {
    await expect(fixture.api.from('nowhere').select().throwOnError()).rejects.toMatchObject({
      code: 'PGRST205',
    })
    const { data } = await fixture.api.rpc('whoami', undefined, { get: true }).setHeader('x-test', 'set')
    expect(data).toMatchObject({ header: 'set' })
  })

  test('a request that is given up leaves its connection fit for others', async () => {
    const controller = new AbortController()
    const slow = fixture.api.rpc('slow', { seconds: 0.3 }).abortSignal(controller.signal)
    setTimeout(() => controller.abort(), 50)
    expect((await slow).error?.message).toMatch(/abort/i)
    const many = Array.from({ length: 40 }, () => fixture.api.from('clients').select('id').eq('id', 1))
    for (const { data } of await Promise.all(many)) expect(data).toEqual([{ id: 1 }])
  })

  test('errors name themselves in Proxy-Status', async () => {
    expect((await ask('/nowhere')).headers.get('proxy-status')).toBe('PostgREST; error=PGRST205')
  })
})

describe('callers', () => {
  test('keys and tokens', async () => {
    expect((await fetch(`${fixture.server.url}/rest/v1/clients`)).status).toBe(401)
    const byQuery = await fetch(
      `${fixture.server.url}/rest/v1/clients?apikey=${fixture.server.publishableKey}`,
      {
        headers: { 'accept-profile': 'api' },
      },
    )
    expect(byQuery.status).toBe(200)
    const sign = (claims: object) => fixture.server.services.keys.sign(claims as never)
    const now = Math.floor(Date.now() / 1000)
    const expired = await ask('/clients', {
      headers: { authorization: `Bearer ${await sign({ role: 'authenticated', exp: now - 100 })}` },
    })
    expect([expired.status, await expired.json()]).toMatchObject([
      401,
      { code: 'PGRST303', message: 'JWT expired' },
    ])
    expect(expired.headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token", error_description="JWT expired"',
    )
    expect(await refused('/clients', { headers: { authorization: 'Bearer nonsense' } })).toMatchObject([
      401,
      { code: 'PGRST301', message: 'Expected 3 parts in JWT; got 1' },
    ])
    const noRole = await sign({ role: 'nobody_here', exp: now + 100 })
    expect(await refused('/clients', { headers: { authorization: `Bearer ${noRole}` } })).toMatchObject([
      401,
      { code: '22023' },
    ])
    const powerful = await sign({ role: 'supabase_admin', exp: now + 100 })
    expect((await refused('/clients', { headers: { authorization: `Bearer ${powerful}` } }))[0]).toBe(403)
  })

  test('each sees the rows that row-level security gives them', async () => {
    const now = Math.floor(Date.now() / 1000)
    const as = async (sub: string) =>
      fixture.as({
        authorization: `Bearer ${await fixture.server.services.keys.sign({ role: 'authenticated', sub, exp: now + 100 })}`,
      })
    const grace = await as('00000000-0000-4000-8000-00000000000a')
    const theo = await as('00000000-0000-4000-8000-00000000000b')
    expect((await grace.from('notes').insert({ id: 1, body: 'mine' }).select('body').single()).data).toEqual({
      body: 'mine',
    })
    expect((await theo.from('notes').insert({ id: 2, body: 'his' })).error).toBeNull()
    // The same statement for each in turn, on the same connections.
    for (let round = 0; round < 10; round++) {
      expect((await grace.from('notes').select('body')).data).toEqual([{ body: 'mine' }])
      expect((await theo.from('notes').select('body')).data).toEqual([{ body: 'his' }])
      expect((await fixture.api.from('notes').select('body')).data).toEqual([])
    }
    expect((await theo.from('notes').update({ body: 'stolen' }).eq('id', 1).select()).data).toEqual([])
    const posing = await theo
      .from('notes')
      .insert({ id: 3, owner: '00000000-0000-4000-8000-00000000000a', body: 'x' })
    expect([posing.status, posing.error]).toMatchObject([
      403,
      { code: '42501', message: 'new row violates row-level security policy for table "notes"' },
    ])
  })
})

describe('OpenAPI', () => {
  test('describes what the caller may see', async () => {
    const response = await ask('/')
    expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
    const document = await response.json()
    expect(document).toMatchObject({
      swagger: '2.0',
      paths: {
        '/clients': {
          get: { summary: 'People who pay', description: 'A longer description', tags: ['clients'] },
          post: {},
        },
        '/rpc/add': { get: {}, post: { parameters: [{ schema: { required: ['a', 'b'] } }, {}] } },
      },
      definitions: {
        clients: {
          required: ['id', 'name'],
          properties: {
            id: { format: 'integer', type: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
            name: { description: 'What they are called', type: 'string' },
          },
        },
        projects: {
          properties: {
            client_id: {
              description: "Note:\nThis is a Foreign Key to `clients.id`.<fk table='clients' column='id'/>",
            },
          },
        },
        kinds: {
          properties: {
            feeling: { enum: ['happy', 'sad'], default: 'happy', format: 'api.mood' },
            short: { maxLength: 10 },
            tags: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    })
    expect(document.paths['/forbidden']).toBeUndefined()
    expect(document.paths['/rpc/save_item'].get).toBeUndefined()
    expect(await refused('/', { headers: { accept: 'text/csv' } })).toMatchObject([406, { code: 'PGRST107' }])
  })

  test('can be turned off', async () => {
    await fixture.configure({ openapi_mode: 'disabled' })
    expect(await refused('/')).toMatchObject([404, { code: 'PGRST126' }])
    await fixture.configure({ openapi_mode: null })
  })
})

describe('changes of the schema', () => {
  test('are known after NOTIFY, also by statements prepared before', async () => {
    await fixture.sql(
      'create table api.changing (id int primary key, a text); grant select on api.changing to anon',
    )
    await fixture.reload()
    await fixture.sql(`insert into api.changing values (1, 'old')`)
    const read = async () => (await fixture.api.from('changing').select()).data
    for (let round = 0; round < 5; round++) expect(await read()).toEqual([{ id: 1, a: 'old' }])
    await fixture.sql('alter table api.changing add column b int default 7')
    await fixture.reload()
    expect(await read()).toEqual([{ id: 1, a: 'old', b: 7 }])
    await fixture.sql('alter table api.changing alter column a type jsonb using to_jsonb(a)')
    await fixture.reload()
    expect((await fixture.api.from('changing').select('a').eq('a', '"old"')).data).toEqual([{ a: 'old' }])
    await fixture.sql('drop table api.changing')
    await fixture.reload()
    expect((await fixture.api.from('changing').select()).error?.code).toBe('PGRST205')
  })

  test('a request that comes right after DDL finds what was made', async () => {
    await fixture.sql('create table api.fresh (id int); grant select on api.fresh to anon')
    // The platform announces DDL by an event trigger; nothing else does so here.
    await expect.poll(async () => (await ask('/fresh')).status).toBe(200)
  })
})
