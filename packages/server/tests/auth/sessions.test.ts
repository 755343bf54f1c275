// Sign-in, refresh with rotation and reuse detection, sign-out, and what ends a session from outside.
import type { Session } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password, signIn, stillSignedIn } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({ auth: 'refresh_token_reuse_interval = 1' })
})
afterAll(() => server?.stop())

const refresh = (session: Session | string) =>
  raw(server, '/token?grant_type=refresh_token', {
    body: { refresh_token: typeof session === 'string' ? session : session.refresh_token },
  })
/** As if the reuse interval of one second had gone by since a person's tokens changed. */
const letReuseIntervalPass = ({ user }: Session) =>
  server.database.pool.query(
    `update auth.refresh_tokens set updated_at = updated_at - interval '2 seconds' where user_id = $1`,
    [user.id],
  )

describe('sign-in with a password', () => {
  test('answers a session, whatever the case of the address', async () => {
    await newPerson(server, 'grace@example.com')
    const { data, error } = await stranger(server).auth.signInWithPassword({
      email: 'GRACE@example.com',
      password,
    })
    expect(error).toBeNull()
    expect(data.session).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: expect.any(Number),
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      user: { email: 'grace@example.com' },
    })
    expect(data.user?.last_sign_in_at).toBeTruthy()
  })

  test.each([
    ['grace@example.com', 'Meadowlark2'],
    ['grace+nobody@example.com', password],
    ['grace@example.com', ''],
    ['not an address', password],
    ['grace@example.com', password.padEnd(100, 'x')],
  ])('refuses %s with %s in the same words', async (email, secret) => {
    const { status, json } = await raw(server, '/token?grant_type=password', {
      body: { email, password: secret },
      headers: { 'x-supabase-api-version': '2024-01-01' },
    })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 'invalid_credentials', message: 'Invalid login credentials' },
    })
  })

  test('needs an address, and only one', async () => {
    const none = await raw(server, '/token?grant_type=password', { body: { password } })
    expect(none.json).toMatchObject({ error_code: 'validation_failed', msg: 'missing email or phone' })
    const both = await raw(server, '/token?grant_type=password', {
      body: { email: 'grace@example.com', phone: '+13065550100', password },
    })
    expect(both.json).toMatchObject({
      error_code: 'validation_failed',
      msg: 'Only an email address or phone number should be provided on login.',
    })
  })

  test.each(['', 'magic'])('refuses the grant type "%s"', async (grant) => {
    const { status, json } = await raw(server, `/token?grant_type=${grant}`, { body: {} })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 400, error_code: 'invalid_credentials', msg: 'unsupported_grant_type' },
    })
  })
})

describe('refresh', () => {
  test('swaps the refresh token and keeps session and person', async () => {
    const { client, session } = await newPerson(server, 'grace+refresh@example.com')
    const { data, error } = await client.auth.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(session.refresh_token)
    const claims = async (token: string) => (await client.auth.getClaims(token)).data?.claims
    const [before, after] = [
      await claims(session.access_token),
      await claims(data.session?.access_token as string),
    ]
    expect(after).toMatchObject({ session_id: before?.session_id, sub: before?.sub, amr: before?.amr })
  })

  test('gives two tabs that refresh at once the same new token', async () => {
    const { session } = await newPerson(server, 'grace+tabs@example.com')
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(session)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(new Set(answers.map(({ json }) => json.refresh_token)).size).toBe(1)
    const { rows } = await server.database.pool.query(
      `select count(*)::int as active from auth.refresh_tokens where user_id = $1 and not revoked`,
      [session.user.id],
    )
    expect(rows[0].active).toBe(1)
  })

  test('gives a client that lost the answer the same new token, also later', async () => {
    const { session } = await newPerson(server, 'grace+lost@example.com')
    const first = await refresh(session)
    await letReuseIntervalPass(session)
    const second = await refresh(session)
    expect(second.json.refresh_token).toBe(first.json.refresh_token)
  })

  test('ends the whole session when an old token comes back after the interval', async () => {
    const { session } = await newPerson(server, 'grace+stolen@example.com')
    const second = await refresh(session)
    const third = await refresh(second.json.refresh_token as string)
    expect(third.status).toBe(200)
    await letReuseIntervalPass(session)
    const replayed = await refresh(session)
    expect(replayed.status).toBe(400)
    expect(replayed.json).toEqual({
      code: 400,
      error_code: 'refresh_token_already_used',
      msg: 'Invalid Refresh Token: Already Used',
    })
    const newest = await refresh(third.json.refresh_token as string)
    expect(newest.json.error_code).toBe('refresh_token_not_found')
    expect(await stillSignedIn(server, session)).not.toBe('yes')
  })

  test('forgets, at the first refresh of a day, what was revoked a day ago', async () => {
    const { session } = await newPerson(server, 'grace+days@example.com')
    const { pool } = server.database
    const next = async (token: string) => (await refresh(token)).json.refresh_token as string
    const kept = async () => {
      const { rows } = await pool.query(
        'select token from auth.refresh_tokens where user_id = $1 order by id',
        [session.user.id],
      )
      return rows.map(({ token }) => token)
    }
    const set = (token: string, created: string, updated: string) =>
      pool.query(
        `update auth.refresh_tokens set created_at = now() - $2::interval, updated_at = now() - $3::interval
         where token = $1`,
        [token, created, updated],
      )
    const first = session.refresh_token
    const second = await next(first)
    const third = await next(second)
    await set(first, '50 hours', '25 hours')
    await set(second, '25 hours', '23 hours')
    // Made today: what is old waits for the first refresh of another day.
    const fourth = await next(third)
    expect(await kept()).toEqual([first, second, third, fourth])
    await set(fourth, '25 hours', '25 hours')
    const fifth = await next(fourth)
    expect(await kept()).toEqual([second, third, fourth, fifth])
    // An unknown token ends nothing.
    expect((await refresh(first)).json.error_code).toBe('refresh_token_not_found')
    expect((await refresh(fifth)).status).toBe(200)
  })

  test('lets an old token pass within the interval', async () => {
    const { session } = await newPerson(server, 'grace+quick@example.com')
    const second = await refresh(session)
    await refresh(second.json.refresh_token as string)
    expect((await refresh(session)).status).toBe(200)
  })

  test.each([
    [
      'unknown',
      {
        code: 400,
        error_code: 'refresh_token_not_found',
        msg: 'Invalid Refresh Token: Refresh Token Not Found',
      },
    ],
    ['', { error: 'invalid_request', error_description: 'refresh_token required' }],
  ])('refuses the token "%s"', async (token, answer) => {
    const { status, json } = await refresh(token)
    expect({ status, json }).toEqual({ status: 400, json: answer })
  })
})

describe('sign-out', () => {
  test('is the client’s last event, and no error where the session has ended already', async () => {
    const email = 'grace+events@example.com'
    const { client: elsewhere } = await newPerson(server, email)
    const { auth } = stranger(server)
    const heard: string[] = []
    auth.onAuthStateChange((event) => void heard.push(event))
    await expect.poll(() => heard).toEqual(['INITIAL_SESSION'])
    await auth.signInWithPassword({ email, password })
    await auth.refreshSession()
    await auth.updateUser({ data: { full_name: 'Grace Field' } })
    await elsewhere.auth.signOut({ scope: 'global' })
    expect((await auth.signOut()).error).toBeNull()
    expect(heard.slice(1)).toEqual(['SIGNED_IN', 'TOKEN_REFRESHED', 'USER_UPDATED', 'SIGNED_OUT'])
  })

  async function threeDevices(email: string) {
    const first = await newPerson(server, email)
    return [first, await signIn(server, email), await signIn(server, email)] as const
  }
  const states = async (...sessions: Session[]) =>
    Promise.all(sessions.map((session) => stillSignedIn(server, session)))

  test('global ends every session', async () => {
    const [here, there, elsewhere] = await threeDevices('grace+global@example.com')
    expect((await here.client.auth.signOut()).error).toBeNull()
    const ended = 'AuthSessionMissingError'
    const all = await states(here.session, there.session, elsewhere.session)
    expect(new Set(all).size).toBe(1)
    expect(['session_not_found', ended]).toContain(all[0])
    expect((await refresh(there.session)).json.error_code).toBe('refresh_token_not_found')
  })

  test('local ends only this one', async () => {
    const [here, there] = await threeDevices('grace+local@example.com')
    await here.client.auth.signOut({ scope: 'local' })
    expect(await states(here.session, there.session)).toEqual([expect.not.stringMatching('yes'), 'yes'])
  })

  test('others ends all but this one', async () => {
    const [here, there, elsewhere] = await threeDevices('grace+others@example.com')
    await here.client.auth.signOut({ scope: 'others' })
    expect(await states(here.session, there.session, elsewhere.session)).toEqual([
      'yes',
      expect.not.stringMatching('yes'),
      expect.not.stringMatching('yes'),
    ])
  })

  test('refuses a scope it does not know', async () => {
    const { session } = await newPerson(server, 'grace+scope@example.com')
    const { status, json } = await raw(server, '/logout?scope=all', {
      method: 'POST',
      bearer: session.access_token,
    })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 400, error_code: 'validation_failed', msg: 'Unsupported logout scope "all"' },
    })
  })
})

describe('an account that ends while its session goes on', () => {
  const admin = () => stranger(server, server.secretKey).auth.admin

  test('is refused once deleted', async () => {
    const { session } = await newPerson(server, 'grace+deleted@example.com')
    await admin().deleteUser(session.user.id)
    const { status, json } = await raw(server, '/user', { bearer: session.access_token })
    expect({ status, json }).toEqual({
      status: 403,
      json: {
        code: 403,
        error_code: 'user_not_found',
        msg: 'User from sub claim in JWT does not exist',
      },
    })
    expect((await refresh(session)).json.error_code).toBe('refresh_token_not_found')
  })

  test('is refused while banned, and let in again afterwards', async () => {
    const { session } = await newPerson(server, 'grace+banned@example.com')
    await admin().updateUserById(session.user.id, { ban_duration: '24h' })
    expect(await stillSignedIn(server, session)).toBe('user_banned')
    expect((await refresh(session)).json).toMatchObject({
      error_code: 'user_banned',
      msg: 'Invalid Refresh Token: User Banned',
    })
    const refused = await stranger(server).auth.signInWithPassword({
      email: 'grace+banned@example.com',
      password,
    })
    expect(refused.error).toMatchObject({ code: 'user_banned', message: 'User is banned' })
    await admin().updateUserById(session.user.id, { ban_duration: 'none' })
    expect((await refresh(session)).status).toBe(200)
  })
})

describe('limits on how long a session lasts', () => {
  let limited: TestServer
  beforeAll(async () => {
    limited = await authServer({ sessions: 'timebox = "4h"\ninactivity_timeout = "1h"' })
  })
  afterAll(() => limited?.stop())

  test('the time without use and the time in all', async () => {
    const { session } = await newPerson(limited, 'grace+idle@example.com')
    const use = () =>
      raw(limited, '/token?grant_type=refresh_token', { body: { refresh_token: session.refresh_token } })
    const set = (created: string, refreshed: string) =>
      limited.database.pool.query(
        `update auth.sessions set created_at = now() - $2::interval,
           refreshed_at = (now() - $3::interval) at time zone 'utc' where user_id = $1`,
        [session.user.id, created, refreshed],
      )
    await set('3 hours', '30 minutes')
    expect((await use()).status).toBe(200)
    await set('3 hours', '2 hours')
    expect((await use()).json.msg).toBe('Invalid Refresh Token: Session Expired (Inactivity)')
    await set('5 hours', '1 minute')
    expect((await use()).json).toMatchObject({
      error_code: 'session_expired',
      msg: 'Invalid Refresh Token: Session Expired',
    })
  })
})
