// Amounts of dollars as people type them: with the digits, the thousands separators and the decimal sign of their language,
// or those of the country around them.
import { currency } from '../../marketplace.config.ts'
import { numberFormat } from '../../shared/formats.ts'
import type { Language } from '../../shared/language.ts'
import { localeOf } from '../../shared/locale.ts'
import { type Cents, fromDollars } from '../../shared/money.ts'
import { currentLanguage } from '../i18n/index.ts'
import { latinDigits } from './digits.ts'

const MARKS_OF_DIRECTION = /[\u200e\u200f\u061c\u2066-\u2069]/g
/** The sign as languages write it, 'C$' or 'CA$' for Canada's, the code, or a dollar sign. */
const SIGN = `(?:${currency.code[0]}${currency.code[1]}?\\$|${currency.code}|\\$)`
const CURRENCY = new RegExp(`^(-?)\\s*${SIGN}|${SIGN}$`, 'gi')

/** Groups of three, whatever separates them; or one group of three after groups of two, as in India. */
const GROUPED = /^\d{1,3}([ .,'’٬])\d{3}(?:\1\d{3})*$|^\d{1,2}(?:,\d{2})+,\d{3}$/

/**
 * Normalizes a typed amount for Number: '$1,200.50', '1.200,50' and '١٬٢٠٠٫٥٠' → '1200.50'. A single separator before
 * three digits groups thousands, unless it is the language's decimal sign: '1.250' is 1250 in German, and has three
 * decimals in English. Text that is not an amount stays as typed.
 */
export function plainAmount(typed: string, language: Language = currentLanguage()): string {
  const text = latinDigits(typed)
    .replace(MARKS_OF_DIRECTION, '')
    .trim()
    .replace('\u2212', '-')
    .replace(CURRENCY, '$1')
    .trim()
    .replace(/\s/g, ' ')
    .replace(/[،，]/g, ',')
    .replace(/．/g, '.')
  const [, minus = '', whole = '', sign = '', end = ''] = /^(-?)(.*?)(?:([.,٫])(\d*))?$/.exec(text) ?? []
  const decimal = isDecimalSign(sign, whole, end, language)
  const integer = decimal ? whole : whole + sign + end
  if (!/^\d*$/.test(integer) && !GROUPED.test(integer)) return typed.trim()
  return minus + integer.replace(/\D/g, '') + (decimal && end ? `.${end}` : '')
}

/** Whether `sign`, the last separator, which only digits follow, begins the decimals. */
function isDecimalSign(sign: string, whole: string, end: string, language: Language): boolean {
  if (sign === '٫') return true
  if (sign === '' || whole.includes(sign)) return false
  const mayGroup = end.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  return !mayGroup || sign === decimalSign(language)
}

/** None for Spanish: its readers write 1.250,50 in Spain and 1,250.50 in Mexico. */
function decimalSign(language: Language): string | undefined {
  if (language === 'es') return undefined
  const parts = numberFormat(localeOf(language)).formatToParts(0.5)
  return parts.find(({ type }) => type === 'decimal')?.value
}

/** The typed amount in dollars; NaN for anything else. */
export function dollarsFrom(typed: string, language?: Language): number {
  const plain = plainAmount(typed, language)
  return /^-?\d*\.?\d+$/.test(plain) ? Number(plain) : Number.NaN
}

/** The typed amount in cents; null for anything else, or with more than two decimals. */
export function centsFrom(typed: string, language?: Language): Cents | null {
  const dollars = dollarsFrom(typed, language)
  if (Number.isNaN(dollars) || /\.\d{3}/.test(plainAmount(typed, language))) return null
  return fromDollars(dollars)
}

/** Whether it is an amount, but for its decimals. */
export function hasTooManyDecimals(typed: string): boolean {
  return centsFrom(typed) === null && !Number.isNaN(dollarsFrom(typed))
}
