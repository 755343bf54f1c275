// Text in ten languages over i18next: English ships with the app, the others load when chosen, and what a
// language lacks is read in English. The choice is kept in localStorage under `language` (spec 000 §1).
import i18next, { type BackendModule, type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isolated } from './bidi.ts'
import { english } from './en/index.ts'
import { direction, isLanguage, type Language } from './languages.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof english }
  }
}

/** Any key that t() accepts; form schemas carry these as their messages. */
export type TextKey = ParseKeys

const translations = import.meta.glob<{ default: object }>(['./*/*.json', '!./en/*.json'])

const onDemand: BackendModule = {
  type: 'backend',
  init() {},
  async read(language, _namespace, callback) {
    const files = Object.entries(translations).filter(([path]) => path.startsWith(`./${language}/`))
    try {
      const parts = await Promise.all(
        files.map(async ([path, load]) => [
          path.split('/').at(-1)?.replace('.json', ''),
          (await load()).default,
        ]),
      )
      callback(null, Object.fromEntries(parts))
    } catch (error) {
      callback(error as Error, null)
    }
  },
}

function storedLanguage(): Language {
  try {
    const stored = localStorage.getItem('language')
    if (isLanguage(stored)) return stored
  } catch {
    // Storage can be switched off; English then holds.
  }
  return 'en'
}

/** Prepares t(); resolves once the chosen language has loaded. */
export async function startI18n(language: Language = storedLanguage()): Promise<void> {
  await i18next
    .use(onDemand)
    .use(initReactI18next)
    .init({
      lng: language,
      fallbackLng: 'en',
      resources: { en: { translation: english } },
      partialBundledLanguages: true,
      // React escapes markup; what is left to guard is the order of the letters.
      interpolation: { escapeValue: true, escape: (value) => isolated(value, direction(currentLanguage())) },
      returnEmptyString: false,
    })
  applyToDocument(currentLanguage())
}

export function currentLanguage(): Language {
  return isLanguage(i18next.language) ? i18next.language : 'en'
}

/** Switches the language now and for the next visit. */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem('language', language)
  } catch {
    // The choice then lasts until the page is left.
  }
  await i18next.changeLanguage(language)
  applyToDocument(language)
}

function applyToDocument(language: Language) {
  document.documentElement.lang = language
  document.documentElement.dir = direction(language)
}

// While developing: an edited English text shows at once, without a reload.
import.meta.hot?.accept('./en/index.ts', (fresh) => {
  if (!fresh) return
  i18next.addResourceBundle('en', 'translation', fresh.english, true, true)
  i18next.emit('languageChanged', i18next.language)
})
