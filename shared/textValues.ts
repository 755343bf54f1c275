// The marketplace's values as texts write them: every text of the app, of e-mails and of errors takes them as
// variables, such as `{{platformFee}}`, so that no text repeats what marketplace.config.ts decides.
import { clock, currency, examples, fees, pay, province, tax } from '../marketplace.config.ts'
import { leftToRight } from './bidi.ts'
import { numberFormat } from './formats.ts'
import { direction, type Language } from './language.ts'
import { limits } from './limits.ts'
import { localeOf, moneyIn, percentIn } from './locale.ts'
import type { Spelled } from './marketplace.ts'
import { cents, fromDollars } from './money.ts'

const here = { clock, currency, examples, fees, pay, province, tax }

/** The part of the marketplace's configuration that texts name. */
export type Named = typeof here

/** Hours as they follow "less than": '24 hours'. */
function hoursIn(language: Language, hours: number): string {
  const unit = { style: 'unit', unit: 'hour', unitDisplay: 'long' } as const
  const written = numberFormat(localeOf(language), unit).format(hours).replace('\u00a0', ' ')
  if (language === 'zh') return written.replace(/(\d+)/, '$1 ')
  if (language === 'hi') return written.replace('घंटा', 'घंटे')
  return language === 'ar' ? written.replace('ساعتان', 'ساعتين') : written
}

/** Each value by the name of its variable, as `language` writes it. */
export function textValues(language: Language, marketplace: Named = here) {
  const { fees, tax, province, clock, examples } = marketplace
  const place = province.names[language]
  const percent = (share: number) => percentIn(language, share)
  const [latest, late] = fees.cancellation
  const spelled = (name: Spelled) => name[language] ?? name.en
  const time = clock.name[language]
  return {
    platformFee: percent(fees.platformPercent),
    /** Without the sign, as a range begins: '15-20%'. */
    platformPercent: String(fees.platformPercent),
    tax: tax.name[language],
    taxRate: percent(tax.percent),
    platformFeeAndTax: percent(fees.platformPercent + tax.percent),
    /** The tasker's share. */
    afterFee: percent(100 - fees.platformPercent),
    afterFeeAndTax: percent(100 - fees.platformPercent - tax.percent),
    minimumPay: moneyIn(language, fromDollars(marketplace.pay.min)),
    maximumExpenses: moneyIn(language, fromDollars(limits.expenses.max)),
    /** Before the steps, from the first step on, and from the last. */
    cancellationFee: moneyIn(language, cents(fees.cancellationFlatCents)),
    cancellationFeeLate: percent(late.percent),
    cancellationFeeLatest: percent(latest.percent),
    cancellationLateTime: hoursIn(language, late.underHours),
    cancellationLatestTime: hoursIn(language, latest.underHours),
    complaintHours: String(limits.complaint.hours),
    answerHours: String(limits.complaint.answerHours),
    noShowHours: String(limits.noShow.answerHours),
    releaseDays: String(limits.releaseAfterDays),
    reviewDays: String(limits.reviewDays),
    minimumAge: String(limits.minimumAge),
    maxPhotos: String(limits.photos.count),
    currency: marketplace.currency.name[language],
    province: place.name,
    inProvince: place.in ?? place.name,
    ofProvince: place.of ?? place.name,
    acrossProvince: place.across ?? place.name,
    clock: time,
    /** As a sentence begins with it. */
    Clock: time.charAt(0).toLocaleUpperCase(language) + time.slice(1),
    exampleCity: spelled(examples.cities[0]),
    otherExampleCity: spelled(examples.cities[1]),
    examplePlace: examples.place,
    examplePhone: direction(language) === 'rtl' ? leftToRight(examples.phone) : examples.phone,
    examplePostalCode: examples.postalCode,
  }
}

const valuesByLanguage = new Map<Language, Record<string, string>>()

/** The text with the values that it names; its other parameters stay, and so do values that are `given` later. */
export function withValues(text: string, language: Language, given: string[] = []): string {
  const values: Record<string, string> = valuesByLanguage.get(language) ?? textValues(language)
  valuesByLanguage.set(language, values)
  return text.replace(/\{\{(\w+)\}\}/g, (parameter, name) =>
    Object.hasOwn(values, name) && !given.includes(name) ? (values[name] as string) : parameter,
  )
}
