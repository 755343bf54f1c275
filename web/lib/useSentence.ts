// A sentence of the database that a screen shows beside its own texts.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../i18n/index.ts'
import { openSentences, sentence } from '../i18n/written.ts'

/** It in the reader's language, once that has loaded; what a person wrote comes back as it is. */
export function useSentence(english: string | null): string | null {
  // Renders anew when another language is chosen.
  useTranslation()
  const language = currentLanguage()
  useQuery({
    queryKey: ['sentences', language],
    enabled: english !== null && language !== 'en',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      await openSentences()
      return language
    },
  })
  return english === null ? null : sentence(english)
}
