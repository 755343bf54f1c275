// The ten languages of specification 000 §1, each by the name its speakers use.
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
} as const

export type Language = keyof typeof languages

export function isLanguage(code: string | null | undefined): code is Language {
  return code != null && Object.hasOwn(languages, code)
}

/** Reading direction of a language. */
export function direction(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}
