// The sandbox's transport: emails are stored in sandbox.inbox, which the sandbox shows as a page and as JSON.
import type { Queryable } from '../jobs/jobs.ts'
import type { QueuedEmail } from './email.ts'

/** Puts an email into the inbox, once even when it is called again for the same email. */
export async function deliverToInbox(client: Queryable, email: QueuedEmail): Promise<void> {
  await client.query(
    `insert into sandbox.inbox (message_id, kind, recipient, subject, text, html)
     values ($1, 'mail', $2, $3, $4, $5) on conflict (message_id) do nothing`,
    [email.id, email.to, email.subject, email.text, email.html],
  )
}
