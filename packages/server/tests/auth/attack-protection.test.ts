// CAPTCHA and the list of leaked passwords, each at a local server in the place of the provider's.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Listener, listen, type Reply } from '../support/listener.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password, signIn } from './people.ts'
import { authServer, giver, raw } from './project.ts'

describe('a CAPTCHA', () => {
  let server: TestServer
  let provider: Listener
  let reply: Reply
  beforeAll(async () => {
    provider = await listen(({ body }) => {
      const valid = new URLSearchParams(body).get('response') === 'good'
      const verdict = { success: valid, ...(valid ? {} : { 'error-codes': ['invalid-input-response'] }) }
      return reply === 'never' ? { status: 502, body: '<html>' } : { body: JSON.stringify(verdict) }
    })
    server = await authServer({
      auth: 'enable_anonymous_sign_ins = true',
      more: `[auth.captcha]
enabled = true
provider = "turnstile"
secret = " private "
verify_url = "${provider.url}/siteverify"`,
    })
  })
  afterAll(async () => {
    await server?.stop()
    await provider?.close()
  })
  beforeEach(() => {
    reply = {}
    provider.received.length = 0
  })

  const captcha = (captchaToken?: string) => ({ options: captchaToken ? { captchaToken } : {} })

  test('that was solved lets a person through, and is shown to its provider', async () => {
    const email = 'grace@example.com'
    const { error } = await stranger(server).auth.signUp({
      email,
      password,
      options: { data: giver('Grace'), captchaToken: 'good' },
    })
    expect(error).toBeNull()
    const [{ path, body }] = provider.received as [(typeof provider.received)[number]]
    expect([path, Object.fromEntries(new URLSearchParams(body))]).toEqual([
      '/siteverify',
      { secret: 'private', response: 'good', remoteip: '127.0.0.1' },
    ])
    const missing = await stranger(server).auth.signInAnonymously()
    expect(missing.error).toMatchObject({
      status: 400,
      code: 'captcha_failed',
      message: 'captcha protection: request disallowed (no captcha_token found)',
    })
  })

  test('is asked for wherever a stranger may knock, and nowhere else', async () => {
    const email = 'nobody@example.com'
    const asked: [string, object][] = [
      ['/signup', { email, password }],
      ['/token?grant_type=password', { email, password }],
      ['/token?grant_type=web3', {}],
      ['/recover', { email }],
      ['/resend', { email, type: 'signup' }],
      ['/otp', { email }],
      ['/magiclink', { email }],
      ['/sso', { domain: 'example.com' }],
    ]
    for (const [path, body] of asked) {
      const given = { ...body, gotrue_meta_security: { captcha_token: 'bad' } }
      const { status, json } = await raw(server, path, { body: given })
      expect([path, status, json.error_code, json.msg]).toEqual([
        ...[path, 400, 'captcha_failed'],
        'captcha protection: request disallowed (invalid-input-response)',
      ])
    }
    const free: [string, object][] = [
      ['/token?grant_type=refresh_token', { refresh_token: 'x' }],
      ['/token?grant_type=pkce', { auth_code: 'x', code_verifier: 'y' }],
      ['/verify', { type: 'signup', email, token: '123456' }],
    ]
    for (const [path, body] of free) {
      expect([path, (await raw(server, path, { body })).json.error_code]).not.toContain('captcha_failed')
    }
    expect((await raw(server, '/recover', { body: { email }, bearer: server.secretKey })).status).toBe(200)
    const malformed = await raw(server, '/signup', { body: { email, password, gotrue_meta_security: 'x' } })
    expect([malformed.status, malformed.json.error_code]).toEqual([400, 'bad_json'])
  })

  test('is not gone around by another spelling of the same request', async () => {
    const grace = { email: 'grace@example.com', password }
    const spellings: [path: string, body: object][] = [
      ['/token?grant_type=refresh_token&grant_type=password', grace],
      ['/token?grant_type=password&grant_type=refresh_token', grace],
      ['/token?grant_type=PASSWORD', grace],
      ['/token/?grant_type=password', grace],
      ['//token?grant_type=password', grace],
      ['/token?grant_type=password', { ...grace, gotrue_meta_security: [{ captcha_token: 'good' }] }],
      ['/token?grant_type=password', { ...grace, gotrue_meta_security: { captcha_token: ['good'] } }],
      ['/token?grant_type=password', { ...grace, captcha_token: 'good' }],
      ['/token?grant_type=password', { ...grace, grant_type: 'refresh_token' }],
      ['/signup/', { ...grace, email: 'nobody@example.com' }],
      ['/Signup', { ...grace, email: 'nobody@example.com' }],
    ]
    for (const [path, body] of spellings) {
      const { status, json } = await raw(server, path, { body })
      expect([path, status >= 400 && status < 500, json.access_token]).toEqual([path, true, undefined])
    }
  })

  test('that the provider cannot judge lets nobody through', async () => {
    reply = 'never'
    const { status, json } = await raw(server, '/otp', {
      body: { email: 'nobody@example.com', gotrue_meta_security: { captcha_token: 'good' } },
    })
    expect([status, json.msg]).toEqual([500, 'captcha verification process failed'])
    expect((await stranger(server).auth.signInWithOtp({ email: 'x', ...captcha() })).error?.code).toBe(
      'captcha_failed',
    )
  })
})

describe('a leaked password', () => {
  const leaked = 'Password1'
  const digits = createHash('sha1').update(leaked).digest('hex').toUpperCase()
  let server: TestServer
  let list: Listener
  beforeAll(async () => {
    // Padding has the count 0.
    const padding = createHash('sha1').update('Meadowlark2').digest('hex').toUpperCase().slice(5)
    list = await listen(() => ({
      headers: { 'content-type': 'text/plain' },
      body: `${'0'.repeat(35)}:3\r\n${digits.slice(5)}:52\r\n${padding}:0\r\n`,
    }))
    server = await authServer({ more: `[auth.password_hibp]\nenabled = true\nurl = "${list.url}/"` })
  })
  afterAll(async () => {
    await server?.stop()
    await list?.close()
  })

  const weak = {
    code: 'weak_password',
    reasons: ['pwned'],
    status: 422,
    message: 'Password is known to be weak and easy to guess, please choose a different one.',
  }

  test('is refused wherever one is chosen; the list sees five digits of its hash', async () => {
    list.received.length = 0
    const { error } = await stranger(server).auth.signUp({
      email: 'grace+leak@example.com',
      password: leaked,
    })
    expect(error).toMatchObject(weak)
    expect(list.received.map(({ path, headers }) => [path, headers['add-padding']])).toEqual([
      [`/range/${digits.slice(0, 5)}`, 'true'],
    ])
    const { client, session } = await newPerson(server, 'grace+safe@example.com')
    expect((await client.auth.updateUser({ password: leaked })).error).toMatchObject(weak)
    expect((await client.auth.updateUser({ password: 'Meadowlark2' })).error).toBeNull()
    const { admin } = stranger(server, server.secretKey).auth
    const changed = await admin.updateUserById(session.user.id, { password: leaked })
    expect(changed.error).toMatchObject({ code: 'weak_password' })
    const both = await stranger(server).auth.signUp({ email: 'grace+leak@example.com', password: 'short' })
    expect(both.error).toMatchObject({ reasons: ['length'] })
  })

  test('that is in use still signs in, and is reported', async () => {
    const email = 'grace+old@example.com'
    await newPerson(server, email)
    await server.database.pool.query(
      `update auth.users set encrypted_password = extensions.crypt($2, extensions.gen_salt('bf', 4)) where email = $1`,
      [email, leaked],
    )
    const { data, error } = await stranger(server).auth.signInWithPassword({ email, password: leaked })
    expect(error).toBeNull()
    expect(data.weakPassword).toEqual({ reasons: ['pwned'], message: weak.message })
    expect((await raw(server, '/settings')).status).toBe(200)
  })
})

describe('while the list of leaked passwords is away', () => {
  const away = async (more = '') =>
    authServer({
      more: `[auth.password_hibp]\nenabled = true\nurl = "http://127.0.0.1:${await freePort()}"\n${more}`,
    })

  test('passwords are let through, unless it is to be asked always', async () => {
    const open = await away()
    try {
      await newPerson(open, 'grace@example.com')
      await signIn(open, 'grace@example.com')
    } finally {
      await open.stop()
    }
    const closed = await away('fail_closed = true')
    try {
      const { status, json } = await raw(closed, '/signup', {
        body: { email: 'grace@example.com', password },
      })
      expect([status, json.msg]).toEqual([
        500,
        'Unable to perform password strength check with HaveIBeenPwned.org.',
      ])
    } finally {
      await closed.stop()
    }
  })
})
