// Emails on their way: Meadowlark's own templates, a real SMTP server, a server that refuses, and none at all.
import { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { giver, nextMessage } from '../../../packages/server/tests/auth/project.ts'
import { stranger } from '../../support/people.ts'
import { freePort, type Message, startTestServer, type TestServer } from '../../support/server.ts'
import { authServer } from './marketplace.ts'

const signUp = (server: TestServer, email: string) =>
  stranger(server).auth.signUp({
    email,
    password: 'Meadowlark1',
    options: {
      data: giver('Grace Field'),
      emailRedirectTo: `${server.services.config.auth.site_url}/dashboard`,
    },
  })

describe("Meadowlark's emails", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server?.stop())

  test('carry a link that works, a code, and the same in plain text', async () => {
    await signUp(server, 'grace@example.com')
    const message = await nextMessage(server, 'grace@example.com')
    expect(message.subject).toBe('Confirm your email for Meadowlark')
    expect(message.html).toContain('prefers-color-scheme: dark')
    expect(message.text).toContain(message.code)
    expect(message.text).toContain(message.links[0])
    const { error, link } = await press(message)
    expect(error).toBeNull()
    expect(link.searchParams.get('redirect_to')).toMatch(/\/dashboard$/)
  })

  /** Presses the button of the link's page after a mail scanner has opened the link. */
  async function press(message: Message) {
    const link = new URL(message.links[0] as string)
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(link, { method, redirect: 'manual' })
    const { data, error } = await stranger(server).auth.verifyOtp({
      token_hash: link.searchParams.get('token_hash') as string,
      type: link.searchParams.get('type') as 'signup',
    })
    return { session: data.session, error, link }
  }

  test('of every kind survive a scanner, link and code alike, and work once', async () => {
    const email = 'theo@example.com'
    const { auth } = stranger(server)
    const admin = stranger(server, server.secretKey).auth.admin
    await signUp(server, email)
    const seen = [await nextMessage(server, email)]
    const next = async (to = email) => {
      const message = await nextMessage(server, to, seen)
      seen.push(message)
      return message
    }
    expect((await press(seen[0] as Message)).session).not.toBeNull()
    expect((await press(seen[0] as Message)).error?.code).toBe('otp_expired')

    await auth.resetPasswordForEmail(email)
    const recovery = await next()
    await fetch(recovery.links[0] as string, { redirect: 'manual' })
    const typed = { email, token: recovery.code as string, type: 'recovery' } as const
    expect((await auth.verifyOtp(typed)).error).toBeNull()

    await stranger(server).auth.signInWithOtp({ email })
    expect((await press(await next())).link.searchParams.get('type')).toBe('magiclink')

    await admin.inviteUserByEmail('sam@example.com', { data: giver('Sam') })
    expect((await press(await next('sam@example.com'))).session).not.toBeNull()

    await auth.updateUser({ email: 'theo+new@example.com' })
    const halves = [await next(), await next('theo+new@example.com')] as const
    expect(await press(halves[0])).toMatchObject({ session: null, error: null })
    expect((await press(halves[1])).session?.user.email).toBe('theo+new@example.com')
  })
})

describe('over SMTP', () => {
  const received: { envelope: { from: string; to: string[] }; mail: Email }[] = []
  const stops: (() => unknown)[] = []
  afterEach(async () => {
    received.length = 0
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  async function smtpServer(options: SMTPServerOptions = {}): Promise<number> {
    const port = await freePort()
    const smtp = new SMTPServer({
      onAuth: ({ username, password }, _session, done) =>
        username === 'postman' && password === 'secret'
          ? done(null, { user: username })
          : done(new Error('no such user')),
      onData(stream, session, done) {
        PostalMime.parse(Readable.toWeb(stream) as ReadableStream).then((mail) => {
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            envelope: {
              from: (mailFrom as { address: string }).address,
              to: rcptTo.map(({ address }) => address),
            },
            mail,
          })
          done()
        }, done)
      },
      ...options,
    })
    smtp.on('error', () => {})
    await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
    stops.push(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
    return port
  }

  async function mailingServer(port: number, settings: Parameters<typeof authServer>[0] = {}) {
    const server = await authServer({
      ...settings,
      options: {
        env: {
          SMTP_HOST: '127.0.0.1',
          SMTP_PORT: String(port),
          SMTP_USER: 'postman',
          SMTP_PASS: 'secret',
          SMTP_ADMIN_EMAIL: 'hello@meadowlark.example',
          SMTP_SENDER_NAME: 'Meadowlark',
        },
      },
    })
    stops.push(() => server.stop())
    return server
  }

  const until = async (done: () => boolean) => {
    for (let round = 0; round < 400 && !done(); round++)
      await new Promise((resolve) => setTimeout(resolve, 25))
  }

  test('an email has sender, recipient, both texts and a unique id', async () => {
    const server = await mailingServer(await smtpServer({ disabledCommands: ['STARTTLS'] }))
    expect(server.services.mail).toMatchObject({ transport: 'smtp', warning: null })
    await signUp(server, 'grace@example.com')
    await until(() => received.length > 0)
    const [{ envelope, mail }] = received as [(typeof received)[number]]
    expect(envelope).toEqual({ from: 'hello@meadowlark.example', to: ['grace@example.com'] })
    expect(mail.from).toEqual({ name: 'Meadowlark', address: 'hello@meadowlark.example' })
    expect(mail.subject).toBe('Confirm your e-mail address')
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@meadowlark\.example>$/)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
    const code = /code: (\d{6})/.exec(mail.text ?? '')?.[1]
    expect(mail.html).toContain(code)
    const verified = await stranger(server).auth.verifyOtp({
      email: 'grace@example.com',
      token: code as string,
      type: 'signup',
    })
    expect(verified.data.session).toBeTruthy()
  })

  test('a mail server that is away for a while gets the email later, once', async () => {
    let refusals = 1
    const port = await smtpServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        if (refusals-- > 0) return done(Object.assign(new Error('try again later'), { responseCode: 451 }))
        done()
      },
    })
    const server = await mailingServer(port)
    await signUp(server, 'grace+patient@example.com')
    await until(() => received.length > 0)
    expect(received.map(({ envelope }) => envelope.to)).toEqual([['grace+patient@example.com']])
  })

  test('a recipient refused for good is not tried again', async () => {
    let attempts = 0
    const port = await smtpServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        attempts++
        done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
      },
    })
    const server = await mailingServer(port)
    await signUp(server, 'grace+unknown@example.com')
    await until(() => attempts > 0)
    const jobs = async () =>
      (await server.database.pool.query('select count(*)::int as left from graphile_worker.jobs')).rows[0]
        .left
    for (let round = 0; round < 100 && (await jobs()) > 0; round++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    expect([attempts, await jobs()]).toEqual([1, 0])
  })

  test('the hourly limit of emails holds', async () => {
    const port = await smtpServer({ disabledCommands: ['STARTTLS'] })
    const server = await mailingServer(port, { limits: '[auth.rate_limit]\nemail_sent = 2' })
    for (const name of ['first', 'second']) {
      expect((await signUp(server, `${name}@example.com`)).error).toBeNull()
    }
    const { error } = await signUp(server, 'grace+third@example.com')
    expect(error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
      message: 'email rate limit exceeded',
    })
    const { rows } = await server.database.pool.query(
      `select 1 from auth.users where email = 'grace+third@example.com'`,
    )
    expect(rows).toEqual([])
  })

  test('in production without SMTP the operator is warned, and the email waits', async () => {
    const server = await authServer({ options: { production: true } })
    stops.push(() => server.stop())
    const { mail } = server.services
    expect(mail.transport).toBe('none')
    expect(mail.warning).toMatch(/^E-mail cannot be sent: set SMTP_HOST/)
    expect((await signUp(server, 'grace+waiting@example.com')).error).toBeNull()
    const { rows } = await server.database.pool.query(
      `select task_identifier from graphile_worker.jobs where task_identifier = 'send_mail'`,
    )
    expect(rows).toHaveLength(1)
  })
})
