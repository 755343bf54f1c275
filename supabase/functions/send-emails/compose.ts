// The content of an e-mail in its reader's language: subject, plain text, and the data for the HTML of sheet.ts.

import { type Language, languageOf } from '../../../shared/language.ts'
import { unlinked } from '../../../shared/links.ts'
import { moneyIn } from '../../../shared/locale.ts'
import { fromDollars } from '../../../shared/money.ts'
import { type Escape, type EventTexts, isolatedIn } from '../../../shared/texts.ts'
import { textsIn } from '../_shared/texts.ts'
import type { ComposedEmail, EmailEvent, Section, WaitingEmail } from './email.ts'
import { type Footer, sheet } from './sheet.ts'
import { footerLinks, isRequired } from './unsubscribing.ts'
import { asItIs, inHtml, inSubject, inTitle } from './values.ts'

/** Makes the e-mail; `site` is the address of the web app. */
export function compose(email: WaitingEmail, site: string): ComposedEmail {
  const language = languageOf(email.language)
  const { emails: words } = textsIn(language)
  const sections = email.events.map((event, index) => {
    const sameMoney = email.events
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
  const [first] = email.events
  const [section] = sections
  if (!first || !section) throw new Error('an e-mail reports at least one event')
  const count = email.events.length - 1
  const only = textOf(first, 'subject', language, inSubject)
  const subject = count > 0 ? words.say('more', { subject: only, count }, { escape: asItIs }) : only
  const footer = {
    sentTo: words.say('sentTo', { to: email.to }),
    html: words.say('sentTo', { to: email.to }, { escape: inHtml }),
    required: isRequired(email) ? words.say('required') : null,
    links: footerLinks(email, words, site),
  }
  return {
    subject,
    text: plainText(sections, footer),
    html: sheet({ subject, preview: section.message, sections, footer, language }),
  }
}

/** A text of the event in the reader's language. */
function textOf(
  { key, params, texts }: EmailEvent,
  part: keyof EventTexts,
  language: Language,
  write: Escape,
) {
  return textsIn(language).notifications.say(`${key}.${part}`, params, {
    escape: write,
    fallback: texts[part],
  })
}

/** An event whose words are those of the language. */
function sectionOf(event: EmailEvent, language: Language, site: string): Section {
  const { emails: words } = textsIn(language)
  const messages = event.messages ?? []
  const ordered = isolatedIn(language)
  const message = (write: Escape) =>
    messages.length > 0
      ? words.say('ended', { subject: textOf(event, 'subject', language, write) }, { escape: asItIs })
      : textOf(event, 'message', language, write)
  return {
    title: messages.length > 1 ? words.say('newMessages') : textOf(event, 'title', language, inTitle),
    message: message((value) => ordered(unlinked(value))),
    html: message((value) => inHtml(unlinked(value))),
    amounts: event.amounts.map(({ line, percent, label, amount }) => ({
      label: line ? words.say(`amounts.${line}`, { percent }, { escape: asItIs, fallback: label }) : label,
      // The minus sign is as wide as a figure.
      amount: moneyIn(language, fromDollars(amount), { exact: true }).replace('-', '−'),
    })),
    messages: messages.map(unlinked),
    receipt: event.receipt && {
      text: words.say(event.receipt.kind, { number: event.receipt.number }, { escape: asItIs }),
      address: new URL(event.receipt.link, site).href,
    },
    button: textOf(event, 'button', language, asItIs),
    address: new URL(event.link, site).href,
  }
}

function plainText(sections: Section[], { sentTo, required, links }: Footer): string {
  const parts = sections.map(({ title, message, amounts, messages, receipt, button, address }) =>
    [
      title,
      '',
      message,
      ...messages.flatMap((text) => ['', ...text.split('\n').map((line) => `> ${line}`)]),
      ...(amounts.length > 0 ? ['', ...amounts.map(({ label, amount }) => `${label}: ${amount}`)] : []),
      '',
      `${button}: ${address}`,
      ...(receipt ? [`${receipt.text}: ${receipt.address}`] : []),
    ].join('\n'),
  )
  const footer = [
    sentTo,
    ...(required ? [required] : []),
    ...links.map(({ text, address }) => `${text}: ${address}`),
  ]
  return [...parts, footer.join('\n')].join('\n\n---\n\n')
}
