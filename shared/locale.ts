// How the languages write amounts and moments: the marketplace's currency and its clock. For the
// app and for e-mails alike.
import { clock, currency } from '../marketplace.config.ts'
import { leftToRight } from './bidi.ts'
import { dateFormat, numberFormat } from './formats.ts'
import { direction, type Language } from './language.ts'
import { type Cents, toDollars } from './money.ts'

/** The tag for Intl: where a language is written in several ways, as its readers in Canada write it. */
export function localeOf(language: Language): string {
  if (language === 'en' || language === 'fr') return `${language}-CA`
  // '$80.50' and '2:30 p.m.', as around here; in Spain it were '80,50 $' and '14:30'.
  if (language === 'es') return 'es-MX'
  // Arabic and Hindi keep the figures that the rest of the screen uses.
  return `${language}-u-nu-latn`
}

/** Cents → '$80' or '$80.50'; with `exact` always two decimals. */
export function moneyIn(
  language: Language,
  amount: Cents,
  { exact = false }: { exact?: boolean } = {},
): string {
  // Arabic has no separate sign for this dollar and would turn 'CA$' around: it reads '$80' as people here write it.
  const turned = direction(language) === 'rtl'
  const money = numberFormat(turned ? 'en-CA' : localeOf(language), {
    style: 'currency',
    currency: currency.code,
    currencyDisplay: 'narrowSymbol',
    trailingZeroDisplay: exact ? 'auto' : 'stripIfInteger',
  }).format(toDollars(amount))
  return turned ? leftToRight(money) : money
}

/** Percent as the language writes it: '15%', '15 %' in French, German and Russian. */
export function percentIn(language: Language, percent: number): string {
  const turned = direction(language) === 'rtl'
  const format = numberFormat(turned ? 'en-CA' : localeOf(language), {
    style: 'percent',
    maximumFractionDigits: 3,
  })
  // ARABIC LETTER MARK: the sign is to the left of the number, as it is after Arabic words.
  return `${turned ? '\u061c' : ''}${format.format(percent / 100)}`
}

/** An instant as a day and a time: 'Sat, Nov 21, 2:30 p.m.'; with `year` when it is not this one; by the marketplace's clock or another. */
export function momentIn(
  language: Language,
  at: Date,
  { year = false, timeZone = clock.timeZone }: { year?: boolean; timeZone?: string } = {},
): string {
  return dateIn(language, at, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    ...(year ? { year: 'numeric' } : {}),
    timeZone,
  })
}

/** The name of a clock: 'Saskatchewan time', 'Mountain Time'. */
export function clockNameIn(language: Language, timeZone: string): string {
  if (timeZone === clock.timeZone) return clock.name[language]
  const format = dateFormat(localeOf(language), { timeZone, timeZoneName: 'longGeneric' })
  return format.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** A moment's `parts` as Intl gives them; in French with '1er sept.' and with '1 h 37' on one line. */
export function dateIn(language: Language, at: Date, parts: Intl.DateTimeFormatOptions): string {
  const written = dateFormat(localeOf(language), parts).format(at)
  if (language !== 'fr') return written
  return written.replace(/\b1 (?=\p{L}{3})/u, '1er ').replace(/(\d) h (\d)/, '$1\u00a0h\u00a0$2')
}
