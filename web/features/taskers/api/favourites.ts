// The taskers whom a person has saved; nobody else can read which.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { nextOffset, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { TASKER_COLUMNS, toTasker } from './queries.ts'

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
  supabase.from('favourites').select(`tasker:public_profiles!tasker_id(${TASKER_COLUMNS})`)
type Favourite = QueryData<ReturnType<typeof selectFavourites>>[number]
const taskersOf = (rows: Favourite[]) => rows.flatMap(({ tasker }) => (tasker ? [toTasker(tasker)] : []))

/** The saved taskers themselves, the newest first, page by page. It is read anew with each visit. */
export const favouritesQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ['favourites', 'list', userId],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await selectFavourites()
        .order('created_at', { ascending: false })
        .order('tasker_id')
        .range(pageParam, pageParam + PAGE_SIZE - 1)
        .abortSignal(signal)
        .throwOnError()
      return taskersOf(data)
    },
    getNextPageParam: nextOffset(PAGE_SIZE),
    select: uniqueRows,
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
