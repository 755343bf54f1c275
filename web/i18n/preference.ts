// In which language a visit begins: the one of the address (`/fr/faq`), else the one chosen before, else the browser's.
import { isLanguage, type Language, languages } from './languages.ts'

const IN_ADDRESS = new RegExp(`^/(${Object.keys(languages).join('|')})(?=/|$)`)

/** The language that a path names in its beginning, as every one but English does in shared addresses; else null. */
export function languageOfPath(pathname: string): Language | null {
  const named = IN_ADDRESS.exec(pathname)?.[1]
  return isLanguage(named) ? named : null
}

/** The path without its language. */
export function plainPath(pathname: string): string {
  return pathname.replace(IN_ADDRESS, '') || '/'
}

/** The path of a public page in a language: `/faq` in English, `/fr/faq` in French, `/fr` for its landing. */
export function pathIn(language: Language, path: string): string {
  if (language === 'en') return path
  return path === '/' ? `/${language}` : `/${language}${path}`
}

/** The language chosen before; on a first visit the first of the browser's that is one of ours, 'fr' for 'fr-CA'. */
export function preferredLanguage(): Language {
  try {
    const stored = localStorage.getItem('language')
    if (isLanguage(stored)) return stored
  } catch {
    // Storage can be switched off; the browser's wish then holds.
  }
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

/** Has the next visit be in this language. */
export function rememberLanguage(language: Language) {
  try {
    localStorage.setItem('language', language)
  } catch {
    // The choice then lasts until the page is left.
  }
}
