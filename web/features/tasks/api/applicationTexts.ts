// The texts that a tasker saved for applications; nobody else can read them.
import { queryOptions } from '@tanstack/react-query'
import type { Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

export type SavedText = Pick<Tables<'application_texts'>, 'id' | 'title' | 'text'>

const TEXTS_KEY = ['applicationTexts'] as const

/** All of them by name; there are few (limits.applicationTexts). */
export const savedTextsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...TEXTS_KEY, userId],
    queryFn: async ({ signal }): Promise<SavedText[]> => {
      const { data } = await supabase
        .from('application_texts')
        .select('id,title,text')
        .eq('user_id', userId)
        .order('title')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

export const saveText = (userId: string): Action<{ title: string; text: string }> => ({
  invalidates: [TEXTS_KEY],
  invalidatesOnError: true,
  run: async (saved) => {
    await supabase
      .from('application_texts')
      .insert({ user_id: userId, ...saved })
      .throwOnError()
  },
})

export const renameText = (id: string): Action<{ title: string }> => ({
  invalidates: [TEXTS_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ title }) => {
    await supabase.from('application_texts').update({ title }).eq('id', id).throwOnError()
  },
})

export const removeText = (id: string): Action => ({
  invalidates: [TEXTS_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.from('application_texts').delete().eq('id', id).throwOnError()
  },
})
