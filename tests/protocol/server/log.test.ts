// The log: what an operator wants to know at `info`, and neither a secret nor anything about a person.

import { redactor } from '@meadowlark/server/config/redact.ts'
import { createLog } from '@meadowlark/server/observability/log.ts'
import pino from 'pino'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  buildServer,
  eventually,
  newProject,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

describe('fields of an error', () => {
  function logged(error: unknown, secrets: string[] = []): { text: string; err: Record<string, unknown> } {
    const lines: string[] = []
    const log = createLog({ level: 'info', secrets, destination: { write: (line) => lines.push(line) } })
    log.error({ err: error }, 'it failed')
    const text = lines.join('')
    return { text, err: JSON.parse(text).err }
  }

  test('its message, stack and codes are logged, rows and requests are not', () => {
    const error = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
      code: '23505',
      constraint: 'users_email',
      detail: 'Key (email)=(grace@example.com) already exists.',
      rejected: ['grace@example.com'],
      config: { headers: { authorization: 'Bearer of-grace' } },
    })
    const { text, err } = logged(error)
    expect(err).toMatchObject({ type: 'Error', code: '23505', constraint: 'users_email' })
    expect(err.stack).toContain('log.test.ts')
    expect(text).not.toMatch(/grace|headers/)
  })

  test('causes are logged, addresses without their passwords', () => {
    const cause = new Error('connect to postgresql://ada:s3:cr@t@db.example:5432/postgres failed')
    const { text } = logged(new Error('no database', { cause }))
    expect(text).toContain('postgresql://ada:[secret]@db.example:5432/postgres')
    expect(text).not.toContain('cr@t')
  })

  test.each(['he said "no" \\\\ twice', 'pass word/with?signs', 'plain-and-simple'])(
    'a known secret: %s',
    (secret) => {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
        const { text } = logged(new Error(`it was <${form}>`), [secret])
        expect(JSON.parse(text).err.message).toBe('it was <[secret]>')
      }
    },
  )

  test('text that looks like a key', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl'
    const text = `sk_live_51Abc rk_test_51Abc whsec_51Abc sb_secret_Abc123_9 pi_1_secret_2Abc ${token}`
    expect(redactor([])(text)).toBe(
      'sk_live_[secret] rk_test_[secret] whsec_[secret] sb_secret_[secret] pi_1_secret_[secret] [token]',
    )
    const plain = 'https://example.com:3000/a@b pk_live_51Abc sb_publishable_Abc user_secretary_key'
    expect(redactor([])(plain)).toBe(plain)
  })
})

describe('of a server', () => {
  const made = newProject()
  const smtp = { port: 0, password: 'the-mail-server-knows' }
  let refuse = ''
  let postbox: SMTPServer
  let server: ServerProcess
  let dropDatabase: () => Promise<void>

  beforeAll(async () => {
    buildServer()
    smtp.port = await freePort()
    postbox = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, done) =>
        refuse === 'auth' ? done(new Error(`no ${password}`)) : done(null, { user: username }),
      onRcptTo: ({ address }, _session, done) =>
        refuse === 'recipient'
          ? done(
              Object.assign(new Error(`nobody is <${address}>, told ${smtp.password}`), {
                responseCode: 550,
              }),
            )
          : done(),
      onData: (stream, _session, done) => stream.on('end', () => done()).resume(),
    })
    await new Promise<void>((resolve) => postbox.listen(smtp.port, '127.0.0.1', resolve))
    const database = await createTestDatabase(null)
    dropDatabase = database.drop
    server = await startProcess({
      workdir: made.workdir,
      dataDir: made.dataDir,
      env: {
        DATABASE_URL: database.url,
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(smtp.port),
        SMTP_USER: 'sample',
        SMTP_PASS: smtp.password,
        SMTP_ADMIN_EMAIL: 'ada@example.com',
        ACCESS_LOG: 'true',
      },
    })
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    await dropDatabase?.()
    postbox?.close()
    made.remove()
  })

  const lines = () =>
    server
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{"level"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  async function post(path: string, body: object) {
    const response = await fetch(`${server.url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { apikey: server.publishable, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return response.json()
  }

  test('says what was applied, where it listens, that somebody signed up, that a mail was sent', async () => {
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: 30,
        msg: 'migrations were applied',
        migrations: ['20250101000000_fruit.sql', '20250102000000_baskets.sql'],
      }),
    )
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: 30, msg: 'the server listens', addresses: expect.any(Array) }),
    )
    const { user } = await post('signup', {
      email: 'grace@example.com',
      password: 'Meadowlark1',
      data: { full_name: 'Grace Field' },
    })
    await post('recover', { email: 'grace@example.com' })
    const sent = {
      level: 30,
      msg: 'a mail was sent',
      kind: 'recovery',
      transport: 'smtp',
      mail: expect.any(String),
    }
    await eventually(() => lines().some(({ msg }) => msg === sent.msg))
    expect(lines()).toContainEqual(expect.objectContaining(sent))
    expect(lines().filter(({ msg }) => msg === 'a sign-up')).toEqual([
      expect.objectContaining({ level: 30, user: user.id, provider: 'email' }),
    ])
    expect(server.printed()).not.toMatch(/grace|field|Meadowlark1/i)
  })

  test('has the answer of each request, by its route, and nothing about the caller or the query', async () => {
    const { user } = await post('signup', { email: 'theo@example.com', password: 'Meadowlark1' })
    const asked = await fetch(`${server.url}/auth/v1/admin/users/${user.id}?about=theo@example.com`, {
      headers: {
        apikey: server.secret,
        'user-agent': 'Orchid/7',
        'x-request-id': 'seen-1',
        authorization: `Bearer ${server.secret}`,
      },
    })
    expect(asked.status).toBe(200)
    const seen = () => lines().find(({ request }) => request === 'seen-1')
    await eventually(() => seen() !== undefined)
    expect(seen()).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: 'a request was answered',
      request: 'seen-1',
      service: 'auth',
      method: 'GET',
      route: '/admin/users/:id',
      status: 200,
      ms: expect.any(Number),
    })
    const answered = lines().filter(({ msg }) => msg === 'a request was answered')
    expect(JSON.stringify(answered)).not.toMatch(/theo|@|orchid|127\.0\.0\.1|::1/i)
    expect(JSON.stringify(answered)).not.toContain(user.id)
  })

  test("a mail server's refusals are logged without the person and without the password", async () => {
    await post('signup', { email: 'sam@example.com', password: 'Meadowlark1' })
    refuse = 'recipient'
    await post('recover', { email: 'sam@example.com' })
    await eventually(() => server.printed().includes('refused a mail for good'))
    expect(server.printed()).toContain('nobody is <[recipient]>, told [secret]')
    expect(server.printed()).not.toMatch(/sam@|the-mail-server-knows/)
  })
})

test('levels of the child loggers are those of the log', () => {
  const told: unknown[] = []
  const log = createLog({
    level: 'warn',
    secrets: [],
    destination: { write: (line) => void told.push(JSON.parse(line)) },
  })
  log.child({ function: 'hello' }).info('unheard')
  log.child({ function: 'hello' }).error(new Error('heard'))
  expect(told).toEqual([
    expect.objectContaining({ level: pino.levels.values.error, function: 'hello', msg: 'heard' }),
  ])
})
