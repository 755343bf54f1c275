// How many rows a list of the back office has, for "50 of 72": the functions that find them answer at most a hundred, so that
// counting costs no more than a page.
import { queryOptions } from '@tanstack/react-query'
import type { Database } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'

/** Stands for as many or more. */
export const MAX_COUNTED = 100

type Functions = Database['public']['Functions']
type Finder = Extract<keyof Functions, `find_${string}`>

/** The number of rows that a function finds with these arguments, up to MAX_COUNTED. */
export const countQuery = <Name extends Finder>(name: Name, search: Functions[Name]['Args']) =>
  queryOptions({
    queryKey: ['admin', 'count', name, search] as readonly unknown[],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .rpc(name, { ...search, max_results: MAX_COUNTED }, { head: true, count: 'exact' })
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })

export type CountQuery = ReturnType<typeof countQuery>
