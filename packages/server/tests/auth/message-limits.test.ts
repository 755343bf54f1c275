// Emails and texts that strangers ask for: nobody learns who has an account, nobody's mailbox is flooded, and one
// address cannot spend what the project may send.

import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { sendFrom, together } from '../support/together.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

describe('the existence of accounts', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await authServer({
      email: 'max_frequency = "60s"',
      sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "60s"',
    })
    await newPerson(server, 'grace@example.com')
    await stranger(server).auth.signUp({
      phone: '+13065550101',
      password,
      options: { data: giver('Theo') },
    })
    await stranger(server).auth.signUp({
      email: 'theo@example.com',
      password,
      options: { data: giver('Theo') },
    })
  })
  afterAll(() => server?.stop())
  beforeEach(() => server.database.pool.query('delete from auth.rate_limits'))

  const known = { email: 'grace@example.com' }
  const unconfirmed = { email: 'theo@example.com' }
  const unknown = { email: 'nobody@example.com' }
  const texted = { phone: '+13065550101' }
  const silent = { phone: '+13065550102' }
  test.each<[string, object, object[]]>([
    ['/recover', {}, [known, unconfirmed, unknown]],
    ['/resend', { type: 'signup' }, [known, unconfirmed, unknown]],
    ['/resend', { type: 'email_change' }, [known, unknown]],
    ['/otp', {}, [known, unconfirmed, unknown]],
    ['/otp', { create_user: false }, [known, unconfirmed, { email: 'nobody+2@example.com' }]],
    ['/magiclink', { create_user: false }, [known, { email: 'nobody+3@example.com' }]],
    ['/resend', { type: 'sms' }, [texted, silent]],
    ['/resend', { type: 'phone_change' }, [texted, silent]],
    ['/otp', {}, [texted, silent]],
    ['/otp', { create_user: false }, [texted, { phone: '+13065550103' }]],
  ])('is not revealed by %s %j', async (path, more, addresses) => {
    const answers = await Promise.all(
      addresses.map(async (address) => {
        const seen: unknown[] = []
        for (let round = 0; round < 3; round++) {
          const { status, json } = await raw(server, path, { body: { ...address, ...more } })
          const words = JSON.stringify(json)
          // Which second it is, and which id, is the only difference there may be.
          seen.push([status, words.replace(/\d+ seconds/, 'n seconds').replace(/[0-9a-f-]{36}/, 'id')])
        }
        return seen
      }),
    )
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    expect((answers[0] as [number, string][]).map(([status]) => status)).toEqual([200, 429, 429])
  })
})

describe('a mailbox', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await authServer({ email: 'max_frequency = "60s"' })
  })
  afterAll(() => server?.stop())
  const limited = { status: 429, code: 'over_email_send_rate_limit' }

  test('gets one email of a kind a minute, until its owner has used it', async () => {
    const { auth } = stranger(server)
    const email = 'grace@example.com'
    const signUp = await auth.signUp({ email, password, options: { data: giver('Grace') } })
    expect(signUp.error).toBeNull()
    for (const refused of [
      await auth.resend({ type: 'signup', email }),
      await auth.signUp({ email, password, options: { data: giver('Grace') } }),
    ]) {
      expect(refused.error).toMatchObject(limited)
      expect(refused.error?.message).toMatch(
        /^For security purposes, you can only request this after \d+ seconds\.$/,
      )
    }
    const { code } = await nextMessage(server, email)
    await auth.verifyOtp({ email, token: code as string, type: 'signup' })
    expect((await auth.resetPasswordForEmail(email)).error).toBeNull()
    expect((await auth.resetPasswordForEmail('GRACE@example.com')).error).toMatchObject(limited)
  })

  test('gets one when thirty are asked for at the same moment', async () => {
    const requests = Array.from({ length: 30 }, () => ({
      path: '/auth/v1/recover',
      headers: { apikey: server.publishableKey },
      body: { email: 'theo@example.com' },
    }))
    const answers = await together(server.url, requests)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('gets one when several accounts want to have its address', async () => {
    const people = await Promise.all(['ada', 'sam'].map((name) => newPerson(server, `${name}@example.com`)))
    const answers = await Promise.all(
      people.map(({ client }) => client.auth.updateUser({ email: 'nobody@example.com' })),
    )
    expect(answers.map(({ error }) => error?.code ?? 'sent').sort()).toEqual([
      'over_email_send_rate_limit',
      'sent',
    ])
  })
})

describe('messages of the project in an hour', () => {
  const stops: (() => unknown)[] = []
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function mailingServer(limits: string): Promise<TestServer> {
    const port = await freePort()
    const smtp = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] })
    await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
    stops.push(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
    const env = {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(port),
      SMTP_ADMIN_EMAIL: 'post@meadowlark.example',
    }
    const server = await authServer({ limits: `[auth.rate_limit]\n${limits}`, options: { env } })
    stops.push(() => server.stop())
    return server
  }
  const signUps = (server: TestServer, from: string, amount: number) =>
    together(
      server.url,
      Array.from({ length: amount }, (_, index) => ({
        path: '/auth/v1/signup',
        headers: { apikey: server.publishableKey },
        body: { email: `${from}-${index}@example.com`, password, data: giver('Grace') },
        from,
      })),
    )
  const spent = { code: 429, error_code: 'over_email_send_rate_limit', msg: 'email rate limit exceeded' }

  test('keeps no sign-up from replacing an earlier claim once it is spent', async () => {
    const server = await mailingServer('email_sent = 2\nsign_in_sign_ups = 100')
    const email = 'grace@example.com'
    const signUp = (chosen: string, to = email) =>
      stranger(server).auth.signUp({ email: to, password: chosen, options: { data: giver('Grace') } })
    expect((await signUp('SamWasHere1')).error).toBeNull()
    await signUp(password, 'sam@example.com')
    expect((await signUp(password)).error).toMatchObject({ status: 429, message: spent.msg })
    const tries = async (chosen: string) =>
      (await stranger(server).auth.signInWithPassword({ email, password: chosen })).error?.code
    expect([await tries('SamWasHere1'), await tries(password)]).toEqual([
      'invalid_credentials',
      'email_not_confirmed',
    ])
  })

  test('is not for one address alone, and the last of it is for people with an account', async () => {
    const server = await mailingServer('email_sent = 20\nsign_in_sign_ups = 100')
    const asked = { apikey: server.publishableKey }
    await server.database.pool.query(
      `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data)
       values (gen_random_uuid(), 'authenticated', 'authenticated', 'grace@example.com', now(), $1)`,
      [giver('Grace')],
    )
    const first = await signUps(server, '127.0.0.2', 14)
    expect(first.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(first.find(({ status }) => status !== 200)?.json).toEqual(spent)
    const recover = (from: string, email: string) =>
      sendFrom(server.url, { path: '/auth/v1/recover', headers: asked, body: { email }, from })
    // Failed requests count as much.
    expect((await recover('127.0.0.2', 'nobody@example.com')).json).toEqual(spent)
    const second = await signUps(server, '127.0.0.3', 10)
    expect(second.filter(({ status }) => status === 200)).toHaveLength(6)
    expect(second.find(({ status }) => status !== 200)?.json).toEqual(spent)
    expect((await recover('127.0.0.4', 'grace@example.com')).status).toBe(200)
    await expect
      .poll(
        async () =>
          (
            await server.database.pool.query(
              `select 1 from auth.users where email = 'grace@example.com' and recovery_sent_at is not null`,
            )
          ).rowCount,
        { timeout: 10_000 },
      )
      .toBe(1)
  })
})
