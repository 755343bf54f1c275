// Outgoing text messages: a message is a job written in the sender's transaction, delivered by a carrier or into an inbox
// that stands in for one.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type pino from 'pino'
import type { CarrierAccount } from '../config/carriers.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Queryable } from '../sql/queryable.ts'
import { messagebirdDeliver } from './messagebird.ts'
import type { QueuedText, Text } from './text.ts'
import { textlocalDeliver } from './textlocal.ts'
import { twilioDeliver } from './twilio.ts'
import { twilioVerifyCheck, twilioVerifyDeliver } from './twilio-verify.ts'
import { vonageDeliver } from './vonage.ts'

export interface Sms {
  /** The carrier's name, or what is there in its place. */
  transport: CarrierAccount['name'] | 'inbox' | 'none'
  /** Queues a message with the transaction's client and returns its id: it is sent when that transaction commits. */
  send(client: Queryable, text: Text): Promise<string>
  /** Delivers one message now; throws when it should be tried again. */
  deliver(text: QueuedText): Promise<void>
  /**
   * Of a carrier that makes its codes itself: whether this is the one that the number was sent. Null for all others, whose
   * messages have a code of ours.
   */
  check: ((to: string, code: string) => Promise<boolean>) | null
}

const MAX_ATTEMPTS = 6

export type SmsDeps = {
  /** The account at a carrier, or null when none is configured. */
  account: CarrierAccount | null
  /** Takes messages when there is no carrier. */
  inbox?: (client: Queryable, text: QueuedText) => Promise<void>
  database: { pool: pg.Pool }
  jobs: Jobs
  log: pino.Logger
}

/** Makes the SMS service and registers its `send_sms` task; call before the jobs start. */
export function createSms({ account, inbox, database, jobs, log }: SmsDeps): Sms {
  const transport = account ? account.name : inbox ? 'inbox' : 'none'
  const sms: Sms = {
    transport,
    async send(client, text) {
      const id = randomUUID()
      // Fewer tries than for an email: a code has expired an hour later.
      await jobs.enqueue(client, 'send_sms', { id, ...text }, { maxAttempts: MAX_ATTEMPTS })
      return id
    },
    async deliver(text) {
      if (account) await deliverBy(account, text)
      else if (inbox) await inbox(database.pool, text)
      else throw new Error('no SMS provider is configured')
      log.info({ sms: text.id, kind: text.kind, transport }, 'a text message was sent')
    },
    check: account?.name === 'twilio_verify' ? (to, code) => checkBy(account, { to, code }, log) : null,
  }
  jobs.register('send_sms', (text: QueuedText) => sms.deliver(text))
  return sms
}

/** Hands the message to the carrier. `api` is the origin of its API, where that is another than the carrier's own. */
export function deliverBy(account: CarrierAccount, text: QueuedText, api?: string): Promise<void> {
  switch (account.name) {
    case 'twilio':
      return twilioDeliver(account, text, api)
    case 'twilio_verify':
      return twilioVerifyDeliver(account, text, api)
    case 'messagebird':
      return messagebirdDeliver(account, text, api)
    case 'textlocal':
      return textlocalDeliver(account, text, api)
    case 'vonage':
      return vonageDeliver(account, text, api)
  }
}

/** A carrier that cannot tell has not proved anything; the log says why. */
async function checkBy(
  account: CarrierAccount & { name: 'twilio_verify' },
  typed: { to: string; code: string },
  log: pino.Logger,
): Promise<boolean> {
  try {
    return await twilioVerifyCheck(account, typed)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'a code could not be checked')
    return false
  }
}
