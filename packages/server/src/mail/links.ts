// Keeps mail programs from turning text that people wrote (user_metadata) into links. A value is marked before it
// enters the template, because only the finished e-mail shows its place. In text each mark becomes a space; within a
// tag (an address in href, say) it is removed. A condition that compares a whole address ({{ if eq .Data.site
// "example.com" }}) sees the mark.

/** A character for private use, which no text has. */
const MARK = '\uf8d7'
const MARK_IN_URL = encodeURIComponent(MARK)
/** Controls and formatting characters but line ends, tabs, joiners, and the marks and isolates that Intl writes. */
const HIDDEN = /(?![\n\t\u200c-\u200f\u2066-\u2069])[\p{Cc}\p{Cf}]/gu
/** After 'http:' and 'mailto:', after '@', and after a dot before a label of two characters. */
const LINK_POINTS =
  /(?<=\p{L}[\p{L}\p{N}+.-]+:)(?=\S)|(?<=\S@)(?=\S)|(?<=\S[.\uff0e\u2024])(?=[\u200c-\u200f]*\p{L}[\u200c-\u200f]*[\p{L}\p{N}\p{M}-])|(?<=\S[\u3002\uff61])(?=[a-z]{2})/giu

/** The values with a mark at every place where a link would go on; texts are found at any depth. */
export function markLinks<T>(value: T): T {
  if (typeof value === 'string') return value.replace(HIDDEN, '').replace(LINK_POINTS, MARK) as T
  if (Array.isArray(value)) return value.map(markLinks) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, markLinks(each)])) as T
}

/** The rendered HTML with no mark left. */
export function breakLinks(html: string): string {
  return html.replace(/<[^>]*>/g, (tag) => withoutMarks(tag)).replaceAll(MARK, ' ')
}

/** A rendered subject with no mark left. */
export const breakLinksInText = (text: string): string => text.replaceAll(MARK, ' ')

function withoutMarks(tag: string): string {
  return tag.replaceAll(MARK, '').replace(new RegExp(MARK_IN_URL, 'gi'), '')
}
