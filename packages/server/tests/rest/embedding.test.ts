// Embedding through postgrest-js: every kind of relationship, hints, joins, spreads, filters across embeds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture?.stop())

/** The data of a select on a table, ordered by its first column by default. */
async function read(table: string, select: string, query = ''): Promise<unknown> {
  const parameters = new URLSearchParams([['select', select], ...new URLSearchParams(query)])
  const response = await fixture.ask(`/${table}?${parameters}`, { headers: { 'accept-profile': 'api' } })
  return response.json()
}

describe('kinds of relationships', () => {
  test('many-to-one, one-to-many, one-to-one, many-to-many', async () => {
    const { data } = await fixture.api
      .from('projects')
      .select('name,clients(name),tasks(name,users(name)),project_details(budget)')
      .eq('id', 1)
      .order('id', { referencedTable: 'tasks' })
      .single()
    expect(data).toEqual({
      name: 'Windows 7',
      clients: { name: 'Microsoft' },
      tasks: [
        { name: 'Design w7', users: [{ name: 'Grace' }, { name: 'Sam' }] },
        { name: 'Code w7', users: [{ name: 'Grace' }] },
      ],
      project_details: { budget: 1000.5 },
    })
    expect(await read('project_details', 'projects(name)', 'project_id=eq.3')).toEqual([
      { projects: { name: 'IOS' } },
    ])
    expect(await read('projects', 'clients(name),project_details(budget),tasks(id)', 'id=eq.5')).toEqual([
      { clients: null, project_details: null, tasks: [] },
    ])
  })

  test('the junction itself, with its own columns', async () => {
    expect(
      await read('users', 'name,users_tasks(since,tasks(name))', 'id=eq.3&users_tasks.order=task_id'),
    ).toEqual([
      {
        name: 'Sam',
        users_tasks: [
          { since: '2026-01-01', tasks: { name: 'Design w7' } },
          { since: '2026-01-01', tasks: { name: 'Design IOS' } },
        ],
      },
    ])
  })

  test('keys of several columns', async () => {
    expect(await read('compound', 'note,compound_children(id)', 'order=note')).toEqual([
      { note: 'one', compound_children: [{ id: 1 }, { id: 2 }] },
      { note: 'three', compound_children: [{ id: 3 }] },
      { note: 'two', compound_children: [] },
    ])
    expect(await read('compound_children', 'compound(note)', 'id=eq.3')).toEqual([
      { compound: { note: 'three' } },
    ])
  })

  test('a table with itself: the column names the one, the table the many', async () => {
    expect(await read('organizations', 'name,parent_id(name),auditor_id(name)', 'id=eq.3')).toEqual([
      { name: 'Child A', parent_id: { name: 'Parent' }, auditor_id: { name: 'Auditors' } },
    ])
    expect(
      await read('organizations', 'name,children:organizations!parent_id(name)', 'id=eq.2&children.order=id'),
    ).toEqual([{ name: 'Parent', children: [{ name: 'Child A' }, { name: 'Child B' }] }])
  })

  test('through views, also views of views, renamed columns and materialized views', async () => {
    expect(await read('projects_view', 'name,clients(name)', 'id=eq.1')).toEqual([
      { name: 'Windows 7', clients: { name: 'Microsoft' } },
    ])
    expect(
      await read('renamed_projects', 'title,clients(name),tasks(id)', 'pid=eq.4&tasks.order=id'),
    ).toEqual([{ title: 'OSX', clients: { name: 'Apple' }, tasks: [{ id: 7 }, { id: 8 }] }])
    expect(await read('view_of_view', 'pid,clients_view(name)', 'pid=eq.3')).toEqual([
      { pid: 3, clients_view: { name: 'Apple' } },
    ])
    expect(
      await read('clients', 'name,renamed_projects(title)', 'id=eq.1&renamed_projects.order=pid'),
    ).toEqual([{ name: 'Microsoft', renamed_projects: [{ title: 'Windows 7' }, { title: 'Windows 10' }] }])
    expect(await read('joined', 'name,project,clients(name)', 'id=eq.6')).toEqual([
      { name: 'Code IOS', project: 'IOS', clients: { name: 'Apple' } },
    ])
    expect(await read('project_counts', 'projects,clients(name)', 'client_id=eq.2')).toEqual([
      { projects: 2, clients: { name: 'Apple' } },
    ])
  })

  test('computed relationships, to one and to many', async () => {
    expect(await read('projects', 'id,always_client(name),big_tasks(name)', 'id=in.(1,5)&order=id')).toEqual([
      { id: 1, always_client: { name: 'Microsoft' }, big_tasks: [{ name: 'Code w7' }] },
      { id: 5, always_client: { name: 'Nobody' }, big_tasks: [] },
    ])
  })

  test('several embeds of one table, distinguished by hints and names', async () => {
    expect(
      await read(
        'messages',
        'body,sender:users!sender_id(name),recipient:users!messages_recipient_id_fkey(name)',
        'id=eq.1',
      ),
    ).toEqual([{ body: 'hello', sender: { name: 'Grace' }, recipient: { name: 'Theo' } }])
    expect(await read('messages', 'messages_sender_id_fkey(name),recipient_id(name)', 'id=eq.2')).toEqual([
      { messages_sender_id_fkey: { name: 'Theo' }, recipient_id: { name: 'Grace' } },
    ])
    expect(await read('users', 'name,sent:messages!sender_id(body)', 'id=eq.2')).toEqual([
      { name: 'Theo', sent: [{ body: 'hi' }] },
    ])
    expect(await read('users', 'name,tasks!users_tasks(id)', 'id=eq.3&tasks.order=id')).toEqual([
      { name: 'Sam', tasks: [{ id: 1 }, { id: 5 }] },
    ])
  })
})

describe('joins, filters, orders across embeds', () => {
  test('inner keeps only parents with rows', async () => {
    expect(await read('clients', 'name,projects!inner(name)', 'projects.name=eq.IOS')).toEqual([
      { name: 'Apple', projects: [{ name: 'IOS' }] },
    ])
    expect(await read('projects', 'name,clients!inner(name)', 'clients.name=like.A*&order=name')).toEqual([
      { name: 'IOS', clients: { name: 'Apple' } },
      { name: 'OSX', clients: { name: 'Apple' } },
    ])
    expect(
      await read('clients', 'name,projects!inner(tasks!inner(name))', 'projects.tasks.name=eq.Code OSX'),
    ).toEqual([{ name: 'Apple', projects: [{ tasks: [{ name: 'Code OSX' }] }] }])
    expect(await read('clients', 'name,projects!left(id)', 'id=eq.3')).toEqual([
      { name: 'Nobody', projects: [] },
    ])
    const counted = await fixture.api
      .from('clients')
      .select('name,projects!inner(name)', { count: 'exact' })
      .eq('projects.name', 'IOS')
    expect(counted.count).toBe(1)
  })

  test('whether an embed has rows is a filter, alone and in or', async () => {
    expect(await read('clients', 'name,projects()', 'projects=is.null')).toEqual([{ name: 'Nobody' }])
    expect(await read('projects', 'name,clients(name)', 'clients=not.is.null&order=id&limit=1')).toEqual([
      { name: 'Windows 7', clients: { name: 'Microsoft' } },
    ])
    expect(
      await read(
        'projects',
        'id,clients(),project_details()',
        'or=(clients.is.null,project_details.not.is.null)&order=id',
      ),
    ).toEqual([{ id: 1 }, { id: 3 }, { id: 5 }])
    expect(await read('clients', 'name,projects()', 'projects.name=eq.OSX&projects=not.is.null')).toEqual([
      { name: 'Apple' },
    ])
    const counted = await fixture.api
      .from('clients')
      .select('projects()', { count: 'exact' })
      .is('projects', null)
    expect(counted.count).toBe(1)
  })

  test('embeds are filtered, ordered and limited by themselves', async () => {
    const { data } = await fixture.api
      .from('clients')
      .select('name,projects(name,tasks(id))')
      .order('name', { referencedTable: 'projects', ascending: false })
      .limit(1, { referencedTable: 'projects' })
      .eq('projects.tasks.done', true)
      .order('id')
      .limit(2)
    expect(data).toEqual([
      { name: 'Microsoft', projects: [{ name: 'Windows 7', tasks: [{ id: 1 }] }] },
      { name: 'Apple', projects: [{ name: 'OSX', tasks: [] }] },
    ])
    expect(await read('clients', 'projects(id)', 'id=eq.1&projects.offset=1&projects.order=id')).toEqual([
      { projects: [{ id: 2 }] },
    ])
    expect(await read('clients', 'p:projects(id)', 'id=eq.1&p.or=(id.eq.2,name.eq.x)')).toEqual([
      { p: [{ id: 2 }] },
    ])
    expect(await read('clients', 'p:projects(id)', 'id=eq.1&p.not.and=(id.eq.2,name.like.W*)')).toEqual([
      { p: [{ id: 1 }] },
    ])
  })

  test('a to-one embed orders its parent', async () => {
    expect(
      await read('projects', 'id,clients(name)', 'order=clients(name).nullsfirst,id.desc&limit=3'),
    ).toEqual([
      { id: 5, clients: null },
      { id: 4, clients: { name: 'Apple' } },
      { id: 3, clients: { name: 'Apple' } },
    ])
    const { data } = await fixture.api
      .from('projects')
      .select('id,c:clients(name)')
      .order('c(id)', { ascending: false, nullsFirst: false })
      .order('id')
      .limit(1)
    expect(data).toEqual([{ id: 3, c: { name: 'Apple' } }])
  })
})

describe('spreads', () => {
  test('to one: columns move up', async () => {
    expect(await read('projects', 'name,...clients(client:name)', 'id=in.(1,5)&order=id')).toEqual([
      { name: 'Windows 7', client: 'Microsoft' },
      { name: 'Orphan', client: null },
    ])
    expect(
      await read(
        'tasks',
        'name,...projects(project:name,...clients(client:name),project_details(budget))',
        'id=eq.1',
      ),
    ).toEqual([
      { name: 'Design w7', project: 'Windows 7', client: 'Microsoft', project_details: { budget: 1000.5 } },
    ])
    expect(await read('project_details', '...projects(*)', 'project_id=eq.1')).toEqual([
      { id: 1, name: 'Windows 7', client_id: 1 },
    ])
  })

  test('to many: columns become arrays', async () => {
    expect(
      await read('clients', 'name,...projects(names:name,id)', 'order=id&projects.order=id.desc'),
    ).toEqual([
      { name: 'Microsoft', names: ['Windows 10', 'Windows 7'], id: [2, 1] },
      { name: 'Apple', names: ['OSX', 'IOS'], id: [4, 3] },
      { name: 'Nobody', names: [], id: [] },
    ])
    expect(
      await read('users', 'name,...tasks(task:name,...projects(project:name))', 'id=eq.3&tasks.order=id'),
    ).toEqual([{ name: 'Sam', task: ['Design w7', 'Design IOS'], project: ['Windows 7', 'IOS'] }])
    expect(await read('clients', '...projects(*)', 'id=eq.2&projects.order=id')).toEqual([
      { id: [3, 4], name: ['IOS', 'OSX'], client_id: [2, 2] },
    ])
  })
})

describe('aggregates', () => {
  test('are refused unless enabled', async () => {
    expect(await read('tasks', 'hours.sum()')).toMatchObject({ code: 'PGRST123' })
  })

  test('when enabled, group by what else is selected', async () => {
    await fixture.configure({ db_aggregates_enabled: 'true' })
    try {
      expect(await read('tasks', 'hours.sum(),n:count(),hours.avg()::int,hours.max(),hours.min()')).toEqual([
        { sum: 140, n: 8, avg: 20, max: 35, min: 5 },
      ])
      expect(await read('tasks', 'done,count()', 'order=done')).toEqual([
        { done: false, count: 3 },
        { done: true, count: 3 },
        { done: null, count: 2 },
      ])
      expect(await read('projects', 'name,tasks(hours.sum())', 'id=eq.1')).toEqual([
        { name: 'Windows 7', tasks: [{ sum: 30 }] },
      ])
      expect(await read('projects', 'count(),clients(name)', 'client_id=not.is.null')).toEqual([
        { count: 2, clients: { name: 'Apple' } },
        { count: 2, clients: { name: 'Microsoft' } },
      ])
      expect(
        await read('tasks', '...projects(project:name),hours.sum()', 'project_id=lte.2&order=project_id'),
      ).toMatchObject({
        code: '42803',
      })
      expect(await read('project_details', '...projects(client_id),budget.sum()', 'project_id=eq.1')).toEqual(
        [{ client_id: 1, sum: 1000.5 }],
      )
      expect(await read('projects', 'client_id,...project_details(budget.sum())', 'client_id=eq.1')).toEqual([
        { client_id: 1, sum: 1000.5 },
      ])
      expect(await read('projects', 'client_id,...project_details(count())', 'client_id=eq.1')).toEqual([
        { client_id: 1, count: 1 },
      ])
      expect(await read('clients', '...projects(id.sum())')).toMatchObject({ code: 'PGRST127' })
    } finally {
      await fixture.configure({ db_aggregates_enabled: null })
    }
  })
})

describe('mistakes', () => {
  test('no relationship, with the nearest name', async () => {
    expect(await read('projects', 'cliens(*)')).toEqual({
      code: 'PGRST200',
      message: "Could not find a relationship between 'projects' and 'cliens' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'projects' and 'cliens' in the schema 'api', but no matches were found.",
      hint: "Perhaps you meant 'clients' instead of 'cliens'.",
    })
    expect(await read('projects', 'clients!wrong(*)')).toMatchObject({
      code: 'PGRST200',
      details:
        "Searched for a foreign key relationship between 'projects' and 'clients' using the hint 'wrong' in the schema 'api', but no matches were found.",
    })
  })

  test('several relationships, with how to choose', async () => {
    const { error, status } = await fixture.api.from('messages').select('users(name)')
    expect(status).toBe(300)
    expect(error).toEqual({
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'messages' and 'users'",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'messages with users',
          relationship: 'messages_recipient_id_fkey using messages(recipient_id) and users(id)',
        },
        {
          cardinality: 'many-to-one',
          embedding: 'messages with users',
          relationship: 'messages_sender_id_fkey using messages(sender_id) and users(id)',
        },
      ],
      hint:
        "Try changing 'users' to one of the following: 'users!messages_recipient_id_fkey', 'users!messages_sender_id_fkey'. " +
        "Find the desired relationship in the 'details' key.",
    })
  })

  test('parameters about what is not embedded', async () => {
    expect(await read('projects', 'name', 'clients.name=eq.x')).toEqual({
      code: 'PGRST108',
      message: "'clients' is not an embedded resource in this request",
      details: null,
      hint: "Verify that 'clients' is included in the 'select' query parameter.",
    })
    expect(await read('projects', 'name,tasks(id)', 'order=tasks(id)')).toMatchObject({
      code: 'PGRST118',
      message: "A related order on 'tasks' is not possible",
      details: "'projects' and 'tasks' do not form a many-to-one or one-to-one relationship",
    })
    expect(await read('projects', 'name,clients(id)', 'clients=eq.1')).toMatchObject({ code: 'PGRST120' })
  })
})
