// The open tasks as lists read them (specification 001 §7), for the app and for the page before its app has started.
import type { QueryData } from '@supabase/supabase-js'
import { categories } from '../../../../shared/categories.ts'
import { inCents } from '../../../lib/queries/money.ts'
import type { Rest } from '../../../lib/rest.ts'
import type { Browsing, Sort } from '../browsing.ts'
import { FIELD_COLUMNS } from '../fields.ts'

export const TASK_COLUMNS =
  `id,task_giver_id${FIELD_COLUMNS},status,created_at,asked_tasker_id,asked_until,applications_count,hidden_for,on_hold,
  place_id,public_latitude,public_longitude,
  giver:public_profiles!task_giver_id(id,full_name,rating,avatar_url,total_reviews,bio,is_verified)` as const
/** Score and reasons are what the database computes for the caller; only signed-in people may read them. */
const RANKED_COLUMNS = `${TASK_COLUMNS},recommendation_score,recommendation_reasons` as const

const selectTasks = (rest: Rest) => rest.from('tasks').select(TASK_COLUMNS)
const selectRankedTasks = (rest: Rest) => rest.from('tasks').select(RANKED_COLUMNS)

type TaskRow = QueryData<ReturnType<typeof selectTasks>>[number]
export type Task = ReturnType<typeof toTask>
export type Giver = NonNullable<Task['giver']>

const toTask = (row: TaskRow) => inCents(row, 'pay_amount', 'expense_limit')

/** `skills` as the tasker wrote them; `km` is null beyond their travel area. */
export type Reasons = { category: boolean; skills: string[]; km: number | null }

/** `score` is above 0 when the task suits the tasker who reads it, and then it has reasons. */
export type ListedTask = Task & { score: number; reasons: Reasons | null }

export const toListedTask = ({
  recommendation_score,
  recommendation_reasons,
  ...row
}: TaskRow & { recommendation_score?: number | null; recommendation_reasons?: unknown }): ListedTask => ({
  ...toTask(row),
  score: recommendation_score ?? 0,
  reasons: (recommendation_reasons as Reasons | undefined) ?? null,
})

/** Recommended pages are sorted by score, each by itself, so they are long. */
export const PAGE_SIZES: Record<Sort, number> = {
  recommended: 100,
  newest: 24,
  pay: 24,
  soonest: 24,
  distance: 24,
}
/** How many the database ranks for a tasker, over all open tasks. */
export const MAX_RANKED = 100

/** The cache keys of a list and its count. */
export const openTasksKey = (browsing: Browsing) => ['tasks', 'open', browsing] as const
export const taskCountKey = (browsing: Browsing) => ['tasks', 'count', asked(browsing)] as const

/** All categories, or one of those that tasks have. */
function isKnown(category: string): boolean {
  return category === '' || categories.some((known) => known === category)
}

/** Those that suit the caller best. */
export async function bestTasks(
  rest: Rest,
  { category }: Browsing,
  signal: AbortSignal,
): Promise<ListedTask[]> {
  const { data } = await rest
    .rpc('recommended_tasks', { max_results: MAX_RANKED, ...(category ? { category } : {}) })
    .select(RANKED_COLUMNS)
    .abortSignal(signal)
    .throwOnError()
  return data.map(toListedTask)
}

/** Whether the database's own search must answer: words, filters, or a kind that is not one of the eight categories. */
export function isNarrowed({ search, category, place, min, max, from, to }: Browsing): boolean {
  return [search, place, min, max, from, to].some(Boolean) || !isKnown(category)
}

/** A page of open tasks, from the task of that place in the whole list on. */
export async function openTasks(
  rest: Rest,
  browsing: Browsing,
  from: number,
  signal: AbortSignal,
): Promise<ListedTask[]> {
  const page = { from, size: PAGE_SIZES[browsing.sort] }
  const narrowed = isNarrowed(browsing)
  if (browsing.sort === 'recommended') {
    const query = narrowed
      ? searchTasks(rest, browsing, page).select(RANKED_COLUMNS)
      : listed(selectRankedTasks(rest).eq('status', 'open').is('hidden_for', null), browsing, page)
    const { data } = await query.abortSignal(signal).throwOnError()
    return data.map(toListedTask).sort((a, b) => b.score - a.score)
  }
  const query = narrowed
    ? searchTasks(rest, browsing, page).select(TASK_COLUMNS)
    : listed(selectTasks(rest).eq('status', 'open').is('hidden_for', null), browsing, page)
  const { data } = await query.abortSignal(signal).throwOnError()
  return data.map(toListedTask)
}

type TaskPage = { from: number; size: number }

/** Parameters of the database's searches and of their counts. */
export function asked({ search, category, place, min, max, from, to }: Browsing) {
  return {
    query: search,
    ...(category && { category }),
    ...(place && { location: place }),
    ...(min && { min_pay: Number(min) }),
    ...(max && { max_pay: Number(max) }),
    ...(from && { first_day: from }),
    ...(to && { last_day: to }),
  }
}

/** The database's own search, which sorts by itself. */
function searchTasks(rest: Rest, browsing: Browsing, { from, size }: TaskPage) {
  const { sort } = browsing
  return rest.rpc('search_tasks', {
    ...asked(browsing),
    sort: sort === 'recommended' ? 'newest' : sort,
    skip: from,
    max_results: size,
  })
}

/** As many as the database counts; the same number stands for more. */
export const MAX_COUNTED = 100

/** How many open tasks there are in all, up to MAX_COUNTED. */
export async function countTasks(rest: Rest, browsing: Browsing, signal: AbortSignal): Promise<number> {
  const { data } = await rest.rpc('count_tasks', asked(browsing)).abortSignal(signal).throwOnError()
  return data
}

/** The methods that order and limit a query of tasks. */
interface TaskList {
  eq(column: 'category', value: string): this
  order(column: string, options?: { ascending?: boolean; nullsFirst?: boolean }): this
  range(from: number, to: number): this
}

function listed<Query extends TaskList>(
  tasks: Query,
  { category, sort }: Browsing,
  { from, size }: TaskPage,
): Query {
  let query = category ? tasks.eq('category', category) : tasks
  if (sort === 'pay') query = query.order('pay_amount', { ascending: false })
  if (sort === 'soonest') query = query.order('scheduled_date', { nullsFirst: false })
  return query
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + size - 1)
}
