// What PostgREST's own tests ask about answers and nobody asks elsewhere: cookies, the words beside a status, ranges
// behind the end, functions called for their effect, names that meet ours.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.sql(`
    set search_path = api;
    create function two_cookies() returns void language sql stable as $$
      select set_config('response.headers', '[{"Set-Cookie": "a=1"}, {"set-cookie": "b=2"}, {"X-One": "1"}]', true)
    $$;
    create function own_type() returns json language sql stable as $$
      select set_config('response.headers', '[{"content-type": "application/x-own"}]', true)::json
    $$;
    create function fail_in_words(words text) returns void language plpgsql as $$
    begin
      raise sqlstate 'PGRST' using message = '{"code": "X1", "message": "no"}',
        detail = json_build_object('status', 404, 'status_text', words, 'headers', '{}'::json);
    end $$;
    create function a_record() returns record language sql stable as $$ select * from api.projects where id = 1 $$;
    create domain project_row as projects;
    create function a_domain_row() returns project_row language sql stable as
      $$ select (id, name, client_id)::api.projects::api.project_row from api.projects where id = 1 $$;
    create table being (being int primary key, pgrst_row int, pgrst_scalar int);
    create function descendants(being) returns setof being language sql stable as
      $$ select * from api.being where being > $1.being $$;
    insert into being values (1, 5, 6), (2, 7, 8);
    create table hidden.roles (actor int references users (id), task int references tasks (id),
      primary key (actor, task));
    insert into hidden.roles values (1, 5);
    create view role_view as select actor, task from hidden.roles;
    create table bits (id int primary key, five bit(5), word char(5));
    grant all on being, bits to anon; grant select on role_view to anon;
    reset search_path`)
  await world.reload()
})
afterAll(() => world?.stop())

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await world.askApi(path, { headers })
  return [response.status, await response.json()]
}

describe('what functions say of the answer', () => {
  test('a header may come several times', async () => {
    for (const init of [{}, { method: 'POST' }, { method: 'HEAD' }]) {
      const response = await world.askApi('/rpc/two_cookies', init)
      expect([response.status, response.headers.getSetCookie(), response.headers.get('x-one')]).toEqual([
        204,
        ['a=1', 'b=2'],
        '1',
      ])
    }
  })

  test('a header takes the place of ours, however it is written', async () => {
    const response = await world.askApi('/rpc/own_type')
    expect(response.headers.get('content-type')).toBe('application/x-own')
  })

  test("the words beside the status are the function's", async () => {
    const fail = (words: string) => world.send('POST', '/rpc/fail_in_words', { body: { words } })
    const own = await fail('My Not Found')
    expect([own.status, own.statusText]).toEqual([404, 'My Not Found'])
    // Words that HTTP cannot carry are left out.
    const broken = await fail('a\r\nX-Injected: 1')
    expect([broken.status, broken.statusText, broken.headers.get('x-injected')]).toEqual([
      404,
      'Not Found',
      null,
    ])
    const { status, statusText } = await world.api.rpc('fail_in_words', { words: 'Gone fishing' })
    expect([status, statusText]).toEqual([404, 'Gone fishing'])
  })

  test('anonymous records and rows of a domain', async () => {
    const project = { id: 1, name: 'Windows 7', client_id: 1 }
    expect(await get('/rpc/a_record')).toEqual([200, project])
    expect(await get('/rpc/a_domain_row')).toEqual([200, project])
    expect(await get('/rpc/a_domain_row?select=name,clients(name)')).toEqual([
      200,
      { name: 'Windows 7', clients: { name: 'Microsoft' } },
    ])
  })
})

test('nulls are left out of whatever a function gives', async () => {
  for (const form of ['array', 'object']) {
    const accept = `application/vnd.pgrst.${form}+json;nulls=stripped`
    expect(await get('/rpc/a_project?wanted=5', { accept })).toEqual([200, { id: 5, name: 'Orphan' }])
    const rows = [{ id: 5, name: 'Orphan' }]
    const stripped = await get('/rpc/all_projects?id=eq.5', { accept })
    expect(stripped).toEqual([200, form === 'array' ? rows : rows[0]])
  }
})

test('a range behind the end says where the end is', async () => {
  for (const path of ['/tasks?offset=100', '/rpc/numbers_to?n=8&offset=100']) {
    const response = await world.askApi(path, { headers: { prefer: 'count=exact' } })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, '*/8'])
  }
})

test('an upsert of nothing made nothing', async () => {
  const post = (prefer: string) => world.send('POST', '/items', { body: [], headers: { prefer } })
  const merged = await post('resolution=merge-duplicates, return=representation')
  expect([merged.status, await merged.json()]).toEqual([200, []])
  expect((await post('return=minimal')).status).toBe(201)
})

test('names that every object has are names like others', async () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect((await world.askApi('/tasks?limit=1', { headers: { prefer: `${name}=x` } })).status).toBe(200)
    expect(await get('/tasks', { prefer: `handling=strict, ${name}=x` })).toMatchObject([
      400,
      { code: 'PGRST122', details: `Invalid preferences: ${name}=x` },
    ])
    expect(await get('/tasks', { accept: name })).toMatchObject([
      406,
      { message: `None of these media types are available: ${name.toLowerCase()}` },
    ])
    const typed = await world.send('POST', '/items', { body: {}, headers: { 'content-type': name } })
    expect([typed.status, await typed.json()]).toMatchObject([
      400,
      { code: 'PGRST102', message: `Content-Type not acceptable: ${name.toLowerCase()}` },
    ])
    for (const path of [`/${name}`, `/rpc/${name}`, `/tasks?${name}=eq.1`, `/tasks?select=id::${name}`]) {
      expect([path, expect.toSatisfy((status: number) => status < 500)]).toEqual([path, (await get(path))[0]])
    }
  }
})

describe('names that meet ours', () => {
  test('columns and aliases', async () => {
    const rows = [
      { being: 1, pgrst_row: 5, pgrst_scalar: 6 },
      { being: 2, pgrst_row: 7, pgrst_scalar: 8 },
    ]
    expect(await get('/being?order=being')).toEqual([200, rows])
    expect(await get('/clients?select=pgrst_row:id,projects(pgrst_row:id)&id=eq.2')).toEqual([
      200,
      [{ pgrst_row: 2, projects: [{ pgrst_row: 3 }, { pgrst_row: 4 }] }],
    ])
    const csv = await world.askApi('/clients?select=pgrst_row:id,name&id=eq.1', {
      headers: { accept: 'text/csv' },
    })
    expect(await csv.text()).toBe('pgrst_row,name\n1,Microsoft')
    const inserted = await world.send('POST', '/being', {
      body: { being: 3, pgrst_row: 1 },
      headers: { prefer: 'return=representation' },
    })
    expect(await inserted.json()).toEqual([{ being: 3, pgrst_row: 1, pgrst_scalar: null }])
    await world.sql('delete from api.being where being = 3')
  })

  test('a column called like its table, under a computed relationship', async () => {
    expect(await get('/being?select=being,descendants(being)&being=eq.1')).toEqual([
      200,
      [{ being: 1, descendants: [{ being: 2 }] }],
    ])
  })
})

test('a junction that is hidden joins through a view of it', async () => {
  expect(await get('/users?select=name,role_view(task)&id=eq.1')).toEqual([
    200,
    [{ name: 'Grace', role_view: [{ task: 5 }] }],
  ])
  expect(await get('/users?select=name,tasks!role_view(id)&id=eq.1')).toEqual([
    200,
    [{ name: 'Grace', tasks: [{ id: 5 }] }],
  ])
})

test('a range that leaves nothing of an embed leaves no parent that needs it', async () => {
  const names = async (query: string) =>
    (await get(`/clients?order=id&select=name,${query}`))[1].map(({ name }: { name: string }) => name)
  expect(await names('projects!inner(id)&projects.offset=1')).toEqual(['Microsoft', 'Apple'])
  expect(await names('projects!inner(id)&projects.offset=2')).toEqual([])
  expect(await names('projects!inner(id)&projects.limit=0')).toEqual([])
  expect(await names('projects(id)&projects.offset=2&projects=is.null')).toEqual([
    'Microsoft',
    'Apple',
    'Nobody',
  ])
})

test('types with a length take all of it', async () => {
  const bits = await world.send('POST', '/bits', {
    body: { id: 1, five: '10101', word: 'abcde' },
    headers: { prefer: 'return=representation' },
  })
  expect(await bits.json()).toEqual([{ id: 1, five: '10101', word: 'abcde' }])
  const long = await world.send('POST', '/bits', { body: { id: 2, word: 'abcdef' } })
  expect([long.status, (await long.json()).code]).toEqual([400, '22001'])
})

test('groups are ordered by what is spread into them', async () => {
  await world.configure({ db_aggregates_enabled: 'true' })
  try {
    expect(
      await get('/tasks?select=hours.sum(),...projects(client_id)&order=projects(client_id).desc'),
    ).toEqual([
      200,
      [
        { sum: 80, client_id: 2 },
        { sum: 60, client_id: 1 },
      ],
    ])
    expect(await get('/tasks?select=count(),...projects(who:client_id)&order=projects(who)')).toEqual([
      200,
      [
        { count: 4, who: 1 },
        { count: 4, who: 2 },
      ],
    ])
    expect(
      await get('/tasks?select=...projects(clients(name),...project_details(budget.sum()))&id=eq.1'),
    ).toEqual([200, [{ clients: { name: 'Microsoft' }, sum: 1000.5 }]])
  } finally {
    await world.configure({ db_aggregates_enabled: null })
  }
})
