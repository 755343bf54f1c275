// PostgREST's configuration in the database: settings of the role authenticator, and what a function sets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

/** Runs `work` while the settings hold. */
async function configured(settings: Record<string, string>, work: () => Promise<void>): Promise<void> {
  await fixture.configure(settings)
  try {
    await work()
  } finally {
    await fixture.configure(Object.fromEntries(Object.keys(settings).map((name) => [name, null])))
  }
}

const status = async (path: string, headers: Record<string, string> = {}) =>
  (await fixture.askApi(path, { headers })).status

describe('exposed schemas', () => {
  test('schemas, one or several', async () => {
    const [before] = await fixture.sql(
      `select setconfig as settings from pg_db_role_setting where setrole = 'authenticator'::regrole
       and setdatabase = (select oid from pg_database where datname = current_database())`,
    )
    expect(before.settings).toEqual(['pgrst.db_schemas=api, other'])
    expect((await fixture.ask('/clients')).headers.get('content-profile')).toBe('api')
    await fixture.configure({ db_schemas: ' other , api ' })
    const first = await fixture.ask('/things')
    expect([first.status, first.headers.get('content-profile')]).toEqual([200, 'other'])
    await fixture.configure({ db_schemas: 'api' })
    const alone = await fixture.ask('/clients')
    expect([alone.status, alone.headers.get('content-profile')]).toEqual([200, null])
    expect(await status('/things', { 'accept-profile': 'other' })).toBe(406)
    await fixture.configure({ db_schemas: 'api, other' })
  })

  test('the extra search path, which may be empty', async () => {
    await fixture.sql(`create function api.path() returns text language sql stable as
      $$ select current_setting('search_path') $$`)
    const path = async () => (await fixture.askApi('/rpc/path')).json()
    await fixture.reload()
    const file = await path()
    expect(file).toBe('"api", "public", "extensions"')
    await configured({ db_extra_search_path: 'hidden, extensions' }, async () => {
      expect(await path()).toBe('"api", "hidden", "extensions"')
    })
    await configured({ db_extra_search_path: '' }, async () => {
      expect(await path()).toBe('"api"')
    })
    // As PostgREST sets it, a schema that is named twice is in it twice.
    await configured({ db_extra_search_path: 'extensions, api, extensions' }, async () => {
      expect(await path()).toBe('"api", "extensions", "api", "extensions"')
    })
    expect(await path()).toBe(file)
  })
})

describe('limits and switches', () => {
  test('how transactions end, and who may say', async () => {
    const insert = async (id: number, prefer: string) => {
      const response = await fixture.send('POST', '/no_key', { body: { id }, headers: { prefer } })
      const kept = await fixture.sql('select from api.no_key where id = $1', [id])
      return [response.status, response.headers.get('preference-applied'), kept.length]
    }
    await configured({ db_tx_end: 'commit' }, async () => {
      expect(await insert(1, 'tx=rollback')).toEqual([201, null, 1])
    })
    await configured({ db_tx_end: 'rollback' }, async () => {
      expect(await insert(2, 'tx=commit')).toEqual([201, null, 0])
    })
    await configured({ db_tx_end: 'rollback-allow-override' }, async () => {
      expect(await insert(3, 'return=minimal')).toEqual([201, 'return=minimal', 0])
      expect(await insert(4, 'tx=commit')).toEqual([201, 'tx=commit', 1])
    })
    expect(await insert(5, 'tx=rollback')).toEqual([201, 'tx=rollback', 0])
  })

  test('invalid values count as unset', async () => {
    const nonsense = {
      db_max_rows: 'many',
      db_tx_end: 'maybe',
      openapi_mode: 'x',
      db_plan_enabled: 'perhaps',
      openapi_server_proxy_uri: 'nowhere',
      db_aggregates_enabled: '',
    }
    await configured(nonsense, async () => {
      expect(await status('/clients')).toBe(200)
      expect(await status('/', { accept: 'application/json' })).toBe(200)
      expect(await status('/clients?select=count()')).toBe(400)
    })
    for (const db_max_rows of ['99999999999999999999999', '9223372036854775807', '']) {
      await configured({ db_max_rows }, async () => {
        expect(await status('/clients', { prefer: 'count=estimated' })).toBe(200)
        expect(await status('/clients?select=projects(id)&projects.limit=1')).toBe(200)
      })
    }
  })
})

describe('the root', () => {
  test('can be ignorant of privileges', async () => {
    const paths = async () => Object.keys((await (await fixture.askApi('/')).json()).paths)
    expect(await paths()).not.toContain('/forbidden')
    await configured({ openapi_mode: 'ignore-privileges' }, async () => {
      expect(await paths()).toContain('/forbidden')
    })
  })

  test('can say where the API is, and that it takes a token', async () => {
    const settings = {
      openapi_server_proxy_uri: 'https://api.example.com:8443/data',
      openapi_security_active: 'true',
    }
    await configured(settings, async () => {
      expect(await (await fixture.askApi('/')).json()).toMatchObject({
        host: 'api.example.com:8443',
        basePath: '/data/',
        schemes: ['https'],
        security: [{ JWT: [] }],
        securityDefinitions: { JWT: { in: 'header', name: 'Authorization', type: 'apiKey' } },
      })
    })
    const document = await (await fixture.askApi('/')).json()
    expect(document.security).toBeUndefined()
    expect(document).toMatchObject({ host: new URL(fixture.server.url).host, basePath: '/rest/v1/' })
  })

  test('can be answered by a function', async () => {
    await fixture.sql(`
      create domain api."application/openapi+json" as json;
      create function api.root() returns api."application/openapi+json" language sql stable as
        $$ select json_build_object('swagger', '2.0', 'info', json_build_object('title', 'Own')) $$;
      create function api.root_of(name text default 'you') returns json language sql stable as
        $$ select json_build_object('hello', name) $$`)
    await configured({ db_root_spec: 'root' }, async () => {
      const own = await fixture.askApi('/', { headers: { accept: 'application/openapi+json' } })
      expect(own.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
      expect(await own.json()).toEqual({ swagger: '2.0', info: { title: 'Own' } })
      const json = await fixture.askApi('/', { headers: { accept: 'application/json' } })
      expect([json.headers.get('content-type'), (await json.json()).swagger]).toEqual([
        'application/json; charset=utf-8',
        '2.0',
      ])
      const head = await fixture.askApi('/', { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      const options = await fixture.askApi('/', { method: 'OPTIONS' })
      expect(options.headers.get('allow')).toBe('OPTIONS,GET,HEAD,POST')
      // Only the root is answered so.
      expect(await status('/clients')).toBe(200)
      expect(await status('/', { 'accept-profile': 'other' })).toBe(404)
    })
    await configured({ db_root_spec: 'api.root_of' }, async () => {
      expect(await (await fixture.askApi('/?name=Grace')).json()).toEqual({ hello: 'Grace' })
      expect(await status('/', { accept: 'application/openapi+json' })).toBe(406)
    })
    await configured({ db_root_spec: 'root', openapi_mode: 'disabled' }, async () => {
      expect(await status('/')).toBe(404)
    })
    await configured({ db_root_spec: 'nothing_there' }, async () => {
      expect(await (await fixture.askApi('/')).json()).toMatchObject({ code: 'PGRST202' })
    })
  })
})

describe('headers of answers', () => {
  test('repeat the trace header', async () => {
    const traced = async (path: string) =>
      (await fixture.askApi(path, { headers: { 'x-request-id': 'a1' } })).headers.get('x-request-id')
    expect(await traced('/clients')).toBeNull()
    await configured({ server_trace_header: 'X-Request-Id' }, async () => {
      expect(await traced('/clients')).toBe('a1')
      expect(await traced('/nothing')).toBe('a1')
      expect((await fixture.askApi('/clients')).headers.get('x-request-id')).toBeNull()
    })
  })

  test('tell how long the steps took', async () => {
    const timing = async () => (await fixture.askApi('/clients?id=eq.1')).headers.get('server-timing')
    expect(await timing()).toBeNull()
    await configured({ server_timing_enabled: 'true' }, async () => {
      expect(await timing()).toMatch(
        /^parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
      )
    })
  })
})

test('a function may set what is not set for the role', async () => {
  await fixture.sql(`
    create schema postgrest;
    grant usage on schema postgrest to authenticator;
    create function postgrest.pre_config() returns void language sql as $$
      select set_config('pgrst.db_max_rows', '2', true), set_config('pgrst.openapi_mode', 'disabled', true),
        set_config('pgrst.db_aggregates_enabled', (current_user = 'authenticator')::text, true)
    $$`)
  const rows = async () => (await (await fixture.askApi('/clients')).json()).length
  await configured({ db_pre_config: 'postgrest.pre_config' }, async () => {
    expect([await rows(), await status('/'), await status('/clients?select=count()')]).toEqual([2, 404, 200])
    await configured({ db_max_rows: '1' }, async () => expect(await rows()).toBe(1))
  })
  expect([await rows(), await status('/')]).toEqual([3, 200])
})
