// Answers and log lines when the project's triggers on auth's tables fail or reject.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  test,
  vi,
} from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer
let log: MockInstance

beforeAll(async () => {
  server = await authServer({
    more: `[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/token_hook"`,
  })
  // Fails, or refuses, as the table says for an operation: what a project's broken or strict trigger does.
  await server.database.pool.query(`
    create table public.mishaps (operation text primary key, sql text not null);
    create table public.seats (number smallint primary key, email text unique);
    create function public.meet_mishap() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      mishap text;
    begin
      select m.sql into mishap from mishaps m where m.operation = tg_op || ' ' || tg_table_name;
      if mishap is not null then
        execute mishap using coalesce(to_jsonb(new), to_jsonb(old));
      end if;
      return coalesce(new, old);
    end $$;
    create trigger meet_mishap before insert or update or delete on auth.users
      for each row execute function public.meet_mishap();
    create trigger meet_mishap before insert on auth.identities
      for each row execute function public.meet_mishap();
    create function public.token_hook(event jsonb) returns jsonb language plpgsql as $$
    begin
      if event -> 'claims' ->> 'email' like '%hooked%' then
        perform (event -> 'claims' ->> 'email')::integer;
      end if;
      return event;
    end $$;
    grant execute on function public.token_hook to supabase_auth_admin;
    grant usage on schema public to supabase_auth_admin;`)
})
afterAll(() => server?.stop())

beforeEach(() => {
  log = vi.spyOn(server.services.log, 'error')
})
afterEach(async () => {
  log.mockRestore()
  await server.database.pool.query('truncate public.mishaps')
})

const onOperation = (operation: string, sql: string) =>
  server.database.pool.query('insert into public.mishaps values ($1, $2)', [operation, sql])
const noTable = 'select 1 from public.no_such_table'
const logged = () => log.mock.calls.map(([fields, words]) => ({ ...(fields as object), words }))
const signUp = (email: string) =>
  raw(server, '/signup', { body: { email, password, data: giver('Grace Field') } })
const asAdmin = (path: string, init: object = {}) =>
  raw(server, path, { ...init, headers: { apikey: server.secretKey }, bearer: server.secretKey })

const failure = (msg: string) => ({ code: 500, error_code: 'unexpected_failure', msg })

describe('a trigger that fails', () => {
  test('at sign-up answers in Supabase’s words, and the log says what and where', async () => {
    await onOperation('INSERT users', noTable)
    const { status, json } = await signUp('grace+fails@example.com')
    expect({ status, json }).toEqual({ status: 500, json: failure('Database error saving new user') })
    expect(logged()).toEqual([
      expect.objectContaining({
        sqlstate: '42P01',
        message: 'relation "public.no_such_table" does not exist',
        context: expect.stringContaining('PL/pgSQL function meet_mishap() line 7 at EXECUTE'),
        words: 'auth request failed: Database error saving new user',
      }),
    ])
  })

  test.each([
    [
      'breaks a constraint',
      `insert into public.seats select 1, $1 ->> 'email' from generate_series(1, 2)`,
      '23505',
    ],
    ['cannot read a value', `select ($1 ->> 'email')::integer`, '22P02'],
    [
      'quotes a value in its statement',
      `insert into public.seats values (1, 'grace+private@example.com'), (1, '')`,
      '23505',
    ],
    ['reads no JSON', `select ($1 ->> 'email')::json`, '22P02'],
  ])('and %s leaves nobody’s data in the log', async (_, sql, sqlstate) => {
    await onOperation('INSERT users', sql)
    const email = 'grace+private@example.com'
    const { status, json } = await signUp(email)
    expect({ status, json }).toEqual({ status: 500, json: failure('Database error saving new user') })
    expect(logged()).toEqual([expect.objectContaining({ sqlstate })])
    const written = JSON.stringify(log.mock.calls)
    for (const secret of [email, 'Grace Field']) expect(written).not.toContain(secret)
  })

  test('at an insert of an identity, an invitation, an administrator’s account or link', async () => {
    await onOperation('INSERT identities', noTable)
    expect((await signUp('grace+identity@example.com')).json).toEqual(
      failure('Database error saving new user'),
    )
    await onOperation('INSERT users', noTable)
    const email = 'grace+made@example.com'
    const user_metadata = giver('Grace Made')
    const invited = await asAdmin('/invite', { body: { email, data: user_metadata } })
    expect(invited.json).toEqual(failure('Database error saving new user'))
    const link = await asAdmin('/admin/generate_link', {
      body: { type: 'signup', email, password, data: user_metadata },
    })
    expect(link.json).toEqual(failure('Database error saving new user'))
    const made = await asAdmin('/admin/users', { body: { email, user_metadata } })
    expect(made.json).toEqual(failure('Database error creating new user'))
    expect(logged().map((entry) => (entry as { sqlstate?: string }).sqlstate)).toEqual(Array(4).fill('42P01'))
  })

  test('at a change or a deletion', async () => {
    const { session } = await newPerson(server, 'grace+changes@example.com')
    const path = `/admin/users/${session.user.id}`
    await onOperation('UPDATE users', noTable)
    const own = await raw(server, '/user', {
      method: 'PUT',
      bearer: session.access_token,
      body: { data: { city: 'Regina' } },
    })
    expect(own.json).toEqual(failure('Error updating user'))
    const changed = await asAdmin(path, { method: 'PUT', body: { user_metadata: { city: 'Regina' } } })
    expect(changed.json).toEqual(failure('Error updating user'))
    const grant = await raw(server, '/token?grant_type=password', {
      body: { email: 'grace+changes@example.com', password },
    })
    expect(grant.json).toEqual(failure('Database error granting user'))
    await onOperation('DELETE users', noTable)
    const deleted = await asAdmin(path, { method: 'DELETE', body: {} })
    expect(deleted.json).toEqual(failure('Database error deleting user'))
    expect(logged()).toHaveLength(4)
  })

  test('at a confirmation, by code and by link, which leads back to the app', async () => {
    const email = 'grace+confirms@example.com'
    await signUp(email)
    const message = await nextMessage(server, email)
    await onOperation('UPDATE users', noTable)
    const typed = await raw(server, '/verify', { body: { type: 'signup', email, token: message.code } })
    expect(typed.json).toEqual(failure('Error confirming user'))
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    const followed = await fetch(link, { redirect: 'manual' })
    const target = new URL(followed.headers.get('location') as string)
    expect(Object.fromEntries(new URLSearchParams(target.hash.slice(1)))).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error confirming user',
    })
    expect(logged()).toHaveLength(2)
  })

  test('in the hook of access tokens is written down without the claims', async () => {
    const email = 'grace+hooked@example.com'
    await signUp(email)
    const { code: token } = await nextMessage(server, email)
    const { json } = await raw(server, '/verify', { body: { type: 'signup', email, token } })
    expect(json).toEqual(failure('Error running hook URI: pg-functions://postgres/public/token_hook'))
    expect(logged()).toEqual([expect.objectContaining({ sqlstate: '22P02' })])
    expect(JSON.stringify(log.mock.calls)).not.toContain('hooked@')
  })
})

describe('a trigger that refuses', () => {
  const raising = (errcode: string) =>
    `do $do$ begin raise exception 'The house is full' using errcode = '${errcode}'; end $do$`

  test.each(['P0001', '42501', 'ML001', '23514'])(
    'with RAISE and %s is answered with its words',
    async (errcode) => {
      await onOperation('INSERT users', raising(errcode))
      const { status, json } = await signUp('grace+full@example.com')
      const refused = { code: 422, error_code: 'validation_failed', msg: 'The house is full' }
      expect({ status, json }).toEqual({ status: 422, json: refused })
      const made = await asAdmin('/admin/users', { body: { email: 'grace+full@example.com' } })
      expect(made.json).toEqual(refused)
      expect(logged()).toEqual([])
    },
  )

  test('with a PT code chooses the status', async () => {
    await onOperation('INSERT users', raising('PT402'))
    const { status, json } = await signUp('grace+full@example.com')
    expect([status, json.msg]).toEqual([402, 'The house is full'])
  })

  test('a change, a deletion or a confirmation is answered with its words', async () => {
    const { client, session } = await newPerson(server, 'grace+held@example.com')
    const waiting = 'grace+waiting@example.com'
    await signUp(waiting)
    const message = await nextMessage(server, waiting)
    for (const operation of ['UPDATE users', 'DELETE users']) await onOperation(operation, raising('P0001'))
    const { error } = await client.auth.updateUser({ data: { city: 'Regina' } })
    expect(error).toMatchObject({ status: 422, message: 'The house is full' })
    const deleted = await asAdmin(`/admin/users/${session.user.id}`, { method: 'DELETE', body: {} })
    expect([deleted.status, deleted.json.msg]).toEqual([422, 'The house is full'])
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    const followed = await fetch(link, { redirect: 'manual' })
    expect(followed.headers.get('location')).toContain('error_description=The+house+is+full')
    expect(logged()).toEqual([])
  })
})
