// The searches that a person has saved. New tasks that match them alert that person; nobody else can read them.
import { queryOptions } from '@tanstack/react-query'
import { kmBetween, type Position } from '../../../../shared/distances.ts'
import { paths } from '../../../lib/paths.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { nearOf, type Search } from '../browsing.ts'

export type Pace = 'at_once' | 'daily'

const COLUMNS = `id,words,category,location,min_pay,max_pay,first_day,last_day,place_id,latitude,longitude,radius_km,pace,
  place_name`

/** `place_name`: the place, or the nearest one to the point; null for everywhere. */
export type SavedSearch = Search & { id: string; pace: Pace; place_name: string | null }

const SAVED_SEARCHES_KEY = ['savedSearches'] as const

/** All of them, the newest first; there are few (limits.savedSearches). */
export const savedSearchesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...SAVED_SEARCHES_KEY, userId],
    queryFn: async ({ signal }): Promise<SavedSearch[]> => {
      const { data } = await supabase
        .from('saved_searches')
        .select(COLUMNS)
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** Whether there is one. Read once; saving or removing a search here reads it again. */
export const hasSavedSearchesQuery = (userId: string) =>
  queryOptions({
    ...savedSearchesQuery(userId),
    staleTime: Number.POSITIVE_INFINITY,
    select: (all) => all.length > 0,
  })

/** Returns the search as it was stored: a point is then the centre of its cell. */
export const saveSearch = (userId: string, search: Search): Action<Pace, SavedSearch> => ({
  invalidates: [SAVED_SEARCHES_KEY],
  run: async (pace) => {
    const { data } = await supabase
      .from('saved_searches')
      .insert({ user_id: userId, ...search, pace })
      .select(COLUMNS)
      .single()
      .throwOnError()
    return data
  },
})

export const setPace = (id: string): Action<Pace> => ({
  invalidates: [SAVED_SEARCHES_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async (pace) => {
    await supabase.from('saved_searches').update({ pace }).eq('id', id).throwOnError()
  },
})

export const removeSearch = (id: string): Action => ({
  invalidates: [SAVED_SEARCHES_KEY],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.from('saved_searches').delete().eq('id', id).throwOnError()
  },
})

/** In a town, the cell whose centre a saved search stores is about this wide. */
const CELL_KM = 1

/** Whether this search is saved as that one. Far from towns a cell is larger: the database then says that the search exists. */
export function isSavedAs(search: Search, saved: Search): boolean {
  const { latitude, longitude } = saved
  const isNear = isPoint(search) && isPoint(saved) && kmBetween(search, saved) <= CELL_KM
  return searchPath(saved) === searchPath(isNear ? { ...search, latitude, longitude } : search)
}

const isPoint = (search: Search): search is Search & Position =>
  search.place_id === null && search.latitude !== null

/** The list of tasks that this search finds, with the filters in its address (browsing.ts). */
export function searchPath(search: Search): string {
  const filters = {
    search: search.words,
    category: search.category ?? '',
    place: search.location,
    min: String(search.min_pay ?? ''),
    max: String(search.max_pay ?? ''),
    from: search.first_day ?? '',
    to: search.last_day ?? '',
    near: nearOf(search),
    km: String(search.radius_km ?? ''),
  }
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  return `${paths.browse}?${query}`
}

/** Has no alert tell the person of a task that they are looking at. Nothing depends on it. */
export async function noteSeenTask(taskId: string): Promise<void> {
  await supabase.rpc('note_seen_task', { task_id: taskId })
}
