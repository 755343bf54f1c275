// The plain-text part of an email, made from its HTML.

import { lazyPackage } from '../config/lazy-packages.ts'

/** The text of the email without markup: links as their address, no images, lines of at most 76 characters. */
export async function plainText(html: string): Promise<string> {
  // With the first email: an idle server holds less memory without it.
  const { convert } = await lazyPackage('htmlToText')
  return convert(html, {
    wordwrap: 76,
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: false } },
      { selector: 'img', format: 'skip' },
      { selector: '[aria-hidden=true]', format: 'skip' },
      { selector: 'h1', options: { uppercase: false } },
      { selector: 'h2', options: { uppercase: false } },
    ],
  })
    .replace(/ +$/gm, '')
    .trim()
}
