// Messages of Amazon SNS: who sent them, and how a subscription is confirmed.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
import { createPublicKey, createVerify, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { HttpError } from '../_shared/respond.ts'

const TIMEOUT_MS = 10_000
const MAX_KEYS = 10
const MAX_CERTIFICATE_CHARACTERS = 20_000

const message = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.url(),
  Subject: z.string().nullish(),
  Token: z.string().optional(),
  SubscribeURL: z.url().optional(),
})
export type SnsMessage = z.output<typeof message>

/** The signed fields, by name. */
const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
const CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const

/** Of certificates, by address. SNS changes its certificate once in a year or so. */
const keys = new Map<string, KeyObject>()

/**
 * The message, once its signature was found to be that of SNS and its topic to be one of `topics` (ARNs). HttpError 400 when
 * it is not a message of SNS, 401 when somebody else signed it or it is of another topic, 503 when the certificate cannot be had.
 */
export async function verifiedSns(value: unknown, topics: string[]): Promise<SnsMessage> {
  const { data, error } = message.safeParse(value)
  if (!data) {
    const field = String(error.issues[0]?.path[0] ?? 'Type')
    throw new HttpError(400, `${field}: ${error.issues[0]?.message}`, { field })
  }
  // Anybody can have SNS send and sign messages of another topic.
  if (!topics.includes(data.TopicArn))
    throw new HttpError(401, 'The topic is not one of MAIL_EVENTS_TOPIC_ARN')
  const key = await publicKey(amazonAddress(data.SigningCertURL, data.TopicArn))
  const names = data.Type === 'Notification' ? NOTIFICATION : CONFIRMATION
  const signed = names
    .flatMap((name) => (typeof data[name] === 'string' ? [`${name}\n${data[name]}\n`] : []))
    .join('')
  const verifier = createVerify(data.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(signed)
  if (!verifier.verify(key, data.Signature, 'base64'))
    throw new HttpError(401, 'The signature does not match')
  return data
}

/** Opens the address that confirms the subscription. HttpError 503 when that fails. */
export async function confirmSubscription({ SubscribeURL, TopicArn }: SnsMessage): Promise<void> {
  await download(amazonAddress(SubscribeURL ?? '', TopicArn))
}

/** The address, when it is one of SNS in the topic's region; else HttpError 401. */
function amazonAddress(address: string, topic: string): URL {
  const region = topic.split(':')[3] ?? ''
  const url = URL.canParse(address) ? new URL(address) : null
  const isAmazon = /^[a-z]{2}(-[a-z]+)+-\d$/.test(region) && url?.host === `sns.${region}.amazonaws.com`
  if (!url || !isAmazon || url.protocol !== 'https:') {
    throw new HttpError(401, `The addresses must be at https://sns.${region}.amazonaws.com`)
  }
  return url
}

async function publicKey(url: URL): Promise<KeyObject> {
  if (!/^\/SimpleNotificationService-[0-9a-f]+\.pem$/.test(url.pathname)) {
    throw new HttpError(401, 'SigningCertURL must be the certificate of SNS', { field: 'SigningCertURL' })
  }
  const known = keys.get(url.pathname)
  if (known) return known
  const pem = await download(url)
  // Strangers could make up names.
  if (keys.size >= MAX_KEYS) keys.clear()
  try {
    const key = createPublicKey(pem)
    keys.set(url.pathname, key)
    return key
  } catch {
    throw new HttpError(401, 'SigningCertURL must be the certificate of SNS', { field: 'SigningCertURL' })
  }
}

async function download(url: URL): Promise<string> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!answer.ok) throw new Error(`it answered ${answer.status}`)
    return (await answer.text()).slice(0, MAX_CERTIFICATE_CHARACTERS)
  } catch (error) {
    console.warn(`${url.host} could not be asked: ${(error as Error).message}`)
    throw new HttpError(503, 'Amazon SNS could not be asked; send it again')
  }
}
