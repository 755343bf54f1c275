// The verified taskers that strangers may see (spec 000 §6 and §7 'Find taskers'), found by the database: for the app and
// for the page before its app has started.
import type { QueryData } from '@supabase/supabase-js'
import type { Tables } from '../../../lib/database.types.ts'
import { instantFromLocal } from '../../../lib/format.ts'
import { inCents } from '../../../lib/queries/money.ts'
import type { Rest } from '../../../lib/rest.ts'
import type { TaskerFilters } from '../filters.ts'

/** How many are read at a time. */
export const PAGE_SIZE = 60

export const TASKER_COLUMNS =
  'id,full_name,avatar_url,bio,city,rating,total_reviews,completed_tasks,skills,hourly_rate,role,is_verified,earned_badges'

/** Parameters of the database's search and of its count. */
const asked = (query: string, { city, category, rate, available, free, minutes }: TaskerFilters) => ({
  query,
  ...(city && { city }),
  ...(category && { category }),
  ...(rate && { max_rate: Number(rate) }),
  ...(available && { availability: 'available' }),
  ...(free && { free_at: instantFromLocal(free) ?? '', free_minutes: Number(minutes) }),
})

/** The next page after this tasker; the first for none. */
const search = (rest: Rest, query: string, filters: TaskerFilters, after?: LastTasker) =>
  rest
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

export const toTasker = (row: QueryData<ReturnType<typeof search>>[number]) => inCents(row, 'hourly_rate')
export type LastTasker = Pick<Tables<'public_profiles'>, 'id' | 'rating' | 'total_reviews'>
export type Tasker = ReturnType<typeof toTasker>

/** The cache keys of a list and its count. */
export const taskersKey = (text: string, filters: TaskerFilters) => ['taskers', text, filters] as const
export const taskerCountKey = (text: string, filters: TaskerFilters) =>
  ['taskers', 'count', text, filters] as const

/** A page of taskers whose name, skills or bio contain the text ('' for all), the best rated first. */
export async function findTaskers(
  rest: Rest,
  text: string,
  filters: TaskerFilters,
  { after, signal }: { after: LastTasker | undefined; signal: AbortSignal },
): Promise<Tasker[]> {
  const { data } = await search(rest, text, filters, after).abortSignal(signal).throwOnError()
  return data.map(toTasker)
}

/** As many as the database counts; the same number stands for more. */
export const MAX_COUNTED = 500

/** How many such taskers there are in all, up to MAX_COUNTED. */
export async function countTaskers(
  rest: Rest,
  text: string,
  filters: TaskerFilters,
  signal: AbortSignal,
): Promise<number> {
  const { data } = await rest.rpc('count_taskers', asked(text, filters)).abortSignal(signal).throwOnError()
  return data
}
