// What the database has written, in the reader's language: its notifications and the sentences by which it refuses. The
// texts stand in shared/texts and load when they are needed; without them the English is shown that the database gave.
import { direction, type Language } from '../../shared/locale.ts'
import {
  type NotificationTexts,
  type Params,
  pieces,
  plain,
  type Sentences,
  translatedSentence,
} from '../../shared/wording.ts'
import { currentLanguage } from './index.ts'

const notifications = import.meta.glob<NotificationTexts>('../../shared/texts/*/notifications.json', {
  import: 'default',
})
const sentences = import.meta.glob<Sentences>('../../shared/texts/*/sentences.json', { import: 'default' })

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

const opened = new Map<Language, Sentences>()

/** Loads the database's sentences in the language that is read; resolves in any case. */
export async function openSentences(): Promise<void> {
  const language = currentLanguage()
  if (opened.has(language)) return
  try {
    opened.set(language, (await sentences[`../../shared/texts/${language}/sentences.json`]?.()) ?? {})
  } catch (error) {
    console.warn(`The sentences of ${language} could not be loaded`, error)
  }
}

/** A sentence of the database in the language that is read, once it has been opened; as it is where nobody translated it. */
export function sentence(english: string): string {
  const language = currentLanguage()
  const known = opened.get(language)
  return (known && translatedSentence(english, known, language)) ?? english
}
