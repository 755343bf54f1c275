// E-mails of notifications on their way out: into the sandbox's inbox, and through a real mail server that takes them,
// puts them off, refuses them or is away.
import { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signedIn } from '../../support/people.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'
import { soon } from './paid-job.ts'

type Row = { status: string; attempts: number; last_error: string | null }
let server: TestServer

/** Theo is notified that he is verified; the e-mail is due at once. */
async function tell(text = 'verification_approved', params: object = {}): Promise<void> {
  await signedIn(server, 'theo')
  await server.database.pool.query(
    `select private.notify_person(id, $1, $2, '/dashboard') from auth.users where email = 'theo@example.com'`,
    [text, JSON.stringify(params)],
  )
  await server.database.pool.query('update private.email_events set due_at = now() where email_id is null')
}
const wake = () => server.database.pool.query('select public.schedule_emails()')
const send = async () => {
  const answer = await fetch(`${server.url}/functions/v1/send-emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}` },
  })
  return { status: answer.status, body: await answer.json() }
}
const emails = async () =>
  (
    await server.database.pool.query<Row>(
      'select status, attempts, last_error from private.emails order by created_at',
    )
  ).rows
/** Effects that are being performed, or could be. */
const due = async () =>
  (
    await server.database.pool.query(
      `select message from pgmq.q_effects where vt < now() + interval '1 minute'`,
    )
  ).rows
const forget = () => server.database.pool.query('delete from private.emails')

describe('without its own mail server', () => {
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.stop())

  it('the inbox shows what a job sent, once for each Message-ID', async () => {
    await tell('application_accepted', { person: 'Grace <b>', task: 'Élan & Söhne 🌾' })
    await wake()
    const mine = async () => (await server.inbox()).filter(({ to }) => to === 'theo@example.com')
    await expect.poll(mine, soon).toHaveLength(1)
    const [email] = await mine()
    expect(email).toMatchObject({
      subject: 'Grace <b> accepted your application for "Élan & Söhne 🌾"',
    })
    expect(email?.links[0]).toBe(`${server.services.config.auth.site_url}/dashboard`)
    expect(email?.html).toContain('<bdi>Grace &lt;b&gt;</bdi>')
    expect(email?.text).toContain('Grace <b> accepted your application')
    await expect.poll(emails, soon).toMatchObject([{ status: 'sent', attempts: 1 }])
    await expect.poll(due, soon).toEqual([])
    // Its sender died before it could say so: the mail is sent again, and is the same one.
    await server.database.pool.query(`update private.emails set status = 'waiting', taken_until = now()`)
    expect(await send()).toEqual({ status: 200, body: { sent: 1, later: 0, refused: 0 } })
    expect(await mine()).toHaveLength(1)
  })

  it('nobody but the secret key makes it send', async () => {
    for (const key of [server.publishableKey, 'x', '']) {
      const answer = await fetch(`${server.url}/functions/v1/send-emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      })
      expect(answer.status).toBe(401)
    }
  })
})

describe('through a mail server', () => {
  const received: Email[] = []
  let smtp: SMTPServer
  let answer: { at: 'rcpt' | 'data'; code: number } | null = null
  let port: number

  const refusal = (code: number, address: string) =>
    Object.assign(new Error(`No mailbox ${address}`), { responseCode: code })
  const listen = () => new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
  const start = () => {
    smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, done) =>
        username === 'postman' && password === 'secret'
          ? done(null, { user: username })
          : done(new Error('no such user')),
      onRcptTo({ address }, _session, done) {
        done(answer?.at === 'rcpt' ? refusal(answer.code, address) : null)
      },
      onData(stream, session, done) {
        PostalMime.parse(Readable.toWeb(stream) as ReadableStream).then((mail) => {
          const to = session.envelope.rcptTo[0]?.address ?? ''
          if (answer?.at === 'data') return done(refusal(answer.code, to))
          received.push(mail)
          done()
        }, done)
      },
    })
    smtp.on('error', () => {})
    return listen()
  }
  const close = () => new Promise<void>((resolve) => smtp.close(() => resolve()))

  beforeAll(async () => {
    port = await freePort()
    await start()
    server = await startTestServer({
      env: {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(port),
        SMTP_USER: 'postman',
        SMTP_PASS: 'secret',
        SMTP_ADMIN_EMAIL: 'hello@meadowlark.example',
        SMTP_SENDER_NAME: 'Meadowlark',
      },
    })
  })
  afterAll(async () => {
    await server.stop()
    await close()
  })
  beforeEach(async () => {
    answer = null
    await signedIn(server, 'theo')
    await forget()
    received.length = 0
  })
  const sent = () => received.filter(({ subject }) => subject === 'You are verified')

  it('it arrives with both bodies and the names of its sender, and is marked as sent', async () => {
    await tell()
    expect(await send()).toMatchObject({ status: 200, body: { sent: 1 } })
    expect(sent()).toMatchObject([
      {
        from: { name: 'Meadowlark', address: 'hello@meadowlark.example' },
        to: [{ address: 'theo@example.com' }],
      },
    ])
    expect(sent()[0]?.messageId).toMatch(/^<[0-9a-f-]{36}@meadowlark\.example>$/)
    const header = (name: string) => sent()[0]?.headers.find(({ key }) => key === name)?.value
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const address = header('list-unsubscribe')?.replace(/^<|>$/g, '') ?? ''
    const opened = await fetch(address, { redirect: 'manual' })
    expect(opened.status).toBe(303)
    expect(opened.headers.get('location')).toBe(
      `${server.services.config.auth.site_url}/unsubscribe${new URL(address).search}`,
    )
    const preferences = async () =>
      (await server.database.pool.query('select kind, email from public.notification_preferences')).rows
    expect(await preferences()).toEqual([])
    const clicked = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect(clicked.status).toBe(200)
    expect(await preferences()).toEqual([{ kind: 'verification', email: false }])
    await server.database.pool.query('delete from public.notification_preferences')
    for (const wrong of ['', '?token=x', '?token=00000000-0000-4000-8000-0000000000ff'])
      expect((await fetch(address.replace(/\?.*/, wrong), { method: 'POST' })).status).toBe(400)
    expect((await fetch(address, { method: 'DELETE' })).status).toBe(405)
    expect(sent()[0]?.html).toContain('Your verification was approved.')
    expect(sent()[0]?.text).toContain('Your verification was approved.')
    expect(await emails()).toMatchObject([{ status: 'sent' }])
  })

  it('one click ends the daily e-mail of saved searches, and no other', async () => {
    const { pool } = server.database
    const theo = await signedIn(server, 'theo')
    const grace = await signedIn(server, 'grace')
    const { data: giver } = await grace.auth.getUser()
    await theo.from('saved_searches').insert({ words: 'sidewalk', pace: 'daily' }).throwOnError()
    await grace
      .from('tasks')
      .insert({
        task_giver_id: giver.user?.id ?? '',
        title: 'Shovel the sidewalk',
        description: 'From the corner to the side door.',
        category: 'Snow Removal',
        location: 'Regina',
        pay_amount: 60,
        status: 'open',
      })
      .throwOnError()
    await pool.query(`update private.task_alerts set matched_at = matched_at - interval '1 day'`)
    await pool.query('select private.send_alert_email()')
    await pool.query('update private.email_events set due_at = now() where email_id is null')
    expect(await send()).toMatchObject({ status: 200 })
    const alert = () => received.find(({ subject }) => subject === 'New tasks for your searches: 1')
    // A job may have been the one that took it.
    await expect.poll(alert, soon).toBeDefined()
    expect(alert()?.text).toContain('Shovel the sidewalk')
    const header = (name: string) => alert()?.headers.find(({ key }) => key === name)?.value
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const address = header('list-unsubscribe')?.replace(/^<|>$/g, '') ?? ''
    expect(alert()?.text).toContain(
      `${server.services.config.auth.site_url}/unsubscribe${new URL(address).search}`,
    )
    const preferences = async () =>
      (await pool.query('select kind, email from public.notification_preferences')).rows
    await fetch(address, { redirect: 'manual' })
    expect(await preferences()).toEqual([])
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(address, { method: 'POST', body })).status).toBe(200)
    expect(await preferences()).toEqual([{ kind: 'alerts', email: false }])
    await pool.query('delete from public.notification_preferences')
  })

  it.each([
    ['rcpt', 450, 'waiting', 'later'],
    ['data', 451, 'waiting', 'later'],
    ['rcpt', 550, 'dead', 'refused'],
    ['data', 554, 'dead', 'refused'],
  ] as const)('refused at %s with %i: %s', async (at, code, status, outcome) => {
    answer = { at, code }
    await tell()
    expect(await send()).toMatchObject({ status: 200, body: { sent: 0, [outcome]: 1 } })
    const [email] = await emails()
    expect(email).toMatchObject({ status, attempts: 1 })
    expect(email?.last_error).toContain('[recipient]')
    expect(email?.last_error).not.toContain('theo@')
  })

  it('an e-mail that a mail server missed while it was away arrives once it is back, by the effect’s next try', async () => {
    await close()
    await tell()
    expect((await send()).status).toBe(503)
    expect(await emails()).toMatchObject([{ status: 'waiting', attempts: 0 }])
    await wake()
    await start()
    await server.database.pool.query(
      `update pgmq.q_effects set vt = now() where message ->> 'function' = 'send-emails'`,
    )
    await expect.poll(sent, soon).toHaveLength(1)
  })

  it('several senders at once send each e-mail once', async () => {
    await tell()
    await Promise.all([send(), send(), send()])
    // A job may have been the one that took it.
    await expect.poll(emails, soon).toMatchObject([{ status: 'sent', attempts: 1 }])
    expect(sent()).toHaveLength(1)
  })
})
