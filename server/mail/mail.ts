// Outgoing e-mail: a message is a job written in the sender's transaction and delivered by SMTP, by the sandbox
// inbox, or, when there is neither, kept and tried again until SMTP is configured.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type pino from 'pino'
import type { MailServer } from '../config/outside.ts'
import type { Jobs, Queryable } from '../jobs/jobs.ts'
import type { Letter, QueuedLetter } from './email.ts'
import { deliverToInbox } from './inbox.ts'
import { smtpTransport } from './smtp.ts'
import { plainText } from './text.ts'

export interface Mail {
  /** Where letters go. */
  transport: 'smtp' | 'inbox' | 'none'
  /** What the operator must be told at start, or null when letters can be sent. */
  warning: string | null
  /** Queues a letter with the transaction's client: it leaves if and when that transaction commits. */
  send(client: Queryable, letter: Letter): Promise<void>
  /** Delivers one letter now; throws when it should be tried again. */
  deliver(letter: QueuedLetter): Promise<void>
  close(): void
}

export type MailDeps = {
  /** The SMTP server, or null when none is configured. */
  smtp: MailServer | null
  /** Whether the sandbox's inbox takes letters when there is no SMTP server. */
  sandbox: boolean
  database: { pool: pg.Pool }
  jobs: Jobs
  log: pino.Logger
}

/** Makes the mail service and registers its `send_mail` task; call before the jobs start. */
export function createMail({ smtp, sandbox, database, jobs, log }: MailDeps): Mail {
  const server = smtp && smtpTransport(smtp, log)
  const transport = server ? 'smtp' : sandbox ? 'inbox' : 'none'

  const mail: Mail = {
    transport,
    warning:
      transport === 'none'
        ? 'E-mail cannot be sent: set SMTP_HOST, SMTP_PORT, SMTP_USER, SMTP_PASS and SMTP_ADMIN_EMAIL. ' +
          'Until then nobody can confirm an account or reset a password; letters wait and are tried again.'
        : null,
    async send(client, letter) {
      const queued: QueuedLetter = { id: randomUUID(), text: plainText(letter.html), ...letter }
      await jobs.enqueue(client, 'send_mail', queued)
    },
    async deliver(letter) {
      if (server) {
        if (!(await server.deliver(letter))) return
      } else if (transport === 'inbox') {
        await deliverToInbox(database.pool, letter)
      } else {
        throw new Error('no SMTP server is configured')
      }
      // Neither whom it went to nor what it said.
      log.info({ mail: letter.id, kind: letter.kind, transport }, 'a mail was sent')
    },
    close: () => server?.close(),
  }
  jobs.register('send_mail', (letter: QueuedLetter) => mail.deliver(letter))
  return mail
}
