// Queries of the landing page: open tasks that match a search (spec 000 §7 'Landing search').
import type { QueryData } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { loadClient } from '../../../lib/client.ts'
import type { Client } from '../../../lib/connection.ts'
import { inCents } from '../../../lib/queries/money.ts'

export const SEARCH_MIN_LENGTH = 2
const MAX_RESULTS = 5

const searchTasks = (client: Client, term: string) =>
  client
    .rpc('search_tasks', { query: `"${term.replaceAll('"', ' ')}"`, max_results: MAX_RESULTS })
    .select('id, title, category, location, pay_amount')

const toFoundTask = (row: QueryData<ReturnType<typeof searchTasks>>[number]) => inCents(row, 'pay_amount')
export type FoundTask = ReturnType<typeof toFoundTask>

/** The newest open tasks with the term in title, description, category or location. */
export const taskSearchQuery = (term: string) =>
  queryOptions({
    queryKey: ['landing-search', term],
    enabled: term.length >= SEARCH_MIN_LENGTH,
    retry: false,
    queryFn: async ({ signal }): Promise<FoundTask[]> => {
      const { data, error } = await searchTasks(await loadClient(), term).abortSignal(signal)
      if (signal.aborted) return []
      if (error) {
        // Spec 000 §8: logged, results emptied, no message.
        console.error('landing search:', error.message)
        return []
      }
      return data.map(toFoundTask)
    },
  })
