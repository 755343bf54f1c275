// E-mails of a test database: puts the clock forward, takes and reports e-mails as the function send-emails does, and
// composes them with its code.
import { compose } from '../../supabase/functions/send-emails/compose.ts'
import type { ComposedEmail, WaitingEmail } from '../../supabase/functions/send-emails/email.ts'
import type { TestDatabase } from '../support/database.ts'
import { asService, owner } from './personas.ts'

export type SentEmail = ComposedEmail & { to: string; keys: string[]; email: WaitingEmail }

/** Their addresses are confirmed, so that they are sent e-mails. */
export async function confirmAddresses(db: TestDatabase): Promise<void> {
  await owner(db)('update auth.users set email_confirmed_at = now() where email_confirmed_at is null')
}

/** So much time passes for e-mails that wait. */
export async function pass(db: TestDatabase, interval: string): Promise<void> {
  await owner(db)(
    'update private.email_events set due_at = due_at - $1::interval, created_at = created_at - $1::interval',
    [interval],
  )
  await owner(db)(
    'update private.emails set next_try_at = next_try_at - $1::interval, taken_until = taken_until - $1::interval',
    [interval],
  )
}

/** Takes what is due now. */
export async function take(db: TestDatabase, max = 100): Promise<WaitingEmail[]> {
  const { rows } = await asService(db)('select public.begin_emails($1) as emails', [max])
  return rows[0].emails
}

/** Everything that is mailed once `interval` has passed, by address and subject. */
export async function mailed(db: TestDatabase, interval = '10 minutes'): Promise<SentEmail[]> {
  await pass(db, interval)
  const emails = await take(db)
  for (const { id } of emails) await asService(db)('select public.finish_email($1)', [id])
  return emails
    .map((email) => ({
      ...compose(email, 'https://meadowlark.example'),
      to: email.to.replace('@example.com', ''),
      keys: email.events.map(({ key }) => key),
      email,
    }))
    .sort((a, b) => a.to.localeCompare(b.to) || a.subject.localeCompare(b.subject))
}

/** Each as 'who: subject'. */
export async function subjects(db: TestDatabase, interval?: string): Promise<string[]> {
  return (await mailed(db, interval)).map(({ to, subject }) => `${to}: ${subject}`)
}
