// The SMTP transport (RFC 5321), through nodemailer: TLS from the start on port 465, STARTTLS where offered elsewhere.

import { tracingChannel } from 'node:diagnostics_channel'
import type { Transporter } from 'nodemailer'
import type pino from 'pino'
import type { MailServer } from '../config/integrations.ts'
import { lazyPackage } from '../config/lazy-packages.ts'
import type { QueuedEmail } from './email.ts'

const MAX_CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 15_000
const IDLE_TIMEOUT_MS = 30_000

/**
 * Announces every email that is being handed over, as `{ origin }`: src/observability/metrics/outgoing.ts detects
 * mail servers that do not reply.
 */
const handover = tracingChannel<unknown, { origin: string }>('smtp')

/** A pooled connection to one SMTP server, made with the first email. */
export function smtpTransport(settings: MailServer, log: pino.Logger) {
  let made: Promise<Transporter> | undefined
  const transport = () => {
    made ??= pooled(settings)
    return made
  }
  const domain = settings.adminEmail.split('@')[1]
  const origin = `smtp://${settings.host}:${settings.port}`
  return {
    /**
     * Delivers the email and resolves with true. Throws when a later try may succeed; an email that is refused
     * permanently is logged and dropped (false).
     */
    async deliver(email: QueuedEmail): Promise<boolean> {
      try {
        const mailer = await transport()
        const message = {
          // Addresses as objects are taken as they are, not parsed as lists.
          from: { name: settings.senderName, address: settings.adminEmail },
          to: { name: '', address: email.to },
          subject: email.subject,
          text: email.text,
          html: email.html,
          messageId: `<${email.id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        }
        await handover.tracePromise(() => mailer.sendMail(message), { origin })
        return true
      } catch (error) {
        const redacted = withoutAddress(error as Error, email.to)
        if (!isRejection(error)) throw redacted
        log.warn(
          { err: redacted, mail: email.id, kind: email.kind },
          'the mail server refused a mail for good',
        )
        return false
      }
    },
    /** Signs in and sends nothing. Throws what the mail server, or the way to it, objects to. */
    async verify(): Promise<void> {
      await (await transport()).verify()
    },
    close: () => void made?.then((one) => one.close()),
  }
}

async function pooled(settings: MailServer): Promise<Transporter> {
  // With the first email: an idle server holds less memory without it.
  const { createTransport } = await lazyPackage('nodemailer')
  return createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host: settings.host,
    port: settings.port,
    secure: settings.port === 465,
    auth: settings.user ? { user: settings.user, pass: settings.pass ?? '' } : undefined,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  })
}

/** True when the server refused this recipient or message with a permanent (5xx) answer. */
function isRejection(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500
}

/** The error without the recipient's address, which a mail server repeats in its answer. */
function withoutAddress(error: Error, address: string): Error {
  const { code, responseCode, command } = error as Error &
    Record<'code' | 'responseCode' | 'command', unknown>
  const pattern = new RegExp(address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi')
  const redacted = new Error(error.message.replace(pattern, '[recipient]'))
  return Object.assign(redacted, { code, responseCode, command })
}
