// The searches that a person has saved. New tasks that match them alert that person; nobody else can read them.
import { queryOptions } from '@tanstack/react-query'
import { paths } from '../../../lib/paths.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { Search } from '../browsing.ts'

export type Pace = 'at_once' | 'daily'

export type SavedSearch = Search & { id: string; pace: Pace }

const SAVED_SEARCHES_KEY = ['savedSearches'] as const

/** All of them, the newest first; there are few (limits.savedSearches). */
export const savedSearchesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...SAVED_SEARCHES_KEY, userId],
    queryFn: async ({ signal }): Promise<SavedSearch[]> => {
      const { data } = await supabase
        .from('saved_searches')
        .select('id, words, category, location, min_pay, pace')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

export const saveSearch = (userId: string, search: Search): Action<Pace> => ({
  invalidates: [SAVED_SEARCHES_KEY],
  run: async (pace) => {
    await supabase
      .from('saved_searches')
      .insert({ user_id: userId, ...search, pace })
      .throwOnError()
  },
})

export const setPace = (id: string): Action<Pace> => ({
  invalidates: [SAVED_SEARCHES_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async (pace) => {
    await supabase.from('saved_searches').update({ pace }).eq('id', id).throwOnError()
  },
})

export const removeSearch = (id: string): Action => ({
  invalidates: [SAVED_SEARCHES_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.from('saved_searches').delete().eq('id', id).throwOnError()
  },
})

/** The list of tasks that this search finds, with the filters in its address (browsing.ts). */
export function searchPath({ words, category, location, min_pay }: Search): string {
  const filters = {
    search: words,
    category: category ?? '',
    place: location,
    min: min_pay === null ? '' : String(min_pay),
  }
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  return `${paths.browse}?${query}`
}

/** Has no alert tell the person of a task that they are looking at. Nothing depends on it. */
export async function noteSeenTask(taskId: string): Promise<void> {
  await supabase.rpc('note_seen_task', { task_id: taskId })
}
