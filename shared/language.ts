// The languages of the product by their codes. Apart from locale.ts, because a page's entry needs no more than this.
import { rules } from './rules.ts'

export type Language = (typeof rules.languages)[number]

/** The language of that code; English for any other. */
export function languageOf(code: string | null | undefined): Language {
  return rules.languages.find((language) => language === code) ?? 'en'
}

/** Reading direction of a language. */
export function direction(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}
