// Outgoing e-mail: a message is a job written in the sender's transaction. It is delivered by SMTP, or into an inbox
// that stands in for it. If there is neither, it is kept and tried again until SMTP is configured.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type pino from 'pino'
import type { MailServer } from '../config/integrations.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { inSpan } from '../observability/tracing/spans.ts'
import type { Queryable } from '../sql/queryable.ts'
import type { Email, QueuedEmail } from './email.ts'
import { smtpTransport } from './smtp.ts'
import { plainText } from './text.ts'

export interface Mail {
  /** How emails are delivered. */
  transport: 'smtp' | 'inbox' | 'none'
  /** A warning for the operator at start, or null when emails can be sent. */
  warning: string | null
  /** Queues an email with the transaction's client: it is sent if and when that transaction commits. */
  send(client: Queryable, email: Email): Promise<void>
  /** Delivers one email now; throws when it should be tried again. */
  deliver(email: QueuedEmail): Promise<void>
  close(): void
}

export type MailDeps = {
  /** The SMTP server, or null when none is configured. */
  smtp: MailServer | null
  /** Takes emails when there is no SMTP server. */
  inbox?: (client: Queryable, email: QueuedEmail) => Promise<void>
  database: { pool: pg.Pool }
  jobs: Jobs
  log: pino.Logger
}

/** Makes the mail service and registers its `send_mail` task; call before the jobs start. */
export function createMail({ smtp, inbox, database, jobs, log }: MailDeps): Mail {
  const server = smtp && smtpTransport(smtp, log)
  const transport = server ? 'smtp' : inbox ? 'inbox' : 'none'

  /** False where the mail server will never take it. */
  async function hand(email: QueuedEmail): Promise<boolean> {
    if (server) return server.deliver(email)
    if (!inbox) throw new Error('no SMTP server is configured')
    await inbox(database.pool, email)
    return true
  }

  const mail: Mail = {
    transport,
    warning:
      transport === 'none'
        ? 'E-mail cannot be sent: set SMTP_HOST, SMTP_PORT, SMTP_USER, SMTP_PASS and SMTP_ADMIN_EMAIL. ' +
          'Until then nobody can confirm an account or reset a password; emails wait and are tried again.'
        : null,
    async send(client, email) {
      const queued: QueuedEmail = { id: randomUUID(), text: await plainText(email.html), ...email }
      await jobs.enqueue(client, 'send_mail', queued)
    },
    async deliver(email) {
      const attributes = { 'meadowlark.mail.transport': transport, 'meadowlark.mail.kind': email.kind }
      const sent = await inSpan('send mail', { kind: 'client', attributes }, () => hand(email))
      if (!sent) return
      // Without recipient and content.
      log.info({ mail: email.id, kind: email.kind, transport }, 'a mail was sent')
    },
    close: () => server?.close(),
  }
  jobs.register('send_mail', (email: QueuedEmail) => mail.deliver(email))
  return mail
}
