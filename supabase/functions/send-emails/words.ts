// How the texts of events are filled: values that people wrote stay what they are, whatever script or markup is in them.
import type { EmailEvent, Piece } from './email.ts'

const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff]/
const money = new Intl.NumberFormat('en-CA', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The template with its parameters; one that is not given is left out. */
export function pieces(template: string, params: EmailEvent['params']): Piece[] {
  return template
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { value: shownValue(params[part.slice(1, -1)]) } : part))
}

/** As plain text: values written from right to left keep their own order (Unicode's isolates, UAX #9). */
export function plain(parts: Piece[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : isolated(part.value))).join('')
}

/** As a subject: one line, and no value longer than 60 characters as people count them. */
export function subjectOf(template: string, params: EmailEvent['params']): string {
  const short = pieces(template, params).map((part) =>
    typeof part === 'string' ? part : { value: shortened(oneLine(part.value), 60) },
  )
  return plain(short)
}

/** '$1,200.00', '−$15.00'. */
export function dollars(amount: number): string {
  return `${amount < 0 ? '−' : ''}$${money.format(Math.abs(amount))}`
}

function shownValue(value: unknown): string {
  if (typeof value === 'number') return money.format(value)
  return value === null || value === undefined ? '' : String(value)
}

function isolated(value: string): string {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value
}

/** Line ends and other control characters become blanks. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()
}

function shortened(value: string, length: number): string {
  const all = Array.from(graphemes.segment(value), ({ segment }) => segment)
  return all.length <= length ? value : `${all.slice(0, length - 1).join('')}…`
}
