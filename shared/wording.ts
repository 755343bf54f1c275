// What the database says, in the reader's language. It keeps English sentences and the facts that fill them (a key and
// its parameters); the words of the other languages stand in shared/texts, and wherever they are shown they are filled here.
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

/** shared/texts/<language>/sentences.json: by the English sentence, whose parameters are written %s. */
export type Sentences = Record<string, string>

/** A piece of a text: fixed words, or a value that stands in for a {parameter}. */
export type Piece = string | { value: string }

export type Params = Record<string, unknown>

/**
 * The template with its parameters; one that is not given is left out. Numbers are dollars. `words` are those of the
 * language; English needs none.
 */
export function pieces(
  template: string,
  params: Params,
  language: Language = 'en',
  words?: NotificationTexts,
): Piece[] {
  return template
    .split(/(\$?\{\w+\})/)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const name = /^\$?\{(\w+)\}$/.exec(part)?.[1]
      if (!name) return [part]
      const value = params[name]
      if (typeof value === 'number')
        return [{ value: moneyIn(language, fromDollars(value), { exact: true }) }]
      const shown = { value: shownValue(name, params, language, words) }
      return part.startsWith('$') ? ['$', shown] : [shown]
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

const patterns = new WeakMap<Sentences, [RegExp, string, boolean[]][]>()

/** That sentence of the database in another language; undefined where there is none of it. */
export function translatedSentence(
  sentence: string,
  sentences: Sentences,
  language: Language,
): string | undefined {
  const exact = Object.hasOwn(sentences, sentence) ? sentences[sentence] : undefined
  if (exact !== undefined) return exact
  for (const [pattern, text, isMoney] of patternsOf(sentences)) {
    const found = pattern.exec(sentence)
    if (!found) continue
    return text.replace(/\{(\d)\}/g, (_, nth) => {
      const value = found[Number(nth)] ?? ''
      return isMoney[Number(nth) - 1] ? moneyIn(language, fromDollars(Number(value)), { exact: true }) : value
    })
  }
  return undefined
}

/** Of each sentence with parameters: what it matches, its translation, and which of its parameters are dollars. */
function patternsOf(sentences: Sentences) {
  const known = patterns.get(sentences)
  if (known) return known
  const made = Object.entries(sentences)
    .filter(([english]) => english.includes('%s'))
    .map(([english, text]): [RegExp, string, boolean[]] => {
      const isMoney = [...english.matchAll(/(\$?)%s/g)].map(([, dollar]) => dollar === '$')
      const parts = english
        .split(/\$?%s/)
        .map((part) => part.replaceAll('%%', '%').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      const source = parts.reduce(
        (all, part, index) => `${all}${isMoney[index - 1] ? '\\$(\\d+(?:\\.\\d+)?)' : '(.+)'}${part}`,
      )
      return [new RegExp(`^${source}$`, 's'), text, isMoney]
    })
  patterns.set(sentences, made)
  return made
}
