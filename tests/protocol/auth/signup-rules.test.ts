// The marketplace's own rules in calls of auth: names, roles and phone numbers of a sign-up, profiles, deletion.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../../../packages/server/tests/auth/people.ts'
import { giver, nextMessage, raw } from '../../../packages/server/tests/auth/project.ts'
import { stranger } from '../../support/people.ts'
import type { TestServer } from '../../support/server.ts'
import { authServer } from './marketplace.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({
    sms: `enable_signup = true
enable_confirmations = true
max_frequency = "0s"
template = "{{ .Code }} is your Meadowlark code"`,
  })
})
afterAll(() => server?.stop())

test('a name that breaks a rule is answered with the rule, and makes no account', async () => {
  for (const [name, code, message] of [
    ['www.evil.example/prize Now', 'profile.name_address', 'Name cannot contain a web or e-mail address'],
    ['Meadowlark Support', 'profile.name_official', 'Name cannot suggest that it is Meadowlark itself'],
    ['Gra\u202ece', 'profile.name_hidden_characters', 'Name cannot contain invisible or control characters'],
    ['G', 'profile.name_too_short', 'Name must be at least 2 characters'],
  ] as const) {
    const { error } = await stranger(server).auth.signUp({
      email: 'nobody@example.com',
      password,
      options: { data: giver(name) },
    })
    expect(error).toMatchObject({ status: 422, code, message })
  }
  const { rows } = await server.database.pool.query(
    `select from auth.users where email = 'nobody@example.com'`,
  )
  expect(rows).toEqual([])
})

test('refusals of the application, in its own words', async () => {
  const { error } = await stranger(server).auth.signUp({
    email: 'grace+admin@example.com',
    password,
    options: { data: { full_name: 'Sam Stone', role: 'admin' } },
  })
  expect(error).toMatchObject({
    status: 422,
    code: 'account.role_invalid',
    message: 'role must be task_giver or task_doer',
  })
})

test('sign-up data the application refuses is no failure either', async () => {
  const cases = [
    [{}, 'profile.name_too_short'],
    [{ full_name: 'G', role: 'task_giver' }, 'profile.name_too_short'],
    [{ ...giver('Grace'), phone: 'call me' }, 'profile.phone_invalid'],
  ] as const
  for (const [data, code] of cases) {
    const { status, json } = await raw(server, '/signup', {
      body: { email: 'grace+refused@example.com', password: 'Meadowlark1', data },
    })
    expect([status, json.error_code]).toEqual([422, code])
  }
})

test("a provider's name becomes the profile's", async () => {
  const { rows } = await server.database.pool.query(
    `insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data)
     values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
       'grace+google@example.com', now(), '{"provider":"google","providers":["google"]}',
       '{"name":"Grace Field","full_name":"Grace Field"}')
     returning id`,
  )
  const profile = await server.database.pool.query('select full_name from public.profiles where id = $1', [
    rows[0].id,
  ])
  expect(profile.rows).toEqual([{ full_name: 'Grace Field' }])
})

test('a phone number is typed to delete an account that has nothing else, after a code that was texted to it', async () => {
  const phone = '+13065550117'
  const client = stranger(server)
  const made = await client.auth.signUp({ phone, password, options: { data: giver('Grace Phone') } })
  expect(made.error).toBeNull()
  const token = (await nextMessage(server, phone)).text.slice(0, 6)
  expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).error).toBeNull()
  const refused = await client.rpc('delete_account', { confirmation: '+1 306 555 0118' })
  expect(refused.error).toMatchObject({ message: 'Type your phone number exactly as it is shown' })
  expect((await client.rpc('delete_account', { confirmation: '' })).error).not.toBeNull()
  const done = await client.rpc('delete_account', { confirmation: '+1 (306) 555-0117' })
  expect(done.error).toBeNull()
  const gone = await stranger(server).auth.signInWithPassword({ phone, password })
  expect(gone.error?.code).toBe('invalid_credentials')
})

describe('a mailbox', () => {
  let limited: TestServer
  beforeAll(async () => {
    limited = await authServer({ email: 'max_frequency = "60s"' })
  })
  afterAll(() => limited?.stop())

  test('is not closed by a request that sent nothing', async () => {
    const { auth } = stranger(limited)
    const email = 'nobody+first@example.com'
    const refused = await auth.signUp({ email, password, options: { data: { role: 'king' } } })
    expect(refused.error?.status).toBe(422)
    const { error } = await auth.signUp({ email, password, options: { data: giver('Grace') } })
    expect(error).toBeNull()
  })
})
