// How the subject of an e-mail is filled: values that people wrote stay what they are, whatever script or markup is in
// them, except that none is a link.

import { unlinked } from '../../../shared/links.ts'
import type { Language } from '../../../shared/locale.ts'
import { type NotificationTexts, type Params, pieces, plain } from '../../../shared/wording.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** One line, and no value longer than 60 characters as people count them. */
export function subjectOf(
  template: string,
  params: Params,
  language: Language,
  words?: NotificationTexts,
): string {
  const short = pieces(template, params, language, words).map((part) =>
    typeof part === 'string' ? part : { value: shortened(unlinked(oneLine(part.value)), 60) },
  )
  return plain(short)
}

/** Line ends and other control characters become blanks. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()
}

function shortened(value: string, length: number): string {
  const all = Array.from(graphemes.segment(value), ({ segment }) => segment)
  return all.length <= length ? value : `${all.slice(0, length - 1).join('')}…`
}
