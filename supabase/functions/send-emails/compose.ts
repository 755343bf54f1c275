// What an e-mail says in its reader's language: subject, plain text, and what the HTML of sheet.ts shows.
import { unlinked, unlinkedValues } from '../../../shared/links.ts'
import { direction, type Language, languageOf, moneyIn } from '../../../shared/locale.ts'
import { fromDollars } from '../../../shared/money.ts'
import { pieces, plain } from '../../../shared/wording.ts'
import { textsIn } from '../_shared/texts.ts'
import type { ComposedEmail, EmailEvent, Section, WaitingEmail } from './email.ts'
import { type Footer, sheet } from './sheet.ts'
import { footerLinks, isRequired } from './unsubscribing.ts'
import { subjectOf } from './words.ts'

/** Makes the e-mail; `site` is the address of the web app. */
export function compose(email: WaitingEmail, site: string): ComposedEmail {
  const language = languageOf(email.language)
  const { emails: words, notifications } = textsIn(language)
  const events = email.events.map((event) => ({ ...event, ...notifications?.texts[event.key] }))
  const sections = events.map((event, index) => {
    const sameMoney = events
      .slice(0, index)
      .filter(({ receipt }) => receipt && receipt.link === event.receipt?.link)
    const lines = JSON.stringify(event.amounts)
    const repeated = sameMoney.some(({ amounts }) => JSON.stringify(amounts) === lines)
    const shown = {
      receipt: sameMoney.length > 0 ? null : event.receipt,
      amounts: repeated ? [] : event.amounts,
    }
    return sectionOf({ ...event, ...shown }, language, site)
  })
  const [first] = events
  const [section] = sections
  if (!first || !section) throw new Error('an e-mail tells of at least one event')
  const count = events.length - 1
  const only = subjectOf(first.subject, first.params, language, notifications)
  const subject = count > 0 ? filled(words.more, { subject: only, count }) : only
  const preview = plain(section.message, direction(language))
  const footer = {
    sentTo: pieces(words.sentTo, { to: email.to }, language),
    required: isRequired(email) ? words.required : null,
    links: footerLinks(email, words, site),
  }
  return {
    subject,
    text: plainText(sections, footer, direction(language)),
    html: sheet({ subject, preview, sections, footer, language }),
  }
}

/** An event whose words are those of the language. */
function sectionOf(event: EmailEvent, language: Language, site: string): Section {
  const { emails: words, notifications } = textsIn(language)
  const messages = event.messages ?? []
  const filledIn = (text: string) => unlinkedValues(pieces(text, event.params, language, notifications))
  const message = messages.length > 0 ? filled(words.ended, { subject: event.subject }) : event.message
  return {
    title: plain(filledIn(messages.length > 1 ? words.newMessages : event.title)),
    message: filledIn(message),
    amounts: event.amounts.map(({ line, percent, label, amount }) => ({
      label: line ? filled(words.amounts[line], { percent }) : label,
      // The minus sign is as wide as a figure.
      amount: moneyIn(language, fromDollars(amount), { exact: true }).replace('-', '−'),
    })),
    messages: messages.map(unlinked),
    receipt: event.receipt && {
      text: filled(words[event.receipt.kind], event.receipt),
      address: new URL(event.receipt.link, site).href,
    },
    button: event.button,
    address: new URL(event.link, site).href,
  }
}

/** Words of ours with words and counts of ours. */
function filled(template: string, values: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (hole, name) => (name in values ? String(values[name]) : hole))
}

function plainText(sections: Section[], { sentTo, required, links }: Footer, page: 'ltr' | 'rtl'): string {
  const parts = sections.map(({ title, message, amounts, messages, receipt, button, address }) =>
    [
      title,
      '',
      plain(message, page),
      ...messages.flatMap((text) => ['', ...text.split('\n').map((line) => `> ${line}`)]),
      ...(amounts.length > 0 ? ['', ...amounts.map(({ label, amount }) => `${label}: ${amount}`)] : []),
      '',
      `${button}: ${address}`,
      ...(receipt ? [`${receipt.text}: ${receipt.address}`] : []),
    ].join('\n'),
  )
  const footer = [
    plain(sentTo, page),
    ...(required ? [required] : []),
    ...links.map(({ text, address }) => `${text}: ${address}`),
  ]
  return [...parts, footer.join('\n')].join('\n\n---\n\n')
}
