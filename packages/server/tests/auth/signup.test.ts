// Sign-up and confirmation, read from the inbox as a person would.

import { hash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

const password = 'Meadowlark1'
let server: TestServer

beforeAll(async () => {
  server = await authServer()
})
afterAll(() => server?.stop())

const signUp = (email: string, options: object = {}) =>
  stranger(server).auth.signUp({ email, password, options: { data: giver('Grace Field'), ...options } })

describe('sign-up with confirmation', () => {
  test('answers the user without a session and mails a link that signs in', async () => {
    const { data, error } = await signUp('Grace@Example.com')
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    expect(data.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email: 'grace@example.com',
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { full_name: 'Grace Field', role: 'task_giver', email_verified: false },
      is_anonymous: false,
    })
    expect(data.user?.identities).toHaveLength(1)
    expect(data.user?.confirmation_sent_at).toBeTruthy()
    expect(data.user?.email_confirmed_at).toBeUndefined()

    const message = await nextMessage(server, 'grace@example.com')
    expect(message.code).toMatch(/^\d{6}$/)
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    const followed = await fetch(link, { redirect: 'manual' })
    expect(followed.status).toBe(303)
    const target = new URL(followed.headers.get('location') as string)
    const fragment = new URLSearchParams(target.hash.slice(1))
    expect(fragment.get('type')).toBe('signup')
    const client = stranger(server)
    const session = await client.auth.setSession({
      access_token: fragment.get('access_token') as string,
      refresh_token: fragment.get('refresh_token') as string,
    })
    expect(session.data.user).toMatchObject({
      email: 'grace@example.com',
      user_metadata: { email_verified: true },
    })
    expect(session.data.user?.identities?.[0]?.identity_data).toMatchObject({ email_verified: true })

    const again = await fetch(link, { redirect: 'manual' })
    const refused = new URL(again.headers.get('location') as string)
    expect(Object.fromEntries(new URLSearchParams(refused.hash.slice(1)))).toEqual({
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
    })
  })

  test('refuses to sign in before the address is confirmed', async () => {
    await signUp('grace+early@example.com')
    const { error } = await stranger(server).auth.signInWithPassword({
      email: 'grace+early@example.com',
      password,
    })
    expect(error).toMatchObject({ status: 400, code: 'email_not_confirmed', message: 'Email not confirmed' })
  })

  test('takes the code instead of the link', async () => {
    await signUp('grace+coded@example.com')
    const { code } = await nextMessage(server, 'grace+coded@example.com')
    const wrong = await stranger(server).auth.verifyOtp({
      email: 'grace+coded@example.com',
      token: code === '000000' ? '000001' : '000000',
      type: 'signup',
    })
    expect(wrong.error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    })
    const { data, error } = await stranger(server).auth.verifyOtp({
      email: 'Grace+Coded@example.com',
      token: code as string,
      type: 'email',
    })
    expect(error).toBeNull()
    expect(data.session?.user.email_confirmed_at).toBeTruthy()
  })

  test('answers a registered address as if it were new, without identities', async () => {
    await signUp('grace+known@example.com')
    const { code } = await nextMessage(server, 'grace+known@example.com')
    await stranger(server).auth.verifyOtp({
      email: 'grace+known@example.com',
      token: code as string,
      type: 'signup',
    })
    const { data, error } = await signUp('grace+known@example.com')
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    expect(data.user?.identities).toEqual([])
    const { rows } = await server.database.pool.query(
      `select id from auth.users where email = 'grace+known@example.com'`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].id).not.toBe(data.user?.id)
  })

  test('keeps one account when one address signs up twice at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => signUp('grace+race@example.com')))
    expect(answers.filter(({ error }) => error === null).length).toBeGreaterThan(0)
    for (const { error } of answers) expect(error?.status ?? 200).toBeLessThan(500)
    const { rows } = await server.database.pool.query(
      `select u.id, (select count(*)::int from auth.identities i where i.user_id = u.id) as identities
       from auth.users u where email = 'grace+race@example.com'`,
    )
    expect(rows).toEqual([{ id: expect.any(String), identities: 1 }])
  })

  test('lets a link be used once when it is followed many times at once', async () => {
    await signUp('grace+links@example.com')
    const message = await nextMessage(server, 'grace+links@example.com')
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(link, { redirect: 'manual' })))
    const fragments = answers.map((answer) => new URL(answer.headers.get('location') as string).hash)
    expect(fragments.filter((fragment) => fragment.includes('access_token='))).toHaveLength(1)
    expect(fragments.filter((fragment) => fragment.includes('otp_expired'))).toHaveLength(7)
  })

  test('is not used up by a scanner that only asks for the headers', async () => {
    await signUp('grace+scanned@example.com')
    const message = await nextMessage(server, 'grace+scanned@example.com')
    const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(405)
    const followed = await fetch(link, { redirect: 'manual' })
    expect(followed.headers.get('location')).toContain('access_token=')
  })
})

describe('refusals of sign-up', () => {
  test('a weak password, with the rule it breaks', async () => {
    const { error } = await stranger(server).auth.signUp({
      email: 'grace+weak@example.com',
      password: 'short',
    })
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      reasons: ['length'],
      message: 'Password should be at least 8 characters.',
    })
  })

  test('a call without address and password, before anything is sent', async () => {
    const { error } = await stranger(server).auth.signUp({} as never)
    expect(error?.message).toBe('You must provide either an email or phone number and a password')
    const signIn = await stranger(server).auth.signInWithPassword({ password: 'Meadowlark1' } as never)
    expect(signIn.error?.message).toBe('You must provide either an email or phone number and a password')
    const resent = await stranger(server).auth.resend({ type: 'signup' } as never)
    expect(resent.error?.message).toBe('You must provide either an email or phone number and a type')
    const otp = await stranger(server).auth.signInWithOtp({} as never)
    expect(otp.error?.message).toBe('You must provide either an email or phone number.')
  })

  test.each([
    ['nobody', 'Unable to validate email address: invalid format'],
    ['a grace@example.com', 'Unable to validate email address: invalid format'],
    ['gräce@meadowlark.example', 'Unable to validate email address: invalid format'],
    [`${'g'.repeat(250)}@example.com`, 'An email address is too long'],
  ])('the address %s', async (email, message) => {
    const { status, json } = await raw(server, '/signup', { body: { email, password, data: giver('Grace') } })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 400, error_code: 'validation_failed', msg: message },
    })
  })

  test('an anonymous account where they are off', async () => {
    const { error } = await stranger(server).auth.signInAnonymously()
    expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' })
  })
})

describe('sign-up without confirmation', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await authServer({
      auth: 'password_requirements = "lower_upper_letters_digits"',
      email: 'enable_confirmations = false',
    })
  })
  afterAll(() => open?.stop())

  test('signs in at once, and reveals that an address has an account already', async () => {
    const signUpHere = () =>
      stranger(open).auth.signUp({
        email: 'grace+open@example.com',
        password,
        options: { data: giver('Grace Open') },
      })
    const { data, error } = await signUpHere()
    expect(error).toBeNull()
    expect(data.session?.access_token).toBeTruthy()
    expect(data.user?.email_confirmed_at).toBeTruthy()
    const again = await signUpHere()
    expect(again.error).toMatchObject({
      status: 422,
      code: 'user_already_exists',
      message: 'User already registered',
    })
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        stranger(open).auth.signUp({
          email: 'grace+both@example.com',
          password,
          options: { data: giver('Grace Both') },
        }),
      ),
    )
    expect(answers.map(({ error: refused }) => refused?.code ?? 'in').sort()).toEqual([
      'in',
      ...Array(3).fill('user_already_exists'),
    ])
  })

  test('names every rule that a password breaks', async () => {
    const { error } = await stranger(open).auth.signUp({
      email: 'grace+rules@example.com',
      password: 'prairie',
    })
    expect(error).toMatchObject({
      code: 'weak_password',
      reasons: ['length', 'characters'],
      message:
        'Password should be at least 8 characters. Password should contain at least one character of each: ' +
        'abcdefghijklmnopqrstuvwxyz, ABCDEFGHIJKLMNOPQRSTUVWXYZ, 0123456789.',
    })
  })

  test('answers at sign-in that an old password is weak by today’s rules', async () => {
    await stranger(open, open.secretKey).auth.admin.createUser({
      email: 'grace+old@example.com',
      password_hash: await hash('prairie', 4),
      email_confirm: true,
      user_metadata: giver('Grace Old'),
    })
    const { data, error } = await stranger(open).auth.signInWithPassword({
      email: 'grace+old@example.com',
      password: 'prairie',
    })
    expect(error).toBeNull()
    expect(data.weakPassword).toMatchObject({ reasons: ['length', 'characters'] })
  })

  test('is closed where nobody may sign up', async () => {
    const closed = await authServer({ auth: 'enable_signup = false' })
    try {
      const { error } = await stranger(closed).auth.signUp({ email: 'grace+late@example.com', password })
      expect(error).toMatchObject({
        status: 422,
        code: 'signup_disabled',
        message: 'Signups not allowed for this instance',
      })
      const link = await stranger(closed).auth.signInWithOtp({ email: 'grace+late@example.com' })
      expect(link.error).toBeNull()
    } finally {
      await closed.stop()
    }
  })
})
