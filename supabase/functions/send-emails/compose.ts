// What an e-mail says: subject, plain text, and what the HTML of sheet.ts shows.
import type { ComposedEmail, EmailEvent, Section, WaitingEmail } from './email.ts'
import { type Footer, sheet } from './sheet.ts'
import { footerLinks, requiredWords } from './unsubscribing.ts'
import { dollars, pieces, plain, subjectOf } from './words.ts'

/** Makes the e-mail; `site` is the address of the web app. */
export function compose(email: WaitingEmail, site: string): ComposedEmail {
  const { to, events } = email
  const sections = events.map((event, index) => {
    const named = events.findIndex(({ receipt }) => receipt?.link === event.receipt?.link) < index
    return sectionOf(named ? { ...event, receipt: null } : event, site)
  })
  const [first] = events
  const [section] = sections
  if (!first || !section) throw new Error('an e-mail tells of at least one event')
  const more = events.length - 1
  const subject = subjectOf(first.subject, first.params) + (more > 0 ? ` and ${more} more` : '')
  const preview = plain(section.message)
  const footer = { to, required: requiredWords(email), links: footerLinks(email, site) }
  return {
    subject,
    text: plainText(sections, footer),
    html: sheet({ subject, preview, sections, footer }),
  }
}

function sectionOf(event: EmailEvent, site: string): Section {
  const messages = event.messages ?? []
  return {
    title: messages.length > 1 ? 'New messages' : event.title,
    message: pieces(messages.length > 0 ? `${event.subject}.` : event.message, event.params),
    amounts: event.amounts.map(({ label, amount }) => ({ label, amount: dollars(amount) })),
    messages,
    receipt: event.receipt && {
      text:
        event.receipt.kind === 'receipt'
          ? `Receipt R-${event.receipt.number}`
          : `Payout statement S-${event.receipt.number}`,
      address: new URL(event.receipt.link, site).href,
    },
    button: event.button,
    address: new URL(event.link, site).href,
  }
}

function plainText(sections: Section[], { to, required, links }: Footer): string {
  const parts = sections.map(({ title, message, amounts, messages, receipt, button, address }) =>
    [
      title,
      '',
      plain(message),
      ...messages.flatMap((text) => ['', ...text.split('\n').map((line) => `> ${line}`)]),
      ...(amounts.length > 0 ? ['', ...amounts.map(({ label, amount }) => `${label}: ${amount}`)] : []),
      '',
      `${button}: ${address}`,
      ...(receipt ? [`${receipt.text}: ${receipt.address}`] : []),
    ].join('\n'),
  )
  const footer = [
    `Sent to ${to} by Meadowlark, short paid jobs across Saskatchewan.`,
    ...(required ? [required] : []),
    ...links.map(({ text, address }) => `${text}: ${address}`),
  ]
  return [...parts, footer.join('\n')].join('\n\n---\n\n')
}
