// What the landing asks of the backend: open tasks that match a search (spec 000 §7 'Landing search').
import { useQuery } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'

export const TYPING_DELAY_MS = 300
export const SEARCH_MIN_LENGTH = 2
const SEARCH_LIMIT = 5

export type FoundTask = { id: string; title: string; category: string; location: string; pay_amount: number }

/** The newest open tasks with the text in title, description, category or location; the database knows how to find it. */
export function useTaskSearch(text: string) {
  const term = useDebounced(text.trim(), TYPING_DELAY_MS)
  return useQuery({
    queryKey: ['landing-search', term],
    enabled: term.length >= SEARCH_MIN_LENGTH,
    retry: false,
    queryFn: async ({ signal }): Promise<FoundTask[]> => {
      const { data, error } = await supabase
        .rpc('search_tasks', { query: `"${term.replaceAll('"', ' ')}"`, max_results: SEARCH_LIMIT })
        .select('id, title, category, location, pay_amount')
        .abortSignal(signal)
      if (signal.aborted) return []
      if (error) {
        // Spec 000 §8: logged, results emptied, no message.
        console.error('landing search:', error.message)
        return []
      }
      return data
    },
  })
}
