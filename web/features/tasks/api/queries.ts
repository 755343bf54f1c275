// Tasks as these screens read and write them (specification 001 §7).

import { PostgrestError } from '@supabase/supabase-js'
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { categories } from '../../../../shared/categories.ts'
import type { Tables } from '../../../lib/database.types.ts'
import { everyWordFilters, phraseFilter } from '../../../lib/queries/filters.ts'
import { useSession } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'
import type { NewTask } from '../schema.ts'

export type Giver = Pick<
  Tables<'public_profiles'>,
  'id' | 'full_name' | 'rating' | 'avatar_url' | 'total_reviews' | 'bio' | 'is_verified'
>
export type Task = Tables<'tasks'> & { giver: Giver | null }

const taskWithGiver =
  '*,giver:public_profiles!task_giver_id(id,full_name,rating,avatar_url,total_reviews,bio,is_verified)'

export const sorts = ['recommended', 'newest', 'pay', 'soonest'] as const
export type Sort = (typeof sorts)[number]
export type Browsing = { search: string; category: string; sort: Sort }

/** Found tasks are ranked here, a page at a time, so their pages are long. */
const pageSizes: Record<Sort, number> = { recommended: 100, newest: 24, pay: 24, soonest: 24 }
/** How many the database ranks for a tasker, over all open tasks. */
const bestSize = 100

/** Where a page begins in the list by date, or the database's best. */
type PageStart = number | 'best'

/** Open tasks, newest first unless sorted otherwise; `data` is the pages in order, no task twice. */
export function useOpenTasks(browsing: Browsing, { enabled }: { enabled: boolean }) {
  const size = pageSizes[browsing.sort]
  const ranked = browsing.sort === 'recommended' && !browsing.search && isKnown(browsing.category)
  return useInfiniteQuery({
    queryKey: ['tasks', 'open', browsing],
    enabled,
    initialPageParam: (ranked ? 'best' : 0) as PageStart,
    queryFn: ({ pageParam, signal }) =>
      pageParam === 'best' ? bestTasks(browsing, signal) : openTasks(browsing, pageParam, size, signal),
    getNextPageParam: (last, _pages, start): PageStart | undefined => {
      if (start === 'best') return last.length < bestSize ? undefined : 0
      return last.length < size ? undefined : start + size
    },
    select: withoutRepetitions,
    placeholderData: keepPreviousData,
  })
}

/** All categories, or one of those that tasks have. */
function isKnown(category: string): boolean {
  return category === '' || categories.some((known) => known === category)
}

async function bestTasks({ category }: Browsing, signal: AbortSignal): Promise<Task[]> {
  const { data } = await supabase
    .rpc('recommended_tasks', { max_results: bestSize, ...(category ? { category } : {}) })
    .select(taskWithGiver)
    .abortSignal(signal)
    .throwOnError()
  return data as unknown as Task[]
}

async function openTasks(
  { search, category, sort }: Browsing,
  from: number,
  size: number,
  signal: AbortSignal,
): Promise<Task[]> {
  if (search && isKnown(category)) {
    const { data } = await supabase
      .rpc('search_tasks', {
        query: search,
        sort: sort === 'recommended' ? 'newest' : sort,
        skip: from,
        max_results: size,
        ...(category ? { category } : {}),
      })
      .select(taskWithGiver)
      .abortSignal(signal)
      .throwOnError()
    return data as unknown as Task[]
  }
  let query = supabase.from('tasks').select(taskWithGiver).eq('status', 'open')
  for (const word of everyWordFilters(search, ['title', 'description', 'category', 'location'])) {
    query = query.or(word)
  }
  if (category && isKnown(category)) query = query.eq('category', category)
  else if (category) query = query.or(matchingOtherCategory(category))
  if (sort === 'pay') query = query.order('pay_amount', { ascending: false })
  if (sort === 'soonest') query = query.order('scheduled_date', { nullsFirst: false })
  const { data } = await query
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + size - 1)
    .abortSignal(signal)
    .throwOnError()
  return data as Task[]
}

/**
 * The categories page knows more kinds than tasks do ("Moving & Delivery", "Painting", "Assembly"): look for what they
 * name, without its ending, since a task says "paint" and "assemble".
 */
function matchingOtherCategory(category: string): string {
  const parts = category.split('&').map((part) => part.trim())
  const matches = parts.filter(Boolean).map((part) => {
    if (categories.some((known) => known === part)) return `category.eq."${part}"`
    return phraseFilter(part.replace(/(?<=\w{4})(ing|s|y)$/, ''), ['category', 'title', 'description'])
  })
  return matches.join(',') || phraseFilter(category, ['category'])
}

/** A task that moved to a later page while the first was read is shown once. */
function withoutRepetitions({ pages }: InfiniteData<Task[]>): Task[][] {
  const seen = new Set<string>()
  return pages.map((page) => page.filter((task) => !seen.has(task.id) && seen.add(task.id)))
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One task; null when there is none that this person may see. */
export function useTask(id: string) {
  const { user } = useSession()
  return useQuery({
    queryKey: ['tasks', 'one', id, user?.id],
    queryFn: async ({ signal }): Promise<(Task & { address: { address: string } | null }) | null> => {
      if (!uuid.test(id)) return null
      const { data } = await supabase
        .from('tasks')
        .select(`${taskWithGiver},address:task_addresses(address)`)
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data as never
    },
  })
}

/** The caller's latest application to a task, or null. */
export function useMyApplication(taskId: string, userId: string, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['bookings', 'of-task', taskId, userId],
    enabled,
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
}

/** The tasks that the caller has applied to and not been turned away from. */
export function useAppliedTasks(userId: string | undefined, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['bookings', 'applied', userId],
    enabled: enabled && userId !== undefined,
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
}

/** How many people wait for the giver's answer on a task. */
export function useWaitingApplications(taskId: string, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['bookings', 'waiting', taskId],
    enabled,
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
}

type PostedTask = NewTask & { task_giver_id: string }

/** Posts a task under the id of its form: sent again after a lost answer, it is the same task. */
export function usePostTask({
  onPosted,
  onFailed,
}: {
  onPosted: () => void
  onFailed: (error: Error) => void
}) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async ({ address, ...task }: PostedTask) => {
      const id = await insertTask(task)
      if (address) await saveAddress(id, address)
    },
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['tasks'] })
      onPosted()
    },
    onError: onFailed,
  })
}

const alreadyThere = '23505'

async function insertTask({ id, ...task }: Omit<PostedTask, 'address'>): Promise<string> {
  const { data, error } = await supabase
    .from('tasks')
    .insert({ ...task, status: 'open', ...(id ? { id } : {}) })
    .select('id')
    .single()
  if (!error) return data.id
  if (!id || error.code !== alreadyThere) throw new PostgrestError(error)
  const { task_giver_id, ...changes } = task
  await supabase.from('tasks').update(changes).eq('id', id).throwOnError()
  return id
}

async function saveAddress(taskId: string, address: string): Promise<void> {
  const { error } = await supabase.from('task_addresses').insert({ task_id: taskId, address })
  if (error?.code === alreadyThere) {
    await supabase.from('task_addresses').update({ address }).eq('task_id', taskId).throwOnError()
  } else if (error) throw new PostgrestError(error)
}

type Callbacks = { onFailed: (error: Error) => void }

/** Applies to a task for the caller at the price that they saw, in dollars; the message may be ''. */
export function useApply({
  taskId,
  userId,
  amount,
  onApplied,
  onFailed,
}: Callbacks & { taskId: string; userId: string; amount: number; onApplied: () => void }) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (message: string) => {
      await supabase
        .from('bookings')
        .insert({
          task_id: taskId,
          task_doer_id: userId,
          message: message || null,
          status: 'pending',
          agreed_amount: amount,
        })
        .throwOnError()
    },
    onSuccess: onApplied,
    onError: onFailed,
    onSettled: () => {
      queryClient.invalidateQueries({ queryKey: ['bookings'] })
      queryClient.invalidateQueries({ queryKey: ['tasks', 'one', taskId] })
    },
  })
}

/** Takes an open task off the market; whoever applied is notified. */
export function useWithdrawTask({
  taskId,
  onWithdrawn,
  onFailed,
}: Callbacks & { taskId: string; onWithdrawn: () => void }) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async () => {
      await supabase.from('tasks').update({ status: 'cancelled' }).eq('id', taskId).throwOnError()
    },
    onSuccess: onWithdrawn,
    onError: onFailed,
    onSettled: () => {
      queryClient.invalidateQueries({ queryKey: ['tasks'] })
      queryClient.invalidateQueries({ queryKey: ['bookings'] })
    },
  })
}
