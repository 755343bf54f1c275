// The words of an error that a screen shows among its own texts.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { codedErrorText, openErrors } from '../i18n/databaseTexts.ts'
import { currentLanguage } from '../i18n/index.ts'

/** The words for the code in the reader's language, once they have loaded; null for null. */
export function useErrorWords(code: string | null): string | null {
  // Renders anew when another language is chosen.
  useTranslation()
  const language = currentLanguage()
  useQuery({
    queryKey: ['errorWords', language],
    enabled: code !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      await openErrors()
      return language
    },
  })
  return code === null ? null : (codedErrorText({ code, params: {} }) ?? null)
}
