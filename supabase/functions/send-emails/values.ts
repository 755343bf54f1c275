// How the values of parameters are written into the texts of an e-mail: they stay what they are, whatever script or markup is
// in them, except that none is a link.
import { html } from 'hono/html'
import { isolated } from '../../../shared/bidi.ts'
import { unlinked } from '../../../shared/links.ts'
import type { Escape } from '../../../shared/texts.ts'

/** Where words run from left to right, as mail programs show subjects. */
export const inTitle: Escape = (value) => isolated(unlinked(value), 'ltr')

/** One line of at most 60 characters as people count them. */
export const inSubject: Escape = (value) => isolated(shortened(unlinked(oneLine(value)), 60), 'ltr')

/** Texts are HTML already. */
export const inHtml: Escape = (value) => String(html`<bdi>${value}</bdi>`)

/** Words and counts of ours. */
export const asItIs: Escape = (value) => value

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Line ends and other control characters become blanks. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()
}

function shortened(value: string, length: number): string {
  const all = Array.from(graphemes.segment(value), ({ segment }) => segment)
  return all.length <= length ? value : `${all.slice(0, length - 1).join('')}…`
}
