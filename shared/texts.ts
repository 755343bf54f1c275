// The texts of shared/texts by i18next, one instance for each file of a language: `{{name}}`, `{{amount, money}}`, `{{at, moment}}`, and the
// marketplace's values (shared/textValues.ts).
// The database keeps a key or code and the parameters of each notification and error; whatever shows one fills the reader's text.
import { createInstance } from 'i18next'
import { clock } from '../marketplace.config.ts'
import { isolated } from './bidi.ts'
import { direction, type Language } from './language.ts'
import { clockNameIn, momentIn, moneyIn } from './locale.ts'
import { fromDollars } from './money.ts'
import { withValues } from './textValues.ts'

/** The texts of one notification. One that is never mailed has no subject. */
export type EventTexts = { title: string; message: string; subject?: string; button: string }

type Values = Record<string, Record<string, string>>

/** shared/texts/<language>/notifications.json. */
export type NotificationTexts = {
  /** By the notification's key. */
  texts: Record<string, EventTexts>
  /** Parameters whose values are words: by the parameter's name, then by the code. */
  values?: Values
  /** Descriptions of each kind of change to a task, for the parameter `changed`. */
  changes?: Record<string, string>
  /** Separator of a list of changes. */
  betweenChanges?: string
}

/** shared/texts/<language>/errors.json: by the error's code. Errors that no screen can cause are in English only. */
export type ErrorTexts = Record<string, string>

export type Params = Record<string, unknown>

/** How the value of a parameter is written into the text around it, once it is formatted. */
export type Escape = (value: string) => string

type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'

/** The keys of a file: 'more', 'turnOff.bookings'; 'waiting' for 'waiting_one' and 'waiting_other'. */
export type KeyOf<File> = {
  [Key in keyof File & string]-?: NonNullable<File[Key]> extends string
    ? Key extends `${infer Name}_${PluralForm}`
      ? Name
      : Key
    : `${Key}.${KeyOf<NonNullable<File[Key]>>}`
}[keyof File & string]

export type Texts<Key extends string = string> = {
  has(key: string): boolean
  /** The text with its parameters; without one, `fallback` with them. Values keep their own direction unless `escape` differs. */
  say(key: Key, params?: Params, options?: { escape?: Escape; fallback?: string | undefined }): string
}

/** Formats a value; `params` has the others of its text. */
type Format = (value: unknown, params: Params) => string

type TextOptions = {
  formats?: Record<string, Format>
  /** Variables that every text gets as parameters, although the marketplace has a value of that name. */
  given?: string[]
}

/** The texts of a file, nested or not. */
export function textsOf<File extends object>(
  language: Language,
  file: File,
  { formats = {}, given = [] }: TextOptions = {},
): Texts<KeyOf<File>> {
  // The marketplace's values are words of the text: no escape is for them.
  const filled = (text: string) => withValues(text, language, given)
  const translation = JSON.parse(JSON.stringify(file), (_, text) =>
    typeof text === 'string' ? filled(text) : text,
  )
  const i18n = createInstance()
  void i18n.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation } },
    initAsync: false,
    nsSeparator: false,
    interpolation: { escape: isolatedIn(language) },
    missingInterpolationHandler: () => '',
  })
  for (const [name, format] of Object.entries({ ...formatsOf(language), ...formats }))
    i18n.services.formatter?.add(name, (value, _language, params) => format(value, params))
  const exists = i18n.exists as (key: string, options: object) => boolean
  const translate = i18n.t as (key: string, options: object) => string
  return {
    has: (key) => exists(key, {}),
    say: (key, params = {}, options = {}) =>
      translate(key, {
        replace: params,
        // People's text cannot refer to another text.
        nest: false,
        ...(typeof params.count === 'number' ? { count: params.count } : {}),
        ...(options.fallback === undefined ? {} : { defaultValue: filled(options.fallback) }),
        ...(options.escape ? { interpolation: { escape: options.escape } } : {}),
      }),
  }
}

/** The texts of notifications by the notification's key and the part: 'payment_held.title'. */
export type NotificationWords = Texts<`${string}.${keyof EventTexts}`>

/** The texts of a language's notifications.json. */
export function notificationTextsOf(language: Language, file: NotificationTexts): NotificationWords {
  const { texts, changes = {}, betweenChanges } = file
  const words = wordsOf(language, file)
  // Their own instance: one that is filling a text cannot fill another.
  const changeTexts = textsOf(language, changes, { given: ['clock'] })
  const changesFormat: Format = (changed) =>
    (changed as Params[])
      .map((change) => changeTexts.say(String(change.what), withClock(change, language), { fallback: '' }))
      .join(betweenChanges)
  const events = textsOf(language, texts, { formats: { changes: changesFormat }, given: ['clock'] })
  return {
    has: events.has,
    say: (key, params = {}, options) =>
      events.say(key, withClock(withWords(params, words), language), options),
  }
}

/** The parameters with the name of the clock of their moment: of the task's place (`zone`), or the marketplace's. */
function withClock(params: Params, language: Language): Params {
  const local = language === 'en' ? params.local : {}
  return { ...params, clock: clockNameIn(language, zoneOf(params)), ...(local as Params) }
}

/** The clock of a notification's moment; the marketplace's without `zone`. */
const zoneOf = ({ zone }: Params) => (typeof zone === 'string' ? zone : clock.timeZone)

/** Values written from right to left keep their own order in a page of that language (Unicode's isolates, UAX #9). */
export function isolatedIn(language: Language): Escape {
  return (value) => isolated(value, direction(language))
}

/** Amounts in dollars: `money` with its cents ('$80.00'), `price` as screens have it ('$80'). `moment` is a day and a time. */
function formatsOf(language: Language): Record<string, Format> {
  const inDollars =
    (exact: boolean): Format =>
    (value) =>
      typeof value === 'number' ? moneyIn(language, fromDollars(value), { exact }) : `$${value}`
  return {
    money: inDollars(true),
    price: inDollars(false),
    moment: (value, params) => momentIn(language, new Date(String(value)), { timeZone: zoneOf(params) }),
  }
}

/** The words of coded parameters, with the marketplace's values. */
function wordsOf(language: Language, { values = {} }: NotificationTexts): Values {
  return JSON.parse(JSON.stringify(values), (_, word) =>
    typeof word === 'string' ? withValues(word, language) : word,
  )
}

/** The parameters with the language's words for the coded ones (`codes`) in place of their English words. */
function withWords(params: Params, values: Values): Params {
  const coded = Object.entries(params.codes ?? {}).flatMap(([name, code]) => {
    const words = Object.hasOwn(values, name) ? values[name] : undefined
    return words && Object.hasOwn(words, code) ? [[name, words[code]]] : []
  })
  return { ...params, ...Object.fromEntries(coded) }
}
