// The list of taskers and its length, kept in the query cache.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { TaskerFilters } from '../filters.ts'
import {
  countTaskers,
  findTaskers,
  type LastTasker,
  PAGE_SIZE,
  taskerCountKey,
  taskersKey,
} from './search.ts'

/** Verified taskers whose name, skills or bio contain the text ('' for all), the best rated first, page by page. */
export const taskersQuery = (text: string, filters: TaskerFilters) =>
  infiniteQueryOptions({
    queryKey: taskersKey(text, filters),
    initialPageParam: undefined as LastTasker | undefined,
    queryFn: ({ pageParam: after, signal }) => findTaskers(supabase, text, filters, { after, signal }),
    getNextPageParam: (last: LastTasker[]) => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

/** How many such taskers there are in all, up to MAX_COUNTED. */
export const taskerCountQuery = (text: string, filters: TaskerFilters) =>
  queryOptions({
    queryKey: taskerCountKey(text, filters),
    queryFn: ({ signal }) => countTaskers(supabase, text, filters, signal),
    placeholderData: keepPreviousData,
  })
