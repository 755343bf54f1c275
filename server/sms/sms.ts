// Outgoing text messages: a message is a job written in the sender's transaction, delivered by Twilio or into
// an inbox that stands in for it. Follows https://www.twilio.com/docs/messaging/api/message-resource.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type pino from 'pino'
import type { Jobs } from '../jobs/jobs.ts'
import type { Queryable } from '../sql/queryable.ts'
import type { QueuedText, Text } from './text.ts'
import { type TwilioSettings, twilioDeliver } from './twilio.ts'

export interface Sms {
  transport: 'twilio' | 'inbox' | 'none'
  /** Queues a message with the transaction's client and returns its id: it is sent when that transaction commits. */
  send(client: Queryable, text: Text): Promise<string>
  /** Delivers one message now; throws when it should be tried again. */
  deliver(text: QueuedText): Promise<void>
}

const MAX_ATTEMPTS = 6

export type SmsDeps = {
  /** The Twilio account, or null when none is configured. */
  twilio: TwilioSettings | null
  /** Takes messages when there is no carrier. */
  inbox?: (client: Queryable, text: QueuedText) => Promise<void>
  database: { pool: pg.Pool }
  jobs: Jobs
  log: pino.Logger
}

/** Makes the SMS service and registers its `send_sms` task; call before the jobs start. */
export function createSms({ twilio, inbox, database, jobs, log }: SmsDeps): Sms {
  const transport = twilio ? 'twilio' : inbox ? 'inbox' : 'none'
  const sms: Sms = {
    transport,
    async send(client, text) {
      const id = randomUUID()
      // Fewer tries than for an email: a code has expired an hour later.
      await jobs.enqueue(client, 'send_sms', { id, ...text }, { maxAttempts: MAX_ATTEMPTS })
      return id
    },
    async deliver(text) {
      if (twilio) await twilioDeliver(twilio, text)
      else if (inbox) await inbox(database.pool, text)
      else throw new Error('no SMS provider is configured')
      log.info({ sms: text.id, kind: text.kind, transport }, 'a text message was sent')
    },
  }
  jobs.register('send_sms', (text: QueuedText) => sms.deliver(text))
  return sms
}
