// The taskers whom a person has saved; nobody else can read which. One who is not shown to this person just now (their
// profile is hidden, or no longer listed) stays saved, and neither shows nor counts.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { TASKER_COLUMNS, toTasker } from './search.ts'

const PAGE_SIZE = 24

/** Whom this person has saved, by id: what fills the hearts. */
export const favouriteIdsQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: ['favourites', 'ids', userId],
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('favourites')
        .select('tasker_id')
        .abortSignal(signal)
        .throwOnError()
      return new Set(data.map((row) => row.tasker_id))
    },
  })

const selectFavourites = () =>
  supabase
    .from('favourites')
    .select(`created_at, tasker_id, tasker:public_profiles!tasker_id!inner(${TASKER_COLUMNS})`)
type Favourite = QueryData<ReturnType<typeof selectFavourites>>[number]
const taskersOf = (rows: Favourite[]) => rows.map(({ tasker }) => toTasker(tasker))

/** The saved taskers themselves, the newest first, page by page. It is read anew with each visit. */
export const favouritesQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ['favourites', 'list', userId],
    initialPageParam: undefined as Favourite | undefined,
    queryFn: async ({ pageParam: last, signal }) => {
      const page = selectFavourites()
        .order('created_at', { ascending: false })
        .order('tasker_id')
        .limit(PAGE_SIZE)
        .abortSignal(signal)
      const after =
        last &&
        `created_at.lt."${last.created_at}",and(created_at.eq."${last.created_at}",tasker_id.gt."${last.tasker_id}")`
      return (await (after ? page.or(after) : page).throwOnError()).data
    },
    getNextPageParam: (last: Favourite[]) => nextKey(PAGE_SIZE)(last),
    select: ({ pages }) => uniqueRows({ pages: pages.map(taskersOf) }),
    refetchOnMount: 'always',
  })

/** How many of those this person sees. */
export const favouritesCountQuery = (userId: string) =>
  queryOptions({
    queryKey: ['favourites', 'count', userId],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from('favourites')
        .select('tasker:public_profiles!tasker_id!inner(id)', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
    refetchOnMount: 'always',
  })

/** Saves a tasker (true) or takes them off the list (false). The list that is shown stays, so that a wrong press can be undone. */
export const saveTasker = (userId: string, taskerId: string): Action<boolean> => ({
  invalidates: [['favourites', 'ids']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async (saved) => {
    if (saved) {
      await supabase
        .from('favourites')
        .upsert({ user_id: userId, tasker_id: taskerId }, { ignoreDuplicates: true })
        .throwOnError()
    } else {
      await supabase
        .from('favourites')
        .delete()
        .eq('user_id', userId)
        .eq('tasker_id', taskerId)
        .throwOnError()
    }
  },
})
