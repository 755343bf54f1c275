// The verified taskers that strangers may see (spec 000 §6 and §7 'Find taskers'), found by the database.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Tables } from '../../../lib/database.types.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { TaskerFilters } from '../filters.ts'

const PAGE_SIZE = 60

export const TASKER_COLUMNS =
  'id,full_name,avatar_url,bio,city,rating,total_reviews,completed_tasks,skills,hourly_rate,role,is_verified,earned_badges'

/** What the database's search and its count are asked. */
const asked = (query: string, { city, category, rate, available }: TaskerFilters) => ({
  query,
  ...(city && { city }),
  ...(category && { category }),
  ...(rate && { max_rate: Number(rate) }),
  ...(available && { availability: 'available' }),
})

/** The next page after this tasker; the first for none. */
const findTaskers = (query: string, filters: TaskerFilters, after?: LastTasker) =>
  supabase
    .rpc('search_taskers', {
      ...asked(query, filters),
      max_results: PAGE_SIZE,
      ...(after && {
        after_rating: after.rating ?? 0,
        after_reviews: after.total_reviews ?? 0,
        after_id: after.id ?? '',
      }),
    })
    .select(TASKER_COLUMNS)

export const toTasker = (row: QueryData<ReturnType<typeof findTaskers>>[number]) =>
  inCents(row, 'hourly_rate')
type LastTasker = Pick<Tables<'public_profiles'>, 'id' | 'rating' | 'total_reviews'>
export type Tasker = ReturnType<typeof toTasker>

/** Verified taskers whose name, skills or bio contain the text ('' for all), the best rated first, page by page. */
export const taskersQuery = (text: string, filters: TaskerFilters) =>
  infiniteQueryOptions({
    queryKey: ['taskers', text, filters],
    initialPageParam: undefined as LastTasker | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await findTaskers(text, filters, pageParam).abortSignal(signal).throwOnError()
      return data.map(toTasker)
    },
    getNextPageParam: (last: LastTasker[]) => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

/** As many as the database counts; the same number stands for more. */
export const MAX_COUNTED = 500

/** How many such taskers there are in all, up to MAX_COUNTED. */
export const taskerCountQuery = (text: string, filters: TaskerFilters) =>
  queryOptions({
    queryKey: ['taskers', 'count', text, filters],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('count_taskers', asked(text, filters))
        .abortSignal(signal)
        .throwOnError()
      return data
    },
    placeholderData: keepPreviousData,
  })
