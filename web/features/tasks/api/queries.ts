// Tasks as these screens read them (specification 001 §7).
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { categories } from '../../../../shared/categories.ts'
import { everyWordFilters, phraseFilter } from '../../../lib/queries/filters.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'

const TASK_COLUMNS =
  `id,task_giver_id,title,description,category,location,pay_amount,status,scheduled_date,duration_minutes,
  tools_provided,tools_description,created_at,asked_tasker_id,asked_until,
  giver:public_profiles!task_giver_id(id,full_name,rating,avatar_url,total_reviews,bio,is_verified)` as const
/** `recommendation_score` is what the database reckons for the caller; only who is signed in may ask for it. */
const RANKED_COLUMNS = `${TASK_COLUMNS},recommendation_score` as const

const selectTasks = () => supabase.from('tasks').select(TASK_COLUMNS)
const selectRankedTasks = () => supabase.from('tasks').select(RANKED_COLUMNS)

type TaskRow = QueryData<ReturnType<typeof selectTasks>>[number]
export type Task = ReturnType<typeof toTask>
export type Giver = NonNullable<Task['giver']>

const toTask = (row: TaskRow) => inCents(row, 'pay_amount')

export const sorts = ['recommended', 'newest', 'pay', 'soonest'] as const
export type Sort = (typeof sorts)[number]
export type Browsing = { search: string; category: string; sort: Sort }
/** `score` is above 0 when the task suits the tasker who reads it. */
export type ListedTask = Task & { score: number }

const toListedTask = ({
  recommendation_score,
  ...row
}: TaskRow & { recommendation_score?: number | null }) => ({
  ...toTask(row),
  score: recommendation_score ?? 0,
})

/** Recommended pages are sorted by score, each by itself, so they are long. */
const PAGE_SIZES: Record<Sort, number> = { recommended: 100, newest: 24, pay: 24, soonest: 24 }
/** How many the database ranks for a tasker, over all open tasks. */
const MAX_RANKED = 100

/** Where a page begins in the list by date, or the database's best. */
type PageStart = number | 'best'

/** Open tasks, newest first unless sorted otherwise, no task twice. */
export function openTasksQuery(browsing: Browsing) {
  const size = PAGE_SIZES[browsing.sort]
  const ranked = browsing.sort === 'recommended' && !browsing.search && isKnown(browsing.category)
  const firstPage: PageStart = ranked ? 'best' : 0
  return infiniteQueryOptions({
    queryKey: ['tasks', 'open', browsing],
    initialPageParam: firstPage as PageStart,
    queryFn: ({ pageParam, signal }) =>
      pageParam === 'best' ? bestTasks(browsing, signal) : openTasks(browsing, pageParam, size, signal),
    getNextPageParam: (last, _pages, start) => {
      if (start === 'best') return last.length < MAX_RANKED ? undefined : 0
      return last.length < size ? undefined : start + size
    },
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })
}

/** All categories, or one of those that tasks have. */
function isKnown(category: string): boolean {
  return category === '' || categories.some((known) => known === category)
}

async function bestTasks({ category }: Browsing, signal: AbortSignal): Promise<ListedTask[]> {
  const { data } = await supabase
    .rpc('recommended_tasks', { max_results: MAX_RANKED, ...(category ? { category } : {}) })
    .select(RANKED_COLUMNS)
    .abortSignal(signal)
    .throwOnError()
  return data.map(toListedTask)
}

async function openTasks(
  browsing: Browsing,
  from: number,
  size: number,
  signal: AbortSignal,
): Promise<ListedTask[]> {
  const { search, category, sort } = browsing
  const page = { ...browsing, from, size }
  const searches = search !== '' && isKnown(category)
  if (sort === 'recommended') {
    const query = searches
      ? searchTasks(page).select(RANKED_COLUMNS)
      : filtered(selectRankedTasks().eq('status', 'open'), page)
    const { data } = await query.abortSignal(signal).throwOnError()
    return data.map(toListedTask).sort((a, b) => b.score - a.score)
  }
  const query = searches
    ? searchTasks(page).select(TASK_COLUMNS)
    : filtered(selectTasks().eq('status', 'open'), page)
  const { data } = await query.abortSignal(signal).throwOnError()
  return data.map(toListedTask)
}

type TaskPage = Browsing & { from: number; size: number }

/** The database's own search, which sorts by itself. */
function searchTasks({ search, category, sort, from, size }: TaskPage) {
  return supabase.rpc('search_tasks', {
    query: search,
    sort: sort === 'recommended' ? 'newest' : sort,
    skip: from,
    max_results: size,
    ...(category ? { category } : {}),
  })
}

/** What filters and orders any query of tasks. */
interface TaskFilters {
  or(filters: string): this
  order(column: string, options?: { ascending?: boolean; nullsFirst?: boolean }): this
  range(from: number, to: number): this
}

function filtered<Query extends TaskFilters>(
  tasks: Query,
  { search, category, sort, from, size }: TaskPage,
): Query {
  let query = tasks
  for (const filter of everyWordFilters(search, ['title', 'description', 'category', 'location'])) {
    query = query.or(filter)
  }
  if (category) query = query.or(categoryFilter(category))
  if (sort === 'pay') query = query.order('pay_amount', { ascending: false })
  if (sort === 'soonest') query = query.order('scheduled_date', { nullsFirst: false })
  return query
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + size - 1)
}

/**
 * The categories page knows more kinds than tasks do ("Moving & Delivery", "Painting", "Assembly"): what they name is
 * searched for, without its ending, since a task says "paint" and "assemble".
 */
function categoryFilter(category: string): string {
  if (isKnown(category)) return `category.eq."${category}"`
  const parts = category.split('&').map((part) => part.trim())
  const filters = parts.filter(Boolean).map((part) => {
    if (categories.some((known) => known === part)) return `category.eq."${part}"`
    return phraseFilter(part.replace(/(?<=\w{4})(ing|s|y)$/, ''), ['category', 'title', 'description'])
  })
  return filters.join(',') || phraseFilter(category, ['category'])
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const selectTaskDetails = () =>
  supabase.from('tasks').select(`${TASK_COLUMNS},address:task_addresses(address)`)

const toTaskDetails = (row: QueryData<ReturnType<typeof selectTaskDetails>>[number]) =>
  inCents(row, 'pay_amount')
/** A task with its `address`, which only its people see. */
export type TaskDetails = ReturnType<typeof toTaskDetails>

/** One task as this person may see it; null when there is none. */
export const taskQuery = (id: string, userId: string | undefined) =>
  queryOptions({
    queryKey: ['tasks', 'one', id, userId],
    queryFn: async ({ signal }) => {
      if (!UUID.test(id)) return null
      const { data } = await selectTaskDetails().eq('id', id).abortSignal(signal).maybeSingle().throwOnError()
      return data && toTaskDetails(data)
    },
  })

/** The caller's latest application to a task, or null. */
export const myApplicationQuery = (taskId: string, userId: string) =>
  queryOptions({
    queryKey: ['bookings', 'of-task', taskId, userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('bookings')
        .select('id,status,passed_over,created_at')
        .eq('task_id', taskId)
        .eq('task_doer_id', userId)
        .order('created_at', { ascending: false })
        .limit(1)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

/** The tasks that the caller has applied to and not been turned down for. */
export const appliedTasksQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'applied', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('bookings')
        .select('task_id')
        .eq('task_doer_id', userId ?? '')
        .in('status', ['pending', 'accepted', 'in_progress'])
        .abortSignal(signal)
        .throwOnError()
      return data.map((booking) => booking.task_id)
    },
  })

/** How many people wait for the giver's answer on a task. */
export const waitingApplicationsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['bookings', 'waiting', taskId],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from('bookings')
        .select('id', { count: 'exact', head: true })
        .eq('task_id', taskId)
        .eq('status', 'pending')
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })
