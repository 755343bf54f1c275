// Fills the texts of shared/texts. The database keeps a key or code and the parameters of each notification and error; the words
// of the reader's language are filled wherever they are shown.
import { isolated } from './bidi.ts'
import { direction, type Language, momentIn, moneyIn } from './locale.ts'
import { fromDollars } from './money.ts'

/** The words of one notification, with {parameters}. One that is never mailed has no subject. */
export type EventTexts = { title: string; message: string; subject?: string; button: string }

/** shared/texts/<language>/notifications.json */
export type NotificationTexts = {
  /** By the notification's key. */
  texts: Record<string, EventTexts>
  /** Parameters whose values are words: by the parameter's name, then by the English value. */
  values: Record<string, Record<string, string>>
  /** What may be different about a task (the parameter `changed`). */
  changes: Record<string, string>
}

/** shared/texts/<language>/errors.json: by the error's code. Errors that no screen can cause are in English only. */
export type ErrorTexts = Record<string, string>

/** A piece of a text: fixed words, or a value that stands in for a {parameter}. */
export type Piece = string | { value: string }

export type Params = Record<string, unknown>

/**
 * The template with its parameters; a missing one is left out. A number in ${…} is dollars, in {…} a plain number. `words` are
 * those of the language; English needs none. `exact` writes whole dollars with their cents.
 */
export function pieces(
  template: string,
  params: Params,
  language: Language = 'en',
  words?: NotificationTexts,
  { exact = true }: { exact?: boolean } = {},
): Piece[] {
  return template
    .split(/(\$?\{\w+\})/)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const name = /^\$?\{(\w+)\}$/.exec(part)?.[1]
      if (!name) return [part]
      const value = params[name]
      const isMoney = part.startsWith('$')
      if (isMoney && typeof value === 'number')
        return [{ value: moneyIn(language, fromDollars(value), { exact }) }]
      const shown = { value: shownValue(name, params, language, words) }
      return isMoney ? ['$', shown] : [shown]
    })
}

/** As plain text: values written from right to left keep their own order (Unicode's isolates, UAX #9). */
export function plain(parts: Piece[], page: 'ltr' | 'rtl' = 'ltr'): string {
  return parts.map((part) => (typeof part === 'string' ? part : isolated(part.value, page))).join('')
}

function shownValue(name: string, params: Params, language: Language, words?: NotificationTexts): string {
  const value = params[name]
  if (words && name === 'when' && typeof params.at === 'string')
    return momentIn(language, new Date(params.at))
  if (words && name === 'changes' && Array.isArray(params.changed))
    return params.changed
      .map((change) => changeText(change, language, words))
      .join(BETWEEN_CHANGES[language] ?? '; ')
  if (value === null || value === undefined) return ''
  return words?.values[name]?.[String(value)] ?? String(value)
}

/** The semicolon of languages that write their own. */
const BETWEEN_CHANGES: Partial<Record<Language, string>> = { zh: '；', ar: '؛ ' }

/** `{what, amount? in dollars, at? an instant, place?}` in words. */
function changeText(change: Params, language: Language, words: NotificationTexts): string {
  const time = typeof change.at === 'string' ? momentIn(language, new Date(change.at)) : ''
  return plain(
    pieces(words.changes[String(change.what)] ?? '', { ...change, time }, language),
    direction(language),
  )
}
