// Names in answers: two things of one name, and candidates in an error.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

async function read(table: string, select: string, query = ''): Promise<unknown> {
  const path = `/${table}?${new URLSearchParams([['select', select], ...new URLSearchParams(query)])}`
  return (await fixture.askApi(path)).json()
}

describe('two things of one name', () => {
  test.each([
    ['messages', 'users!sender_id(name),users!recipient_id(name)', 'messages_users_1'],
    ['projects', 'clients(name),clients:tasks(name)', 'projects_clients_1'],
    ['projects', 'clients(name),clients()', 'projects_clients_1'],
    ['projects', 'clients(name),...clients(id)', 'projects_clients_1'],
    ['clients', 'name,projects(tasks(id),tasks(name))', 'projects_tasks_2'],
  ])('two embeds, in %s?select=%s', async (table, select, alias) => {
    const response = await fixture.askApi(`/${table}?select=${select}`)
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        code: '42712',
        message: `table name "${alias}" specified more than once`,
        details: null,
        hint: "Give one of the embedded resources a name of its own, as in 'other:clients(*)'.",
      },
    ])
  })

  test.each([
    ['projects', 'client_id,client_id(name)', 'client_id'],
    ['projects', 'clients:name,clients(name)', 'clients'],
    ['projects', 'name,name:clients(id)', 'name'],
    ['projects', 'name,...clients(name)', 'name'],
    ['projects', '...clients(id),...tasks(id)', 'id'],
    ['clients', 'name,projects(name,...tasks(name))', 'name'],
    ['users', 'name,...tasks(...projects(clients(id)),clients:name)', 'clients'],
  ])('an embed and a column, in %s?select=%s', async (table, select, name) => {
    const response = await fixture.askApi(`/${table}?select=${select}`)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'PGRST100', message: `'${name}' is selected more than once` },
    ])
  })

  test('also of what a change or a function gives', async () => {
    const headers = { prefer: 'return=representation' }
    const made = await fixture.send('POST', '/projects?select=client_id,client_id(name)', {
      headers,
      body: { id: 90, name: 'Never', client_id: 1 },
    })
    expect([made.status, (await made.json()).code]).toEqual([400, 'PGRST100'])
    expect(await fixture.sql('select from api.projects where id = 90')).toEqual([])
  })

  test('an embed stands for the column of `*` that has its name, and names may be given', async () => {
    expect(await read('projects', '*,client_id(name)', 'id=eq.1')).toEqual([
      { id: 1, name: 'Windows 7', client_id: { name: 'Microsoft' } },
    ])
    expect(
      await read('messages', 'users:body,a:users!sender_id(name),b:users!recipient_id(name)', 'id=eq.1'),
    ).toEqual([{ users: 'hello', a: { name: 'Grace' }, b: { name: 'Theo' } }])
    // An embed without columns takes no name.
    expect(await read('projects', 'client_id,client_id()', 'id=eq.1')).toEqual([{ client_id: 1 }])
  })
})

test('candidates are distinguished by number of parameters, description, names and types', async () => {
  await fixture.sql(`
    create function api.pick(a text default '') returns int language sql as 'select 1';
    create function api.pick(a int default 0) returns int language sql as 'select 2';
    create function api.pick(a int default 0, b text default '') returns int language sql as 'select 3';
    create function api.pick(a int default 0, b int default 0) returns int language sql as 'select 4';
    create function api.pick(a int default 0, "B" uuid default null) returns int language sql as 'select 5';
    create function api.pick(a boolean default true) returns int language sql as 'select 6';
    comment on function api.pick(boolean) is 'The first that was thought of'`)
  await fixture.reload()
  const { error } = await fixture.api.rpc('pick', { a: 1 })
  expect(error?.message).toBe(
    `Could not choose the best candidate function between: ${[
      'api.pick(a => integer)',
      'api.pick(a => text)',
      'api.pick(a => boolean)',
      'api.pick(a => integer, B => uuid)',
      'api.pick(a => integer, b => integer)',
      'api.pick(a => integer, b => text)',
    ].join(', ')}`,
  )
})

test('the nearest embed is sought among the names of tables, also of those behind a function', async () => {
  await fixture.sql(`
    create table api.barns (id int primary key, size int);
    create table api.stalls (id int primary key);
    create function api.roomy(b api.barns) returns setof api.stalls language sql stable as 'select * from api.stalls'`)
  await fixture.reload()
  expect(await read('barns', 'stals(id)')).toMatchObject({
    code: 'PGRST200',
    hint: "Perhaps you meant 'stalls' instead of 'stals'.",
  })
  expect(await read('barns', 'roomi(id)')).toMatchObject({ code: 'PGRST200', hint: null })
})
