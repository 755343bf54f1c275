// The way out: one SMTP server, named by the environment as Supabase names it for auth (SMTP_HOST, SMTP_PORT, SMTP_USER,
// SMTP_PASS, SMTP_ADMIN_EMAIL, SMTP_SENDER_NAME). TLS from the start on ports 465 and 2465, STARTTLS where offered elsewhere.
import nodemailer from 'nodemailer'
import { HttpError } from '../_shared/respond.ts'
import type { Environment } from '../_shared/supabase.ts'
import type { ComposedEmail } from './email.ts'

/** How many e-mails are on their way at once. */
export const CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 20_000

/**
 * The outcome of a try. 'server': nothing can be sent now; 'later': this e-mail was postponed; 'refused': it will
 * never be accepted.
 */
export type Outcome = 'sent' | 'server' | 'later' | 'refused'

export type Outgoing = ComposedEmail & { id: string; to: string; headers: Record<string, string> }

/** A pooled connection; close it when done. Throws 503 where no server is named. */
export function mailServer(env: Environment) {
  const { SMTP_HOST, SMTP_PORT, SMTP_USER, SMTP_PASS, SMTP_ADMIN_EMAIL, SMTP_SENDER_NAME } = env
  if (!SMTP_HOST || !SMTP_ADMIN_EMAIL) {
    throw new HttpError(503, 'No mail server is configured: set SMTP_HOST and SMTP_ADMIN_EMAIL')
  }
  const port = Number(SMTP_PORT ?? 587)
  const transport = nodemailer.createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    host: SMTP_HOST,
    port,
    secure: port === 465 || port === 2465,
    auth: SMTP_USER ? { user: SMTP_USER, pass: SMTP_PASS ?? '' } : undefined,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  })
  const domain = SMTP_ADMIN_EMAIL.split('@')[1]
  return {
    /** Sends it; never rejects. `message` is the server's answer without the recipient's address. */
    async send({
      id,
      to,
      subject,
      text,
      html,
      headers,
    }: Outgoing): Promise<{ outcome: Outcome; message: string }> {
      try {
        await transport.sendMail({
          // Addresses as objects are taken as they are, not parsed as lists.
          from: { name: SMTP_SENDER_NAME ?? 'Meadowlark', address: SMTP_ADMIN_EMAIL },
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        })
        return { outcome: 'sent', message: '' }
      } catch (error) {
        return { outcome: outcomeOf(error), message: withoutAddress((error as Error).message, to) }
      }
    },
    close: () => transport.close(),
  }
}

/** The server's word on this recipient or message, or else the server itself is away. */
function outcomeOf(error: unknown): Outcome {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  if ((code !== 'EENVELOPE' && code !== 'EMESSAGE') || responseCode === undefined) return 'server'
  return responseCode >= 500 ? 'refused' : 'later'
}

function withoutAddress(message: string, address: string): string {
  return message.replaceAll(address, '[recipient]').replaceAll(address.toLowerCase(), '[recipient]')
}
