// The sandbox's transport: letters become rows of sandbox.inbox, which the sandbox shows as a page and as JSON.
import type { Queryable } from '../jobs/jobs.ts'
import type { QueuedLetter } from './email.ts'

/** Puts a letter into the inbox, once however often it is called for the same letter. */
export async function deliverToInbox(client: Queryable, letter: QueuedLetter): Promise<void> {
  await client.query(
    `insert into sandbox.inbox (message_id, kind, recipient, subject, text, html)
     values ($1, 'mail', $2, $3, $4, $5) on conflict (message_id) do nothing`,
    [letter.id, letter.to, letter.subject, letter.text, letter.html],
  )
}
