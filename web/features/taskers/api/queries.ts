// The verified taskers that strangers may see (spec 000 §6 and §7 'Find taskers'), found by the database.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { nextOffset, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'

const PAGE_SIZE = 60

export const TASKER_COLUMNS =
  'id,full_name,avatar_url,bio,city,rating,total_reviews,completed_tasks,skills,hourly_rate,role,is_verified,earned_badges'

const findTaskers = (query: string, skip: number) =>
  supabase.rpc('find_taskers', { query, max_results: PAGE_SIZE, skip }).select(TASKER_COLUMNS)

export const toTasker = (row: QueryData<ReturnType<typeof findTaskers>>[number]) =>
  inCents(row, 'hourly_rate')
export type Tasker = ReturnType<typeof toTasker>

/** Verified taskers whose name, skills or bio contain the text ('' for all), the best rated first, page by page. */
export const taskersQuery = (text: string) =>
  infiniteQueryOptions({
    queryKey: ['taskers', text],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await findTaskers(text, pageParam).abortSignal(signal).throwOnError()
      return data.map(toTasker)
    },
    getNextPageParam: nextOffset(PAGE_SIZE),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })
