// Tasks as these screens read them (specification 001 §7).
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { categories } from '../../../../shared/categories.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Browsing, Sort } from '../browsing.ts'

/** What the form asks for and a task says again when it is posted again; its time is its own, its address stands apart. */
export const FORM_COLUMNS =
  'title,description,category,location,pay_amount,duration_minutes,tools_provided,tools_description,photos'
const TASK_COLUMNS =
  `id,task_giver_id,${FORM_COLUMNS},status,scheduled_date,created_at,asked_tasker_id,asked_until,applications_count,hidden_for,on_hold,
  giver:public_profiles!task_giver_id(id,full_name,rating,avatar_url,total_reviews,bio,is_verified)` as const
/** `recommendation_score` is what the database reckons for the caller; only who is signed in may ask for it. */
const RANKED_COLUMNS = `${TASK_COLUMNS},recommendation_score` as const

const selectTasks = () => supabase.from('tasks').select(TASK_COLUMNS)
const selectRankedTasks = () => supabase.from('tasks').select(RANKED_COLUMNS)

type TaskRow = QueryData<ReturnType<typeof selectTasks>>[number]
export type Task = ReturnType<typeof toTask>
export type Giver = NonNullable<Task['giver']>

const toTask = (row: TaskRow) => inCents(row, 'pay_amount')

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
  const ranked = browsing.sort === 'recommended' && !isNarrowed(browsing)
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

/** Whether the database's own search must answer: words, filters, or a kind that is not one of the eight categories. */
function isNarrowed({ search, category, place, min, max, from, to }: Browsing): boolean {
  return [search, place, min, max, from, to].some(Boolean) || !isKnown(category)
}

async function openTasks(
  browsing: Browsing,
  from: number,
  size: number,
  signal: AbortSignal,
): Promise<ListedTask[]> {
  const page = { from, size }
  const narrowed = isNarrowed(browsing)
  if (browsing.sort === 'recommended') {
    const query = narrowed
      ? searchTasks(browsing, page).select(RANKED_COLUMNS)
      : listed(selectRankedTasks().eq('status', 'open').is('hidden_for', null), browsing, page)
    const { data } = await query.abortSignal(signal).throwOnError()
    return data.map(toListedTask).sort((a, b) => b.score - a.score)
  }
  const query = narrowed
    ? searchTasks(browsing, page).select(TASK_COLUMNS)
    : listed(selectTasks().eq('status', 'open').is('hidden_for', null), browsing, page)
  const { data } = await query.abortSignal(signal).throwOnError()
  return data.map(toListedTask)
}

type TaskPage = { from: number; size: number }

/** What the database's search and its count are asked. */
function asked({ search, category, place, min, max, from, to }: Browsing) {
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
function searchTasks(browsing: Browsing, { from, size }: TaskPage) {
  const { sort } = browsing
  return supabase.rpc('search_tasks', {
    ...asked(browsing),
    sort: sort === 'recommended' ? 'newest' : sort,
    skip: from,
    max_results: size,
  })
}

/** As many as the database counts; the same number stands for more. */
export const MAX_COUNTED = 100

/** How many open tasks there are in all, up to MAX_COUNTED. */
export const taskCountQuery = (browsing: Browsing) => {
  const values = asked(browsing)
  return queryOptions({
    queryKey: ['tasks', 'count', values],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('count_tasks', values).abortSignal(signal).throwOnError()
      return data
    },
    placeholderData: keepPreviousData,
  })
}

/** What orders any query of tasks. */
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
        .select('id,status,passed_over,created_at,agreed_amount')
        .eq('task_id', taskId)
        .eq('task_doer_id', userId)
        .order('created_at', { ascending: false })
        .limit(1)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && inCents(data, 'agreed_amount')
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
