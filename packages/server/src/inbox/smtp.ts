// The inbox as a mail server (RFC 5321) for functions that send mail themselves. It listens on its own port on this
// machine only. Mail is shown in the inbox and goes nowhere else.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { Email } from 'postal-mime'
import type { SMTPServer } from 'smtp-server'
import type { PluginContext } from '../plugin.ts'
import { keepEmail } from './messages.ts'

const MAX_BYTES = 10 * 1024 * 1024

export type InboxServer = {
  /** Environment variables for functions; none before it listens. */
  environment(): Record<string, string>
  stop(): Promise<void>
}

/** Begins to listen. A message that comes twice with the same Message-ID is kept once for each recipient. */
export function inboxServer({ database, log }: Pick<PluginContext, 'database' | 'log'>): InboxServer {
  const listening = listen()
  let address: AddressInfo | null = null

  async function listen(): Promise<SMTPServer> {
    // Loaded only for the inbox: a production server holds less memory without them.
    const [{ SMTPServer }, { default: PostalMime }] = await Promise.all([
      import('smtp-server'),
      import('postal-mime'),
    ])
    const smtp = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      size: MAX_BYTES,
      logger: false,
      onData(stream, session, done) {
        PostalMime.parse(Readable.toWeb(stream) as ReadableStream)
          .then((mail) =>
            keep(
              mail,
              session.envelope.rcptTo.map(({ address }) => address),
            ),
          )
          .then(() => done(), done)
      },
    })
    smtp.on('error', (err) => log.debug({ err }, 'the inbox did not understand a mail'))
    const listener = smtp.listen(0, '127.0.0.1', () => {
      address = listener.address() as AddressInfo
    })
    return smtp
  }

  async function keep(mail: Email, recipients: string[]) {
    const id = mail.messageId?.replace(/^<|>$/g, '') ?? randomUUID()
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
    for (const to of recipients) {
      const email = { id: `${id} ${to}`, to, subject: mail.subject ?? '' }
      await keepEmail(database.pool, { ...email, text: mail.text ?? '', html: mail.html ?? '', headers })
    }
  }

  return {
    environment(): Record<string, string> {
      if (!address) return {}
      return {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(address.port),
        SMTP_ADMIN_EMAIL: 'hello@meadowlark.example',
        SMTP_SENDER_NAME: 'Meadowlark',
      }
    },
    async stop() {
      const smtp = await listening
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    },
  }
}
