// Text in ten languages over i18next: English ships with the app, the others load when chosen, file by file as
// screens open, and what a language lacks is read in English. The choice is kept in localStorage under `language`
// (spec 000 §1).
import i18next, { type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isolated } from '../../shared/bidi.ts'
import { english } from './en/index.ts'
import { firstTexts } from './firstTexts.ts'
import { direction, isLanguage, type Language } from './languages.ts'
import { oneFullStop } from './oneFullStop.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof english }
  }
}

/** Any key that t() accepts; form schemas carry these as their messages. */
export type TextKey = ParseKeys

/** A file of texts by its name: 'auth' for `auth.json`. */
export type TextFile = keyof typeof english

const translations = import.meta.glob<{ default: object }>(['./*/*.json', '!./en/*.json'])

/** The files that the first screen and every screen since has asked for. */
const opened = new Set<TextFile>(firstTexts)
let started: Promise<void> | undefined

/** What is translated of the opened files. A file that cannot be loaded is read in English. */
async function translated(language: Language): Promise<Record<string, object>> {
  const parts = await Promise.all(
    [...opened].map(async (file) => {
      try {
        return [file, (await translations[`./${language}/${file}.json`]?.())?.default ?? {}]
      } catch (error) {
        console.warn(`The texts of ${language}/${file} could not be loaded`, error)
        return [file, {}]
      }
    }),
  )
  return Object.fromEntries(parts)
}

/** The language chosen before; on a first visit the first of the browser's that is one of ours, 'fr' for 'fr-CA'. */
function preferredLanguage(): Language {
  try {
    const stored = localStorage.getItem('language')
    if (isLanguage(stored)) return stored
  } catch {
    // Storage can be switched off; the browser's wish then holds.
  }
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

/** Prepares t(); resolves once the language's first texts have loaded. */
export function startI18n(language: Language = preferredLanguage()): Promise<void> {
  started = start(language)
  return started
}

async function start(language: Language) {
  const resources: Record<string, { translation: object }> = { en: { translation: english } }
  if (language !== 'en') resources[language] = { translation: await translated(language) }
  await i18next
    .use(initReactI18next)
    .use(oneFullStop)
    .init({
      lng: language,
      postProcess: oneFullStop.name,
      fallbackLng: 'en',
      resources,
      // React escapes markup; what is left to guard is the order of the letters.
      interpolation: { escapeValue: true, escape: (value) => isolated(value, direction(currentLanguage())) },
      returnEmptyString: false,
    })
  rememberLanguage(currentLanguage())
}

/** Loads texts that are not among the first, in the language that is read; resolves at once in English. */
export async function openTexts(files: readonly TextFile[]): Promise<void> {
  for (const file of files) opened.add(file)
  await started
  await addTexts(currentLanguage())
}

async function addTexts(language: Language) {
  if (language === 'en') return
  i18next.addResourceBundle(language, 'translation', await translated(language), true, true)
}

export function currentLanguage(): Language {
  return isLanguage(i18next.language) ? i18next.language : 'en'
}

/** Switches the language now and for the next visit. */
export async function chooseLanguage(language: Language): Promise<void> {
  await addTexts(language)
  await i18next.changeLanguage(language)
  rememberLanguage(language)
}

function rememberLanguage(language: Language) {
  document.documentElement.lang = language
  document.documentElement.dir = direction(language)
  try {
    localStorage.setItem('language', language)
  } catch {
    // The choice then lasts until the page is left.
  }
}

// While developing: an edited English text shows at once, without a reload.
import.meta.hot?.accept('./en/index.ts', (fresh) => {
  if (!fresh) return
  i18next.addResourceBundle('en', 'translation', fresh.english, true, true)
  i18next.emit('languageChanged', i18next.language)
})
