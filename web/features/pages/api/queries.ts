// Queries of the categories page: the number of open tasks by category.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'

/** By the kind's name. A page that cannot read them shows none. */
export const kindCountsQuery = queryOptions({
  queryKey: ['tasks', 'kinds'],
  queryFn: async ({ signal }) => {
    const { data } = await supabase.rpc('task_kind_counts').abortSignal(signal).throwOnError()
    return new Map(data.map(({ name, count }) => [name, count]))
  },
})
