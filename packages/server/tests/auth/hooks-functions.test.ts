// Hooks that are functions of the database: called as supabase_auth_admin, in the transaction of what they decide on.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { password } from './people.ts'
import { authServer, giver, raw } from './project.ts'

let server: TestServer

const NAMES = ['before_user_created', 'password_verification_attempt', 'send_email']

beforeAll(async () => {
  const table = (name: string) =>
    `[auth.hook.${name}]\nenabled = true\nuri = "pg-functions://postgres/hooks/${name}"`
  server = await authServer({ more: NAMES.map(table).join('\n') })
  await server.database.pool.query(`
    create schema hooks;
    grant usage on schema hooks to supabase_auth_admin;
    create table hooks.events (hook text, as_whom text, event jsonb);
    grant insert on hooks.events to supabase_auth_admin;
    create function hooks.before_user_created(event jsonb) returns jsonb language plpgsql as $$ begin
      if event->'user'->>'email' like '%@closed.example' then
        return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'This house is closed'));
      end if;
      return '{}';
    end $$;
    create function hooks.password_verification_attempt(event jsonb) returns jsonb language plpgsql as $$ begin
      if (event->>'valid')::boolean then return '{"decision": "continue"}'; end if;
      raise exception 'no such luck';
    end $$;
    create function hooks.send_email(event jsonb) returns jsonb language plpgsql as $$ begin
      insert into hooks.events values ('send_email', current_user, event);
      return null;
    end $$;
    grant execute on all functions in schema hooks to supabase_auth_admin;`)
})
afterAll(() => server?.stop())

test('one refuses an account, another is given its email, a third one sees its password', async () => {
  const closed = await stranger(server).auth.signUp({ email: 'sam@closed.example', password })
  expect(closed.error).toMatchObject({ status: 403, message: 'This house is closed' })

  const email = 'grace@example.com'
  await stranger(server).auth.signUp({ email, password, options: { data: giver('Grace') } })
  const { rows } = await server.database.pool.query('select as_whom, event from hooks.events')
  expect(rows).toMatchObject([
    { as_whom: 'supabase_auth_admin', event: { email_data: { email_action_type: 'signup' } } },
  ])
  const token = rows[0].event.email_data.token as string
  expect((await stranger(server).auth.verifyOtp({ email, token, type: 'signup' })).error).toBeNull()

  expect((await stranger(server).auth.signInWithPassword({ email, password })).error).toBeNull()
  const { status, json } = await raw(server, '/token?grant_type=password', {
    body: { email, password: 'Wrong-Word-1' },
  })
  expect([status, json.msg]).toEqual([
    500,
    'Error running hook URI: pg-functions://postgres/hooks/password_verification_attempt',
  ])
})

test('rows that a hook wrote are rolled back with the failed operation', async () => {
  const before = await server.database.pool.query('select from hooks.events')
  await server.database.pool.query(
    `create function hooks.refuse() returns trigger language plpgsql as $$ begin
       raise exception 'nobody else'; end $$;
     create constraint trigger refuse after insert on auth.users deferrable initially deferred
       for each row execute function hooks.refuse()`,
  )
  const data = giver('Sam')
  const { error } = await stranger(server).auth.signUp({
    email: 'sam@example.com',
    password,
    options: { data },
  })
  expect(error).toMatchObject({ message: 'nobody else' })
  const after = await server.database.pool.query('select from hooks.events')
  expect(after.rowCount).toBe(before.rowCount)
})
