// What the landing asks of the backend: open tasks that match a search (spec 000 §7 'Landing search').
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { supabase } from '../../lib/supabase.ts'

export const SEARCH_DEBOUNCE_MS = 300
export const SEARCH_MIN_LENGTH = 2
const SEARCH_LIMIT = 5
const searchedColumns = ['title', 'description', 'category', 'location']

export type FoundTask = { id: string; title: string; category: string; location: string; pay_amount: number }

/** Open tasks with the text in title, description, category or location; the text's own % and _ stand for themselves. */
export function useTaskSearch(text: string) {
  const term = useSettled(text.trim(), SEARCH_DEBOUNCE_MS)
  return useQuery({
    queryKey: ['landing-search', term],
    enabled: term.length >= SEARCH_MIN_LENGTH,
    retry: false,
    queryFn: async ({ signal }): Promise<FoundTask[]> => {
      const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`
      const quoted = `"${pattern.replace(/["\\]/g, '\\$&')}"`
      const { data, error } = await supabase
        .from('tasks')
        .select('id, title, category, location, pay_amount')
        .eq('status', 'open')
        .or(searchedColumns.map((column) => `${column}.ilike.${quoted}`).join(','))
        .limit(SEARCH_LIMIT)
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

/** The value once it has not changed for `delay` milliseconds. */
function useSettled(value: string, delay: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay)
    return () => clearTimeout(timer)
  }, [value, delay])
  return settled
}
