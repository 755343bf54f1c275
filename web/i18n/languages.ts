// The languages of the app (specification 000 §1), each by the name its speakers use.
import type { rules } from '../../shared/rules.ts'

export const languages = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  hi: 'हिन्दी',
  zh: '中文',
  ru: 'Русский',
  ar: 'العربية',
  pt: 'Português',
  id: 'Bahasa Indonesia',
} as const satisfies Record<(typeof rules.languages)[number], string>

export type Language = keyof typeof languages

export function isLanguage(code: string | null | undefined): code is Language {
  return code != null && Object.hasOwn(languages, code)
}

/** The manifest of the app in a language (scripts/prerender.mjs). */
export function manifestOf(language: Language): string {
  return language === 'en' ? '/manifest.webmanifest' : `/manifest.${language}.webmanifest`
}

export { direction } from '../../shared/language.ts'
