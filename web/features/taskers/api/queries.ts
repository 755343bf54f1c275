// The verified taskers that strangers may see (spec 000 §6 and §7 'Find taskers'), found by the database.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'

const columns =
  'id, full_name, avatar_url, bio, city, rating, total_reviews, completed_tasks, skills, hourly_rate, role, is_verified' as const

export type Tasker = Pick<
  Tables<'public_profiles'>,
  | 'id'
  | 'full_name'
  | 'avatar_url'
  | 'bio'
  | 'city'
  | 'rating'
  | 'total_reviews'
  | 'completed_tasks'
  | 'skills'
  | 'hourly_rate'
  | 'role'
  | 'is_verified'
>

const pageSize = 60

/** Verified taskers whose name, skills or bio contain the text ('' for all), the best rated first, page by page. */
export function useTaskers(text: string) {
  return useInfiniteQuery({
    queryKey: ['taskers', text],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Tasker[]> => {
      const { data } = await supabase
        .rpc('find_taskers', { query: text, max_results: pageSize, skip: pageParam })
        .select(columns)
        .abortSignal(signal)
        .throwOnError()
      return data as Tasker[]
    },
    getNextPageParam: (last, _pages, start) => (last.length < pageSize ? undefined : start + pageSize),
    // Who moved to a later page meanwhile is shown once.
    select: ({ pages }) => [...new Map(pages.flat().map((tasker) => [tasker.id, tasker])).values()],
    placeholderData: keepPreviousData,
  })
}
