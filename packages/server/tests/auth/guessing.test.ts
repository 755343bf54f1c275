// Guessing passwords and codes: by many requests that arrive together, from many addresses, across restarts; and
// that nobody is locked out of an account by somebody else's tries.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { type Answer, type HeldRequest, sendFrom, together } from '../support/together.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer
const email = 'grace@example.com'

beforeAll(async () => {
  server = await authServer({ email: 'secure_password_change = true' })
  await newPerson(server, email)
  await hashCheaply(server)
})
afterAll(() => server?.stop())

/** Has everybody's password cost little to compare. */
const hashCheaply = ({ database }: TestServer) =>
  database.pool.query(
    `update auth.users set encrypted_password = extensions.crypt($1, extensions.gen_salt('bf', 4))`,
    [password],
  )
/** As five minutes later. */
beforeEach(() => server.database.pool.query('delete from auth.rate_limits'))

const post = (path: string, body: unknown, from?: string): HeldRequest => ({
  path: `/auth/v1${path}`,
  headers: { apikey: server.publishableKey },
  body,
  from,
})
const signIn = (secret: string, from?: string, address = email) =>
  post('/token?grant_type=password', { email: address, password: secret }, from)
const count = (answers: Answer[], status: number) => answers.filter((each) => each.status === status).length
const times = <T>(amount: number, make: (index: number) => T): T[] =>
  Array.from({ length: amount }, (_, i) => make(i))

describe('passwords', () => {
  test.each([email, 'nobody@example.com'])(
    '150 at the same moment: thirty are tried (%s)',
    async (address) => {
      const answers = await together(
        server.url,
        times(150, (index) => signIn(`Wrong${index}`, undefined, address)),
      )
      // One more for each ten seconds that thirty take on a busy machine.
      expect(count(answers, 400)).toBeGreaterThanOrEqual(30)
      expect(count(answers, 400)).toBeLessThan(60)
      expect(count(answers, 400) + count(answers, 429)).toBe(150)
      expect(answers.find(({ status }) => status === 429)?.json).toEqual({
        code: 429,
        error_code: 'over_request_rate_limit',
        msg: 'Request rate limit reached',
      })
    },
  )

  test('the right one does not count', async () => {
    const answers = await together(
      server.url,
      times(20, () => signIn(password)),
    )
    expect(count(answers, 200)).toBe(20)
    const more = await together(
      server.url,
      times(20, () => signIn(password)),
    )
    expect(count(more, 200)).toBe(20)
  })

  test('120 wrong ones from one address lock nobody out elsewhere', async () => {
    const answers = await together(
      server.url,
      times(120, (index) => signIn(`Wrong${index}`, '127.0.0.2')),
    )
    expect(count(answers, 429)).toBeGreaterThan(60)
    expect((await sendFrom(server.url, signIn(password, '127.0.0.2'))).status).toBe(429)
    expect((await sendFrom(server.url, signIn(password, '127.0.0.3'))).status).toBe(200)
  })

  test('those from many addresses lock strangers out, and not a device that has signed in before', async () => {
    // Two tries an address, twenty in all.
    const small = await authServer({ limits: '[auth.rate_limit]\nsign_in_sign_ups = 2' })
    try {
      await newPerson(small, email)
      await hashCheaply(small)
      const from = (secret: string, address: string) =>
        sendFrom(small.url, {
          ...signIn(secret, address),
          headers: { apikey: small.publishableKey },
        })
      expect((await from(password, '127.0.0.9')).status).toBe(200)
      await small.database.pool.query('delete from auth.sessions')
      const answers = await together(
        small.url,
        times(40, (index) => ({
          ...signIn('Wrong12345', `127.0.2.${index}`),
          headers: { apikey: small.publishableKey },
        })),
      )
      expect(count(answers, 400)).toBeGreaterThanOrEqual(20)
      expect(count(answers, 429)).toBeGreaterThan(0)
      // As if they had not paused.
      await small.database.pool.query(
        `update auth.rate_limits set full_at = clock_timestamp() + interval '299 seconds'`,
      )
      expect((await from(password, '127.0.3.1')).status).toBe(429)
      expect((await from(password, '127.0.0.9')).status).toBe(200)
    } finally {
      await small.stop()
    }
  })

  test('a clock that was set back locks nobody out', async () => {
    expect((await sendFrom(server.url, signIn('Wrong12345'))).status).toBe(400)
    await server.database.pool.query(`update auth.rate_limits set full_at = full_at + interval '5 hours'`)
    expect((await sendFrom(server.url, signIn(password))).status).toBe(200)
  })

  test('the one in use cannot be found by choosing it as the new one', async () => {
    const { session } = await newPerson(server, 'grace+same@example.com')
    await server.database.pool.query(`update auth.sessions set created_at = now() - interval '25 hours'`)
    const answers = await together(
      server.url,
      times(50, (index) => ({
        ...post('/user', { password: `Prairie${index}` }),
        method: 'PUT',
        headers: { apikey: server.publishableKey, authorization: `Bearer ${session.access_token}` },
      })),
    )
    expect(count(answers, 400)).toBeGreaterThanOrEqual(30)
    expect(count(answers, 429)).toBeGreaterThan(0)
  })
})

describe('codes', () => {
  const wrongCodes = (code: string, amount: number) =>
    times(amount + 1, (index) => String(index).padStart(6, '0'))
      .filter((each) => each !== code)
      .slice(0, amount)

  async function signUp(address: string) {
    const seen = await server.inbox()
    await stranger(server).auth.signUp({ email: address, password, options: { data: giver('Grace') } })
    return nextMessage(server, address, seen)
  }
  const verify = (address: string, token: string) =>
    raw(server, '/verify', { body: { type: 'email', email: address, token } })

  test('290 at the same moment: ten are tried, and the right one is void, even later', async () => {
    const address = 'grace+flood@example.com'
    const message = await signUp(address)
    const code = message.code as string
    const answers = await together(
      server.url,
      wrongCodes(code, 290).map((token) => post('/verify', { type: 'email', email: address, token })),
    )
    expect([count(answers, 403), count(answers, 429)]).toEqual([10, 280])
    expect((await verify(address, code)).status).toBe(429)
    await server.database.pool.query('delete from auth.rate_limits')
    const late = await verify(address, code)
    expect([late.status, late.json.error_code]).toEqual([403, 'otp_expired'])
  })

  test('ten wrong ones count together when each comes long after the other', async () => {
    const address = 'grace+slow@example.com'
    const { code } = await signUp(address)
    for (const token of wrongCodes(code as string, 10)) {
      expect((await verify(address, token)).status).toBe(403)
      await server.database.pool.query('delete from auth.rate_limits')
    }
    expect((await verify(address, code as string)).json.error_code).toBe('otp_expired')
    const fresh = await signUp(address)
    expect((await verify(address, fresh.code as string)).status).toBe(200)
  })

  test('two servers count together, and a server that starts again goes on counting', async () => {
    const shared = await createTestDatabase()
    const env = { DATABASE_URL: shared.url, JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters' }
    const servers: TestServer[] = []
    const start = async () => {
      servers.push(await authServer({ options: { env } }))
      return servers.at(-1) as TestServer
    }
    try {
      const [one, two] = [await start(), await start()]
      const address = 'grace@example.com'
      await stranger(one).auth.signUp({ email: address, password, options: { data: giver('Grace') } })
      const code = (await nextMessage(one, address)).code as string
      const guess = (token: string, { url }: TestServer) => ({
        path: `${url.replace('localhost', '127.0.0.1')}/auth/v1/verify`,
        headers: { apikey: one.publishableKey },
        body: { type: 'email', email: address, token },
      })
      const answers = await together(
        one.url,
        wrongCodes(code, 60).map((token, index) => guess(token, index % 2 ? one : two)),
      )
      expect([count(answers, 403), count(answers, 429)]).toEqual([10, 50])
      const later = await start()
      expect((await sendFrom(later.url, guess(code, later))).status).toBe(429)
      await shared.database.pool.query('delete from auth.rate_limits')
      const late = await sendFrom(later.url, guess(code, later))
      expect([late.status, late.json.error_code]).toEqual([403, 'otp_expired'])
    } finally {
      for (const each of servers) await each.stop()
      await shared.drop()
    }
  })

  test('nine wrong ones leave the right one good', async () => {
    const address = 'grace+nine@example.com'
    const { code } = await signUp(address)
    for (const token of wrongCodes(code as string, 9)) await verify(address, token)
    expect((await verify(address, code as string)).status).toBe(200)
  })

  test('the right one, twenty times at the same moment, signs in once', async () => {
    const address = 'grace+once@example.com'
    const { code } = await signUp(address)
    const answers = await together(
      server.url,
      times(20, () => post('/verify', { type: 'email', email: address, token: code })),
    )
    expect(count(answers, 200)).toBe(1)
  })

  test('those that a change of password asks for are void after ten wrong ones', async () => {
    const address = 'grace+proof@example.com'
    const { client, session } = await newPerson(server, address)
    await server.database.pool.query(`update auth.sessions set created_at = now() - interval '25 hours'`)
    const seen = await server.inbox()
    await client.auth.reauthenticate()
    const code = (await nextMessage(server, address, seen)).code as string
    const change = (nonce: string) => ({
      ...post('/user', { password: 'Prairie2026', nonce }),
      method: 'PUT',
      headers: { apikey: server.publishableKey, authorization: `Bearer ${session.access_token}` },
    })
    const answers = await together(server.url, wrongCodes(code, 20).map(change))
    expect([count(answers, 422), count(answers, 429)]).toEqual([10, 10])
    // Another code, asked for meanwhile, would not make the tries more; nor is this one taken later.
    await server.database.pool.query('delete from auth.rate_limits')
    const right = await sendFrom(server.url, change(code))
    expect([right.status, right.json.error_code]).toEqual([422, 'reauthentication_not_valid'])
  })
})
