// Bounces and complaints, as Amazon SES, Resend, Postmark, scripts and mail servers report them: each proves who it is, a
// report that comes again changes nothing, and what is forged or broken is refused.
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import {
  basic,
  emailStatus,
  events,
  functionUrl,
  OLD_SECRET,
  PASSWORD,
  post,
  query,
  SECRET,
  serveMailEvents,
  suppressed,
} from './mail-events-server.ts'
import {
  certificateOf,
  dsn,
  EMAIL,
  FORGED_ORIGINALS,
  HEADERS,
  HOST,
  notification,
  reportingEmail,
  SES_MAIL,
  sesBounce,
  signedMessage,
  TOPIC,
  WHOLE,
} from './mail-reports.ts'

serveMailEvents()
const bounced = [{ address: 'theo@example.com', reason: 'bounced' }]
const complained = [{ address: 'theo@example.com', reason: 'complained' }]
const NEWS = { status: 200, body: { events: 1, recorded: 1 } }
const KNOWN = { status: 200, body: { events: 1, recorded: 0 } }

describe('signed by Standard Webhooks', () => {
  const signed = (
    payload: object,
    { secret = SECRET, id = 'msg_1', at = new Date(), prefix = 'webhook' } = {},
  ) => {
    const body = JSON.stringify(payload)
    return post(body, {
      [`${prefix}-id`]: id,
      [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
      [`${prefix}-signature`]: new Webhook(secret).sign(id, at, body),
    })
  }
  const own = {
    type: 'bounced',
    address: 'Theo@Example.com',
    permanent: true,
    message_id: `<${EMAIL}@x.example>`,
  }

  it('a script’s own report suppresses the address, marks the e-mail, and counts once', async () => {
    expect(await signed(own)).toEqual(NEWS)
    expect(await suppressed()).toEqual(bounced)
    expect(await emailStatus()).toBe('bounced')
    expect(await signed(own)).toEqual(KNOWN)
    expect(await signed(own, { secret: OLD_SECRET })).toEqual(KNOWN)
    expect(await events()).toEqual([{ type: 'bounced', cause: 'address' }])
  })

  it('Resend’s events are read with its names of the headers, and others of its events are none', async () => {
    const data = { email_id: 'x', from: 'hello@x.example', to: ['theo@example.com'], subject: 'Hi' }
    const resend = (payload: object, id: string) => signed(payload, { id, prefix: 'svix' })
    expect(await resend({ type: 'email.delivered', created_at: 'x', data }, 'r1')).toEqual({
      status: 200,
      body: { events: 0, recorded: 0 },
    })
    const bounce = { message: 'full', subType: 'MailboxFull', type: 'Transient' }
    expect(await resend({ type: 'email.bounced', created_at: 'x', data: { ...data, bounce } }, 'r2')).toEqual(
      NEWS,
    )
    expect(await suppressed()).toEqual([])
    expect(await resend({ type: 'email.complained', created_at: 'x', data }, 'r3')).toEqual(NEWS)
    expect(await suppressed()).toEqual(complained)
  })

  it.each([
    [
      'another secret',
      { secret: `whsec_${Buffer.from('another secret of thirty bytes').toString('base64')}` },
    ],
    ['a signature of an hour ago', { at: new Date(Date.now() - 3_600_000) }],
  ])('%s is refused', async (_, options) => {
    expect(await signed(own, options)).toEqual({
      status: 401,
      body: { error: 'The signature does not match' },
    })
    expect(await events()).toEqual([])
  })

  it.each([
    [{ ...own, type: 'opened' }, 'type'],
    [{ ...own, address: 1 }, 'address'],
    [{ ...own, address: 'no address' }, 'address'],
    [{ ...own, permanent: undefined }, 'permanent'],
    [{ type: 'email.bounced', data: { to: 'theo@example.com' } }, 'data.to'],
  ])('%j is refused by the field', async (payload, field) => {
    expect(await signed(payload)).toMatchObject({ status: 400, body: { field } })
    expect(await events()).toEqual([])
  })
})

describe('with the password', () => {
  const postmark = {
    RecordType: 'Bounce',
    ID: 42,
    Type: 'HardBounce',
    TypeCode: 1,
    Email: 'theo@example.com',
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    Details: 'no such user',
  }
  const tell = (event: object, headers = basic()) => post(JSON.stringify(event), headers)

  it.each([
    { RecordType: 'Delivery', MessageID: 'x', Recipient: 'theo@example.com', DeliveredAt: 'x' },
    { RecordType: 'Open', MessageID: 'x', Recipient: 'theo@example.com', FirstOpen: true },
    { RecordType: 'SubscriptionChange', MessageID: 'x', Recipient: 'theo@example.com' },
  ])('Postmark’s event $RecordType is accepted and ignored', async (event) => {
    expect(await tell(event)).toEqual({ status: 200, body: { events: 0, recorded: 0 } })
  })

  it('Postmark’s bounces and complaints are taken', async () => {
    expect(await tell({ ...postmark, ID: 1, Type: 'AutoResponder' })).toMatchObject({ body: { events: 0 } })
    expect(await tell({ ...postmark, ID: 2, Type: 'SoftBounce' })).toEqual(NEWS)
    expect(await suppressed()).toEqual([])
    expect(await tell(postmark)).toEqual(NEWS)
    expect(await tell(postmark)).toEqual(KNOWN)
    expect(await suppressed()).toEqual(bounced)
    await query('delete from private.suppressed_addresses')
    expect(await tell({ ...postmark, ID: 3, RecordType: 'SpamComplaint', Type: 'SpamComplaint' })).toEqual(
      NEWS,
    )
    expect(await suppressed()).toEqual(complained)
  })

  it('a wrong one, and none, are refused', async () => {
    for (const headers of [basic('another password'), basic(''), { authorization: 'Bearer x' }, {}])
      expect((await tell(postmark, headers as never)).status).toBe(401)
    expect((await tell({ ...postmark, Email: null })).body).toMatchObject({ field: 'Email' })
    expect(await post('{', basic())).toEqual({ status: 400, body: { error: 'The body must be JSON' } })
    expect(await events()).toEqual([])
  })

  const pipe = (text: string, headers: Record<string, string> = basic()) =>
    post(text, { ...headers, 'content-type': 'message/rfc822' })

  it('delivery status notifications are read by their codes', async () => {
    expect(await pipe(dsn('4.4.1', 'delayed'))).toMatchObject({ status: 200, body: { events: 0 } })
    expect(await pipe(dsn('5.7.1'))).toEqual(NEWS)
    expect(await emailStatus()).toBe('bounced')
    expect(await events()).toEqual([{ type: 'bounced', cause: 'message' }])
    expect(await suppressed()).toEqual([])
    await query('delete from private.mail_events')
    expect(await pipe(dsn('5.1.1'))).toEqual(NEWS)
    expect(await pipe(dsn('5.1.1'))).toEqual(KNOWN)
    expect(await suppressed()).toEqual(bounced)
    expect(await query('select detail from private.mail_events')).toEqual([
      { detail: 'smtp; 550 <[recipient]>: unknown' },
    ])
  })

  it.each([
    ['that names the recipient', 'Original-Rcpt-To: <theo@example.com>\r\n', HEADERS],
    ['that does not', '', WHOLE],
  ])('a complaint by e-mail %s', async (_, named, original) => {
    const report = `Feedback-Type: abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\n${named}`
    expect(await pipe(reportingEmail(report, original, 'feedback-report'))).toEqual(NEWS)
    expect(await suppressed()).toEqual(complained)
    expect(await emailStatus()).toBe('complained')
    expect(
      await pipe(reportingEmail(report.replace('abuse', 'not-spam'), original, 'feedback-report')),
    ).toMatchObject({
      body: { events: 0 },
    })
  })

  it.each(FORGED_ORIGINALS)('a forged report with %s changes nothing', async (_, headers) => {
    const ignored = { status: 200, body: { events: 1, recorded: 0 } }
    expect(await pipe(dsn('5.1.1', 'failed', headers))).toEqual(ignored)
    const report = 'Feedback-Type: abuse\r\nVersion: 1\r\nOriginal-Rcpt-To: <theo@example.com>\r\n'
    expect(await pipe(reportingEmail(report, headers, 'feedback-report'))).toEqual(ignored)
    expect(await events()).toEqual([])
    expect(await suppressed()).toEqual([])
    expect(await query('select status from private.emails order by id')).toEqual([
      { status: 'sent' },
      { status: 'sent' },
      { status: 'waiting' },
    ])
  })

  it('other e-mails and those without the password are refused', async () => {
    expect((await pipe('Subject: Hello\r\n\r\nHello')).status).toBe(400)
    expect((await pipe('\u0000\u0001', basic())).status).toBe(400)
    expect((await pipe(dsn('5.1.1'), {})).status).toBe(401)
    expect((await pipe('x'.repeat(2_000_001))).status).toBe(413)
    expect(await events()).toEqual([])
  })
})

it('the script for a mail server hands reports over, drops other e-mails, and has failures tried again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mail-events-'))
  const run = async (email: string, password = PASSWORD) => {
    const settings = join(folder, 'curl')
    writeFileSync(settings, `url = "${functionUrl()}"\nuser = "mail:${password}"\n`)
    const script = spawn(repositoryFile('deploy/mail-events.sh'), [], {
      env: { PATH: process.env.PATH, MAIL_EVENTS_CURL: settings },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    script.stdin.end(email)
    const [code] = await once(script, 'exit')
    return code
  }
  try {
    expect(await run('Subject: Hello\r\n\r\nHello')).toBe(0)
    expect(await run(dsn('5.1.1'), 'another password')).toBe(75)
    expect(await suppressed()).toEqual([])
    expect(await run(dsn('5.1.1'))).toBe(0)
    expect(await suppressed()).toEqual(bounced)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('signed by Amazon SNS', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ofAmazon: string[] = []
  const plain = globalThis.fetch
  beforeAll(async () => {
    const pem = await certificateOf(privateKey, publicKey)
    vi.stubGlobal('fetch', (input: string | URL, options?: RequestInit) => {
      if (!String(input).startsWith(HOST)) return plain(input, options)
      ofAmazon.push(String(input))
      return Promise.resolve(new Response(/-bad/.test(String(input)) ? 'nonsense' : pem))
    })
  })
  afterAll(() => vi.unstubAllGlobals())

  const send = (message: Record<string, unknown>, key = privateKey) =>
    post(signedMessage(message, key), { 'x-amz-sns-message-type': String(message.Type) })

  it('bounces and complaints of SES are taken, by both versions of the signature', async () => {
    expect(await send(notification(sesBounce('Transient', 'General')))).toEqual(NEWS)
    expect(await suppressed()).toEqual([])
    expect(
      await send(notification(sesBounce('Permanent', 'NoEmail', 'f2'), { SignatureVersion: '1' })),
    ).toEqual(NEWS)
    expect(await suppressed()).toEqual(bounced)
    expect(await emailStatus()).toBe('bounced')
    const complaint = { feedbackId: 'f3', complainedRecipients: [{ emailAddress: 'theo@example.com' }] }
    expect(
      await send(notification({ eventType: 'Complaint', mail: SES_MAIL, complaint }, { Subject: undefined })),
    ).toEqual(NEWS)
    expect(await events()).toHaveLength(3)
    for (const complaintFeedbackType of ['not-spam', 'virus']) {
      const other = { ...complaint, feedbackId: 'f4', complaintFeedbackType }
      expect(
        await send(notification({ eventType: 'Complaint', mail: SES_MAIL, complaint: other })),
      ).toMatchObject({ status: 200, body: { events: 0 } })
    }
    const abuse = { ...complaint, feedbackId: 'f5', complaintFeedbackType: 'abuse' }
    expect(await send(notification({ eventType: 'Complaint', mail: SES_MAIL, complaint: abuse }))).toEqual(
      NEWS,
    )
    expect(await send(notification({ eventType: 'Delivery', mail: SES_MAIL, delivery: {} }))).toMatchObject({
      body: { events: 0 },
    })
    expect(await send(notification('Successfully validated SNS topic'))).toMatchObject({
      body: { events: 0 },
    })
    // The certificate is asked for once.
    expect(ofAmazon).toHaveLength(1)
  })

  it('a subscription is confirmed at Amazon and nowhere else', async () => {
    const confirmation = (SubscribeURL: string) =>
      notification('You have chosen to subscribe', {
        Type: 'SubscriptionConfirmation',
        Subject: undefined,
        Token: 'token',
        SubscribeURL,
      })
    const address = `${HOST}/?Action=ConfirmSubscription&Token=token`
    expect(await send(confirmation(address))).toMatchObject({ status: 200 })
    expect(ofAmazon).toContain(address)
    expect((await send(confirmation('https://sns.ca-central-1.amazonaws.com.example.net/'))).status).toBe(401)
  })

  it.each([
    ['another key', {}, stranger.privateKey],
    ['another topic', { TopicArn: TOPIC.replace('mail-events', 'others') }, privateKey],
    [
      'a certificate elsewhere',
      { SigningCertURL: 'https://sns.example.net/SimpleNotificationService-01.pem' },
      privateKey,
    ],
    [
      'a certificate of another region',
      { SigningCertURL: `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-01.pem` },
      privateKey,
    ],
    ['something else of Amazon’s', { SigningCertURL: `${HOST}/?Action=Something` }, privateKey],
    [
      'a certificate by HTTP',
      { SigningCertURL: 'http://sns.ca-central-1.amazonaws.com/SimpleNotificationService-01.pem' },
      privateKey,
    ],
  ])('%s is refused, and asks nobody', async (_, more, key) => {
    await send(notification(sesBounce('Permanent', 'General')))
    await query('delete from private.mail_events')
    ofAmazon.splice(0)
    expect((await send(notification(sesBounce('Permanent', 'General'), more), key)).status).toBe(401)
    expect(await events()).toEqual([])
    expect(ofAmazon).toEqual([])
  })

  it('input that is no message or no certificate of SNS is refused', async () => {
    const SigningCertURL = `${HOST}/SimpleNotificationService-bad.pem`
    expect((await send(notification('{}', { SigningCertURL }))).status).toBe(401)
    const { MessageId: _, ...without } = notification(sesBounce('Permanent', 'General'))
    expect(await send(without as never)).toMatchObject({ status: 400, body: { field: 'MessageId' } })
  })
})

it('a server without a secret accepts nothing', async () => {
  const { default: handler } = await import('../../../supabase/functions/mail-events/handler.ts')
  const answer = await handler(
    new Request('https://x.example', { method: 'POST', body: '{}', headers: basic() }),
    {},
  )
  expect(answer.status).toBe(503)
  expect(await answer.json()).toEqual({ error: 'MAIL_EVENTS_PASSWORD is not set' })
})
