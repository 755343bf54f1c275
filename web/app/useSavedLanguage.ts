// Keeps in the profile which language the signed-in person reads, so that e-mails are written in it.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../i18n/index.ts'
import { languageOfPath } from '../i18n/preference.ts'
import { profileKey, useMyProfile } from '../lib/queries/profile.ts'
import { supabase } from '../lib/supabase.ts'

/** Saves the language once it is another one than the profile's; what cannot be saved is tried at the next visit. */
export function useSavedLanguage() {
  useTranslation() // renders again when the language changes
  const language = currentLanguage()
  const queries = useQueryClient()
  const { data: profile } = useMyProfile()
  const [id, saved] = [profile?.id, profile?.language]
  useEffect(() => {
    // A shared address says nothing about what its reader prefers.
    if (!id || saved === language || languageOfPath(location.pathname)) return
    void supabase
      .from('profiles')
      .update({ language })
      .eq('id', id)
      .then(({ error }) => {
        if (!error) queries.setQueryData(profileKey(id), (known: object) => ({ ...known, language }))
      })
  }, [id, saved, language, queries])
}
