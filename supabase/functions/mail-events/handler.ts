// Records bounces and complaints; the database then stops e-mails to those addresses. Reports come in four ways. Amazon SNS signs
// those of Amazon SES; Resend and the operator's own scripts sign theirs by Standard Webhooks. Postmark, and a mail server that
// pipes e-mails here, give a password. The password proves the server, not the author of a piped e-mail: that e-mail has to name
// the Message-ID of an e-mail to the same person. After any answer but 2xx the sender tries again.
import { Buffer } from 'node:buffer'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { endpoint } from '../_shared/endpoint.ts'
import { HttpError } from '../_shared/respond.ts'
import { callAsService, type Environment, isEqual } from '../_shared/supabase.ts'
import type { MailEvent } from './event.ts'
import { postmarkEvents, sesEvents, signedEvents } from './providers.ts'
import { reportedEvents } from './reports.ts'
import { confirmSubscription, verifiedSns } from './sns.ts'

/** A report may have the whole e-mail in it. */
const MAX_BODY_BYTES = 2_000_000
/** An e-mail of ours has one recipient. */
const MAX_EVENTS = 100

export default endpoint(
  { caller: 'provider', body: readReport, failure: 'The report could not be recorded', failureStatus: 500 },
  async ({ body: { events, mustNameEmail }, env }) => {
    const counts = { events: events.length, recorded: 0 }
    for (const event of events) {
      const { recorded } = await callAsService<{ recorded: boolean }>(env, 'record_mail_event', {
        event_id: event.id.slice(0, 500),
        type: event.type,
        address: event.address,
        cause: event.type === 'bounced' ? event.cause : null,
        message_id: event.messageId,
        detail: event.detail,
        must_name_email: mustNameEmail,
      })
      if (recorded) counts.recorded++
    }
    return counts
  },
)

interface Report {
  events: MailEvent[]
  /** Anybody may have written the report: it counts only with the Message-ID of an e-mail to the person. */
  mustNameEmail: boolean
}

async function readReport(request: Request, env: Environment): Promise<Report> {
  const type = request.headers.get('content-type') ?? ''
  const mustNameEmail = /^message\/rfc822\b/i.test(type)
  const events = mustNameEmail ? await pipedEvents(request, env) : await provenEvents(request, env)
  if (events.length > MAX_EVENTS)
    throw new HttpError(400, `One report may have ${MAX_EVENTS} recipients at most`)
  return { events, mustNameEmail }
}

async function pipedEvents(request: Request, env: Environment): Promise<MailEvent[]> {
  checkPassword(request, env)
  return reportedEvents(await bodyOf(request))
}

async function provenEvents(request: Request, env: Environment): Promise<MailEvent[]> {
  const id = request.headers.get('webhook-id') ?? request.headers.get('svix-id')
  if (id) return signedEvents(verified(await textOf(request), id, request, env), id)
  if (request.headers.has('x-amz-sns-message-type')) return snsEvents(json(await textOf(request)), env)
  checkPassword(request, env)
  return postmarkEvents(json(await textOf(request)))
}

async function snsEvents(value: unknown, env: Environment): Promise<MailEvent[]> {
  const message = await verifiedSns(value, setting(env, 'MAIL_EVENTS_TOPIC_ARN'))
  if (message.Type === 'SubscriptionConfirmation') await confirmSubscription(message)
  // SNS begins with a text to a new subscription that is no JSON.
  return message.Type === 'Notification' && message.Message.startsWith('{')
    ? sesEvents(json(message.Message))
    : []
}

/** The JSON that one of the secrets has signed within the last five minutes; else HttpError 401. */
function verified(body: string, id: string, { headers }: Request, env: Environment): unknown {
  const header = (name: string) => headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`) ?? ''
  const signed = {
    'webhook-id': id,
    'webhook-timestamp': header('timestamp'),
    'webhook-signature': header('signature'),
  }
  for (const secret of setting(env, 'MAIL_EVENTS_SIGNING_SECRET')) {
    try {
      new Webhook(secret).verify(body, signed, { jsonParse: false })
      return json(body)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
    }
  }
  throw new HttpError(401, 'The signature does not match')
}

/** HttpError 401 unless the request has one of the passwords, with any name (RFC 7617). */
function checkPassword(request: Request, env: Environment): void {
  const [, credentials = ''] = /^basic\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const given = Buffer.from(credentials, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
  const known = setting(env, 'MAIL_EVENTS_PASSWORD')
  if (!known.some((password) => isEqual(given, password)))
    throw new HttpError(401, 'The password does not match')
}

/** Several values are separated by commas, so that one can be replaced. HttpError 503 when there is none. */
function setting(env: Environment, name: string): string[] {
  const values = (env[name] ?? '').split(',').map((value) => value.trim())
  const given = values.filter((value) => value !== '')
  if (given.length === 0) throw new HttpError(503, `${name} is not set`)
  return given
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpError(400, 'The body must be JSON')
  }
}

const textOf = async (request: Request) => new TextDecoder().decode(await bodyOf(request))

async function bodyOf(request: Request): Promise<ArrayBuffer> {
  const body = await request.arrayBuffer()
  if (body.byteLength > MAX_BODY_BYTES)
    throw new HttpError(413, `The body may have ${MAX_BODY_BYTES} bytes at most`)
  return body
}
