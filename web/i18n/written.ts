// Notifications and errors of the database and functions, in the reader's language. The texts are in shared/texts and load when
// they are needed; without them the English is shown that was answered.

import { type CodedError, errorWords } from '../../shared/errors.ts'
import { direction, type Language } from '../../shared/locale.ts'
import { type ErrorTexts, type NotificationTexts, type Params, pieces, plain } from '../../shared/wording.ts'
import { currentLanguage } from './index.ts'

const notifications = import.meta.glob<NotificationTexts>('../../shared/texts/*/notifications.json', {
  import: 'default',
})
const errors = import.meta.glob<ErrorTexts>('../../shared/texts/*/errors.json', { import: 'default' })

/** The words of notifications in that language; null in English. Rejects when they cannot be loaded. */
export async function notificationTexts(language: Language): Promise<NotificationTexts | null> {
  return (await notifications[`../../shared/texts/${language}/notifications.json`]?.()) ?? null
}

type Written = { key: string; title: string; message: string; params: unknown }

/** Title and message of a notification; the stored English without `words`. */
export function notificationText(
  { key, title, message, params }: Written,
  language: Language,
  words: NotificationTexts | null | undefined,
): { title: string; message: string } {
  const texts = words?.texts[key]
  if (!words || !texts) return { title, message }
  const facts: Params = typeof params === 'object' ? { ...params } : {}
  const text = (template: string) => plain(pieces(template, facts, language, words), direction(language))
  return { title: text(texts.title), message: text(texts.message) }
}

const opened = new Map<Language, ErrorTexts>()

/** Loads the words of errors in the language that is read; resolves in any case. */
export async function openErrors(): Promise<void> {
  const language = currentLanguage()
  if (opened.has(language)) return
  try {
    opened.set(language, (await errors[`../../shared/texts/${language}/errors.json`]?.()) ?? {})
  } catch (error) {
    console.warn(`The words of errors in ${language} could not be loaded`, error)
  }
}

/** The words of an error in the language that is read, once they were opened; undefined where there are none. */
export function codedErrorText(error: CodedError): string | undefined {
  const language = currentLanguage()
  const texts = opened.get(language)
  return texts && errorWords(error, texts, language)
}
