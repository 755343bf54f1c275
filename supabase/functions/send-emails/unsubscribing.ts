// How an e-mail can be turned off: links for people, headers for mail programs (RFC 2369, RFC 8058).
import { type Environment, publicApi } from '../_shared/supabase.ts'
import type { EmailTexts } from '../_shared/texts.ts'
import type { WaitingEmail } from './email.ts'

export type FooterLink = { text: string; address: string }

/** One link for each kind of the e-mail that can be turned off, and one to all choices. */
export function footerLinks(
  { unsubscribe_kinds }: WaitingEmail,
  words: EmailTexts,
  site: string,
): FooterLink[] {
  const links = unsubscribe_kinds.map(({ kind, token }) => ({
    text: words.say(`turnOff.${kind}`),
    address: new URL(`/unsubscribe?token=${token}`, site).href,
  }))
  return [...links, { text: words.say('choose'), address: new URL('/notifications/settings', site).href }]
}

/** Whether it, or a part of it, cannot be turned off. */
export function isRequired({ events }: WaitingEmail): boolean {
  return events.some(({ required }) => required)
}

/** The headers by which a mail program unsubscribes with one click; none where nothing can be turned off. */
export function unsubscribeHeaders({ unsubscribe }: WaitingEmail, env: Environment): Record<string, string> {
  if (!unsubscribe) return {}
  return {
    'List-Unsubscribe': `<${publicApi(env)}/functions/v1/unsubscribe?token=${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}
