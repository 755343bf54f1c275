// Reports as mail servers send them, and the certificate of Amazon SNS, for mail-events.test.ts.
import { createSign, type KeyObject, webcrypto } from 'node:crypto'
import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'

/** An e-mail that was sent to Theo. */
export const EMAIL = '11111111-1111-4111-8111-111111111111'
export const EMAIL_TO_GRACE = '22222222-2222-4222-8222-222222222222'
/** An e-mail to Theo. */
export const UNSENT_EMAIL = '33333333-3333-4333-8333-333333333333'

/** An e-mail that reports on another: the machine-readable part, the original. */
export const reportingEmail = (report: string, original: string, kind = 'delivery-status') =>
  [
    'From: MAILER-DAEMON@mx.example',
    'Message-ID: <report-1@mx.example>',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${kind}; boundary="b"`,
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Sorry.',
    '--b',
    `Content-Type: message/${kind}`,
    '',
    report,
    '--b',
    original,
    '--b--',
    '',
  ].join('\r\n')
const headersOf = (id: string) =>
  `Content-Type: text/rfc822-headers\r\n\r\nMessage-ID: <${id}@x.example>\r\nTo: <theo@example.com>\r\n`
export const HEADERS = headersOf(EMAIL)
export const WHOLE = `Content-Type: message/rfc822\r\n\r\nMessage-ID: <${EMAIL}@x.example>\r\nTo: Theo\r\n <theo@example.com>\r\n\r\nHello`
/** Originals by which a report must not count. */
export const FORGED_ORIGINALS: [name: string, part: string][] = [
  ['no original', 'Content-Type: text/plain\r\n\r\nHello'],
  ['no Message-ID', 'Content-Type: text/rfc822-headers\r\n\r\nTo: <theo@example.com>\r\n'],
  ['a Message-ID of another form', headersOf('hello')],
  ['a Message-ID that no e-mail has', headersOf('44444444-4444-4444-8444-444444444444')],
  ['the Message-ID of an e-mail to another person', headersOf(EMAIL_TO_GRACE)],
  ['the Message-ID of an e-mail that was not sent', headersOf(UNSENT_EMAIL)],
]
/** A delivery status notification about Theo. */
export const dsn = (status: string, action = 'failed', original = HEADERS) =>
  reportingEmail(
    `Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; theo@example.com\r\nAction: ${action}\r\nStatus: ${status}\r\n` +
      'Diagnostic-Code: smtp; 550 <theo@example.com>:\r\n unknown\r\n',
    original,
  )

export const TOPIC = 'arn:aws:sns:ca-central-1:123456789012:mail-events'
export const HOST = 'https://sns.ca-central-1.amazonaws.com'

/** A message of the topic, not signed yet. */
export const notification = (message: object | string, more: object = {}) => ({
  Type: 'Notification',
  MessageId: '22222222-2222-4222-8222-222222222222',
  TopicArn: TOPIC,
  Subject: 'Amazon SES Email Event Notification',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2026-11-27T05:00:00.000Z',
  SignatureVersion: '2',
  SigningCertURL: `${HOST}/SimpleNotificationService-0123456789abcdef.pem`,
  ...more,
})

/** The message with its signature, as JSON. */
export function signedMessage(message: Record<string, unknown>, key: KeyObject): string {
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names.flatMap((name) => (message[name] ? [`${name}\n${message[name]}\n`] : [])).join('')
  const Signature = createSign(message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256')
    .update(text)
    .sign(key, 'base64')
  return JSON.stringify({ ...message, Signature })
}

/** An e-mail with its original headers, as SES describes it. */
export const SES_MAIL = {
  messageId: 'ses-1',
  headers: [{ name: 'Message-ID', value: `<${EMAIL}@x.example>` }],
}
/** https://docs.aws.amazon.com/ses/latest/dg/notification-examples.html */
export const sesBounce = (type: string, subType: string, feedbackId = 'f1') => ({
  notificationType: 'Bounce',
  mail: SES_MAIL,
  bounce: {
    bounceType: type,
    bounceSubType: subType,
    feedbackId,
    bouncedRecipients: [{ emailAddress: 'theo@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550' }],
  },
})

/** A certificate as SNS publishes it, in PEM. */
export async function certificateOf(privateKey: KeyObject, publicKey: KeyObject): Promise<string> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const { subtle } = webcrypto
  const [privateHalf, publicHalf] = await Promise.all([
    subtle.importKey('pkcs8', privateKey.export({ type: 'pkcs8', format: 'der' }), algorithm, false, [
      'sign',
    ]),
    subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), algorithm, true, ['verify']),
  ])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=sns.amazonaws.com',
    keys: { privateKey: privateHalf, publicKey: publicHalf },
    signingAlgorithm: algorithm,
  })
  return certificate.toString('pem')
}
