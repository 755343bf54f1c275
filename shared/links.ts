// Text that people wrote, in an e-mail: no mail program turns a part of it into a link, so nobody is led to a stranger's
// page by a message of ours. The server does the same for the metadata of accounts in packages/server/src/mail/links.ts.

/** Controls and formatting characters but line ends, tabs, joiners, and the marks and isolates that Intl writes. */
const HIDDEN = /(?![\n\t\u200c-\u200f\u2066-\u2069])[\p{Cc}\p{Cf}]/gu
/** After 'http:' and 'mailto:', after '@', and after a dot before a label of two characters. */
const LINK_POINTS =
  /(?<=\p{L}[\p{L}\p{N}+.-]+:)(?=\S)|(?<=\S@)(?=\S)|(?<=\S[.\uff0e\u2024])(?=[\u200c-\u200f]*\p{L}[\u200c-\u200f]*[\p{L}\p{N}\p{M}-])|(?<=\S[\u3002\uff61])(?=[a-z]{2})/giu
const PHONE_NUMBER = /\+?\d(?:[ ().-]*\d){6,}/g

/** The text with a space wherever a link would go on; within telephone numbers, invisible word joiners. */
export function unlinked(text: string): string {
  return text
    .replace(HIDDEN, '')
    .replace(LINK_POINTS, ' ')
    .replace(PHONE_NUMBER, (number) => number.replace(/\d{3}(?=.)/g, '$&\u2060'))
}
