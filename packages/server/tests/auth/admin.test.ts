// The administrative endpoints, through supabase-js with the secret key; and that nobody else gets in.
import { hash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, signIn, stillSignedIn } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

type AuditEntry = { id: string; payload: Record<string, string>; created_at: string; ip_address: string }

let server: TestServer

beforeAll(async () => {
  server = await authServer()
})
afterAll(() => server?.stop())

const admin = () => stranger(server, server.secretKey).auth.admin

describe('users', () => {
  test('are made confirmed, with a password or its hash', async () => {
    const { data, error } = await admin().createUser({
      email: 'Grace+Made@example.com',
      password: 'Meadowlark1',
      email_confirm: true,
      user_metadata: giver('Grace Made'),
      app_metadata: { plan: 'founder' },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: 'grace+made@example.com',
      app_metadata: { provider: 'email', providers: ['email'], plan: 'founder' },
      user_metadata: { full_name: 'Grace Made', email_verified: true },
    })
    expect((await signIn(server, 'grace+made@example.com', 'Meadowlark1')).session.user.id).toBe(
      data.user?.id,
    )

    const id = '11111111-2222-4333-8444-555555555555'
    const imported = await admin().createUser({
      id,
      email: 'grace+imported@example.com',
      password_hash: await hash('FromElsewhere1', 6),
      email_confirm: true,
      user_metadata: giver('Grace Imported'),
    })
    expect(imported.data.user?.id).toBe(id)
    expect((await signIn(server, 'grace+imported@example.com', 'FromElsewhere1')).session).toBeTruthy()
  })

  test.each([
    [{}, 'Cannot create a user without either an email or phone'],
    [
      { email: 'grace+x@example.com', password: 'a', password_hash: 'b' },
      /Only a password or a password hash/,
    ],
    [{ email: 'grace+x@example.com', password_hash: 'plain' }, /password_hash must be a bcrypt hash/],
    [{ email: 'grace+x@example.com', id: 'x' }, /ID must conform to the uuid v4 format/],
    [{ email: 'grace+x@example.com', id: '00000000-0000-0000-0000-000000000000' }, /ID cannot be a nil uuid/],
    [{ email: 'grace+x@example.com', ban_duration: 'soon' }, /invalid format for ban duration/],
    [{ email: 'grace+made@example.com', user_metadata: giver('Grace') }, /has already been registered/],
  ])('are refused as %o', async (attributes, message) => {
    const { error } = await admin().createUser(attributes as never)
    expect(error?.status).toBeLessThan(500)
    expect(error?.message).toMatch(message)
  })

  test('are found, listed by page and by words', async () => {
    for (const name of ['Ann Lister', 'Bea Lister', 'Cal Lister']) {
      await admin().createUser({
        email: `${name.slice(0, 3).toLowerCase()}@list.example`,
        user_metadata: giver(name),
      })
    }
    const { data } = await admin().listUsers({ page: 1, perPage: 2 })
    expect(data.users).toHaveLength(2)
    expect(data).toMatchObject({ aud: 'authenticated', nextPage: 2, total: expect.any(Number) })
    const found = await raw(server, '/admin/users?filter=lister&sort=created_at%20asc', {
      bearer: server.secretKey,
    })
    const emails = (found.json.users as { email: string }[]).map(({ email }) => email)
    expect(emails).toEqual(['ann@list.example', 'bea@list.example', 'cal@list.example'])
    const everything = await raw(server, '/admin/users?filter=%25_%25', { bearer: server.secretKey })
    expect(everything.json.users).toEqual([])
    const [first] = data.users
    expect((await admin().getUserById(first?.id as string)).data.user?.email).toBe(first?.email)
    const missing = await admin().getUserById('99999999-9999-4999-8999-999999999999')
    expect(missing.error).toMatchObject({ status: 404, code: 'user_not_found' })
    const odd = await raw(server, '/admin/users/one', { bearer: server.secretKey })
    expect([odd.status, odd.json.msg]).toEqual([404, 'user_id must be an UUID'])
  })

  test('are changed without emails', async () => {
    const { session } = await newPerson(server, 'grace+changed@example.com')
    const { data, error } = await admin().updateUserById(session.user.id, {
      email: 'grace+moved@example.com',
      email_confirm: true,
      password: 'Changed123',
      user_metadata: { city: 'Moose Jaw' },
      app_metadata: { trusted: true },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: 'grace+moved@example.com',
      user_metadata: { city: 'Moose Jaw', full_name: 'Grace Field' },
      app_metadata: { trusted: true, provider: 'email' },
    })
    expect(await stillSignedIn(server, session)).not.toBe('yes')
    expect((await signIn(server, 'grace+moved@example.com', 'Changed123')).session).toBeTruthy()
    const taken = await admin().updateUserById(session.user.id, { email: 'grace+made@example.com' })
    expect(taken.error).toMatchObject({ status: 422, code: 'email_exists' })
  })

  test('are deleted, or forgotten while their row stays', async () => {
    const hard = await newPerson(server, 'grace+hard@example.com')
    expect((await admin().deleteUser(hard.session.user.id)).error).toBeNull()
    expect((await admin().getUserById(hard.session.user.id)).error?.code).toBe('user_not_found')
    expect((await newPerson(server, 'grace+hard@example.com')).session.user.id).not.toBe(hard.session.user.id)

    const soft = await newPerson(server, 'grace+soft@example.com')
    expect((await admin().deleteUser(soft.session.user.id, true)).error).toBeNull()
    const { data } = await admin().getUserById(soft.session.user.id)
    expect([data.user?.user_metadata, data.user?.app_metadata]).toEqual([{}, {}])
    expect(JSON.stringify(data.user)).not.toContain('grace+soft@example.com')
    expect(data.user?.deleted_at).toBeTruthy()
    expect(await stillSignedIn(server, soft.session)).not.toBe('yes')
    expect((await newPerson(server, 'grace+soft@example.com')).session).toBeTruthy()
  })
})

describe('links and invitations', () => {
  test.each(['magiclink', 'recovery'] as const)('a %s link signs in', async (type) => {
    const { session } = await newPerson(server, `${type}@example.com`)
    const { data, error } = await admin().generateLink({ type, email: `${type}@example.com` })
    expect(error).toBeNull()
    expect(data.user?.user_metadata).toEqual(session.user.user_metadata)
    expect(data.properties).toMatchObject({
      verification_type: type,
      email_otp: expect.stringMatching(/^\d{6}$/),
    })
    expect(data.user?.id).toBe(session.user.id)
    const used = await stranger(server).auth.verifyOtp({
      token_hash: data.properties?.hashed_token as string,
      type,
    })
    expect(used.data.session?.user.id).toBe(session.user.id)
  })

  test('a sign-up link makes the account and its code confirms it', async () => {
    const { data, error } = await admin().generateLink({
      type: 'signup',
      email: 'grace+linked@example.com',
      password: 'Meadowlark1',
      options: { data: giver('Grace Linked') },
    })
    expect(error).toBeNull()
    // As it was given, with nothing added.
    expect(data.user?.user_metadata).toEqual(giver('Grace Linked'))
    expect(data.properties?.action_link).toContain('/auth/v1/verify?token=')
    const used = await stranger(server).auth.verifyOtp({
      email: 'grace+linked@example.com',
      token: data.properties?.email_otp as string,
      type: 'signup',
    })
    expect(used.data.session?.user.email).toBe('grace+linked@example.com')
    const again = await admin().generateLink({
      type: 'signup',
      email: 'grace+linked@example.com',
      password: 'Meadowlark1',
    })
    expect(again.error?.code).toBe('email_exists')
  })

  test('links for both ends of a change of address', async () => {
    await newPerson(server, 'grace+end-old@example.com')
    const link = async (type: 'email_change_current' | 'email_change_new') => {
      const { data, error } = await admin().generateLink({
        type,
        email: 'grace+end-old@example.com',
        newEmail: 'grace+end-new@example.com',
      })
      expect(error).toBeNull()
      return data.properties?.action_link as string
    }
    const [current, fresh] = [await link('email_change_current'), await link('email_change_new')]
    const half = await fetch(current, { redirect: 'manual' })
    expect(half.headers.get('location')).toContain('Confirmation+link+accepted')
    const done = await fetch(fresh, { redirect: 'manual' })
    expect(done.headers.get('location')).toContain('access_token=')
  })

  test('a recovery link for nobody, or of a kind there is not, is refused', async () => {
    const nobody = await admin().generateLink({ type: 'recovery', email: 'grace+nobody@example.com' })
    expect(nobody.error).toMatchObject({ status: 404, code: 'user_not_found' })
    const odd = await admin().generateLink({ type: 'other' as never, email: 'grace+nobody@example.com' })
    expect(odd.error?.message).toBe('Invalid email action link type requested: other')
  })

  test('an invitation is mailed, and accepting it signs in', async () => {
    const { data, error } = await admin().inviteUserByEmail('grace+invited@example.com', {
      data: { full_name: 'Theo Invited' },
    })
    expect(error).toBeNull()
    expect(data.user?.invited_at).toBeTruthy()
    const { code } = await nextMessage(server, 'grace+invited@example.com')
    const { data: accepted } = await stranger(server).auth.verifyOtp({
      email: 'grace+invited@example.com',
      token: code as string,
      type: 'invite',
    })
    expect(accepted.session).toBeTruthy()
    const again = await admin().inviteUserByEmail('grace+invited@example.com')
    expect(again.error?.code).toBe('email_exists')
  })

  test('a session can be ended from outside', async () => {
    const { session } = await newPerson(server, 'grace+outside@example.com')
    expect((await admin().signOut(session.access_token, 'global')).error).toBeNull()
    expect(await stillSignedIn(server, session)).not.toBe('yes')
  })
})

test('the audit entries are listed, newest first, by page and by scope', async () => {
  const { session } = await newPerson(server, 'grace+audited@example.com')
  const list = async (query: string) => {
    const { status, json, headers } = await raw(server, `/admin/audit?${query}`, { bearer: server.secretKey })
    return { status, json, entries: json as unknown as AuditEntry[], headers }
  }
  const { status, entries, headers } = await list('query=author:GRACE%2Baudited&per_page=2')
  expect(status).toBe(200)
  expect(entries.map(({ payload }) => payload.action)).toEqual([
    'user_signedup',
    'user_confirmation_requested',
  ])
  expect(entries[0]).toEqual({
    id: expect.any(String),
    created_at: expect.any(String),
    ip_address: '127.0.0.1',
    payload: expect.objectContaining({
      actor_id: session.user.id,
      actor_username: 'grace+audited@example.com',
      log_type: 'team',
    }),
  })
  expect(headers.get('x-total-count')).toBe('2')
  const { entries: logins } = await list('query=action:login&per_page=1')
  expect(logins.map(({ payload }) => payload.action)).toEqual(['login'])
  const { entries: types } = await list('query=type:team&page=1')
  expect(new Set(types.map(({ payload }) => payload.log_type))).toEqual(new Set(['team']))
  const wrong = await list('query=ip:127.0.0.1')
  expect([wrong.status, wrong.json.msg]).toEqual([400, 'Invalid query scope: ip:127.0.0.1'])
})

test('the secret key in `apikey` alone gets in', async () => {
  const headers = { apikey: server.secretKey }
  const body = { email: 'grace+alone@example.com', user_metadata: giver('Grace Alone') }
  const made = await raw(server, '/admin/users', { headers, body })
  expect([made.status, made.json.email]).toEqual([200, body.email])
  const listed = await raw(server, '/admin/users?per_page=1', { headers })
  expect([listed.status, (listed.json.users as unknown[]).length]).toEqual([200, 1])
  const invited = await raw(server, '/invite', { headers, body: { email: 'grace+alone-asked@example.com' } })
  expect(invited.status).toBe(200)
  // A person's token decides, whichever key comes with it.
  const { session } = await newPerson(server, 'grace+alone-person@example.com')
  const person = await raw(server, '/admin/users', { headers, bearer: session.access_token })
  expect([person.status, person.json.error_code]).toEqual([403, 'not_admin'])
})

test('nobody but the secret key gets in', async () => {
  const { session } = await newPerson(server, 'grace+climbing@example.com')
  const id = session.user.id
  const endpoints: [string, string, unknown?][] = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users', { email: 'grace+x@example.com' }],
    ['GET', `/admin/users/${id}`],
    ['PUT', `/admin/users/${id}`, { role: 'service_role' }],
    ['DELETE', `/admin/users/${id}`],
    ['POST', '/admin/generate_link', { type: 'magiclink', email: 'grace+climbing@example.com' }],
    ['POST', '/invite', { email: 'grace+x@example.com' }],
  ]
  for (const [method, path, body] of endpoints) {
    for (const bearer of [session.access_token, server.publishableKey]) {
      const { status, json } = await raw(server, path, { method, body, bearer })
      expect([path, status, json.error_code]).toEqual([path, 403, 'not_admin'])
    }
    const { status, json } = await raw(server, path, { method, body })
    expect([path, status, json.error_code]).toEqual([path, 401, 'no_authorization'])
  }
  expect(await stillSignedIn(server, session)).toBe('yes')
})
