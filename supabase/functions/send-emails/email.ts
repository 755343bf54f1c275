// An e-mail as the database hands it over (begin_emails) and what becomes of it before it leaves.
import type { EventTexts, Params } from '../../../shared/texts.ts'
import type { EmailWords } from '../_shared/texts.ts'

/**
 * Lines of money in dollars, the last one the sum. `label` is in English, with the percentage filled in; e-mails that were queued
 * before there were codes of lines have nothing else.
 */
type AmountLine = {
  line?: keyof EmailWords['amounts']
  percent?: number
  label: string
  amount: number
}

/** One event that an e-mail reports. */
export type EmailEvent = {
  key: string
  kind: string
  /** Its kind cannot be turned off. */
  required: boolean
  /** In English, for a key that is newer than this function. */
  texts: Required<EventTexts>
  /** Numbers that are amounts are dollars. */
  params: Params
  /** A path of the web app. */
  link: string
  amounts: AmountLine[]
  /** The person's receipt or statement of this money. */
  receipt: { kind: 'receipt' | 'statement'; number: number; link: string } | null
  /** The last unread messages of the conversation, the oldest first. */
  messages: string[] | null
}

/** `id` is the same for every try; `events` has one at least, the weightiest first. */
export type WaitingEmail = {
  id: string
  to: string
  name: string
  /** The reader's language: a code of the app's languages. */
  language: string
  events: EmailEvent[]
  /** The token that turns off all of its kinds that can be turned off; null when none can. */
  unsubscribe: string | null
  /** The tokens for each of them. */
  unsubscribe_kinds: { kind: OptionalKind; token: string }[]
}

/** The kinds of notifications that can be turned off. */
type OptionalKind = keyof EmailWords['turnOff']

export type ComposedEmail = { subject: string; text: string; html: string }

/** One event as it is shown. */
export type Section = {
  title: string
  message: string
  /** The message as HTML. */
  html: string
  /** Lines of money, once in an e-mail for the same receipt or statement. */
  amounts: { label: string; amount: string }[]
  messages: string[]
  /** A link to the receipt or statement, once in an e-mail. */
  receipt: { text: string; address: string } | null
  button: string
  address: string
}
