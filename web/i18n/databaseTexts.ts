// Notifications and errors of the database and functions, in the reader's language. The texts are in shared/texts and load when
// they are needed; without them the English is shown that was answered.

import { type CodedError, errorWords } from '../../shared/errors.ts'
import type { Language } from '../../shared/language.ts'
import {
  type ErrorTexts,
  type NotificationTexts,
  type NotificationWords,
  notificationTextsOf,
  type Params,
  type Texts,
  textsOf,
} from '../../shared/texts.ts'
import { currentLanguage } from './index.ts'

/** In English, notifications are shown as they are stored. */
const notifications = import.meta.glob<NotificationTexts>(
  ['../../shared/texts/*/notifications.json', '!../../shared/texts/en/notifications.json'],
  { import: 'default' },
)
const errors = import.meta.glob<ErrorTexts>('../../shared/texts/*/errors.json', { import: 'default' })

/** The words of notifications in that language; null in English. Rejects when they cannot be loaded. */
export async function notificationTexts(language: Language): Promise<NotificationWords | null> {
  const file = await notifications[`../../shared/texts/${language}/notifications.json`]?.()
  return file ? notificationTextsOf(language, file) : null
}

type Written = { key: string; title: string; message: string; params: unknown }

/** Title and message of a notification; the stored English without `words`. */
export function notificationText(
  { key, title, message, params }: Written,
  words: NotificationWords | null | undefined,
): { title: string; message: string } {
  if (!words?.has(`${key}.title`)) return { title, message }
  const facts: Params = typeof params === 'object' ? { ...params } : {}
  return { title: words.say(`${key}.title`, facts), message: words.say(`${key}.message`, facts) }
}

const opened = new Map<Language, Texts>()

/** Loads the words of errors in the language that is read; resolves in any case. */
export async function openErrors(): Promise<void> {
  const language = currentLanguage()
  if (opened.has(language)) return
  try {
    const file = await errors[`../../shared/texts/${language}/errors.json`]?.()
    opened.set(language, textsOf(language, file ?? {}))
  } catch (error) {
    console.warn(`The words of errors in ${language} could not be loaded`, error)
  }
}

/** The words of an error in the language that is read, once they were opened; undefined where there are none. */
export function codedErrorText(error: CodedError): string | undefined {
  const texts = opened.get(currentLanguage())
  return texts && errorWords(error, texts)
}
