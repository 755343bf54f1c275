// Tasks as these screens read them (specification 001 §7), kept in the query cache.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Position } from '../../../../shared/distances.ts'
import { offerOptionsFrom } from '../../../lib/offers.ts'
import { CHANGE_COLUMNS, toChange } from '../../../lib/queries/changes.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { PAYMENT_COLUMNS, toPayment } from '../../../lib/queries/payment.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Browsing } from '../browsing.ts'
import { countNearbyTasks, nearbyTasks } from './nearbyTasks.ts'
import {
  bestTasks,
  countTasks,
  isNarrowed,
  type ListedTask,
  MAX_RANKED,
  openTasks,
  openTasksKey,
  PAGE_SIZES,
  TASK_COLUMNS,
  taskCountKey,
} from './openTasks.ts'

/** Where a page begins: after so many tasks of the list by date, with the database's best, or after a task near a point. */
type PageStart = number | 'best' | ListedTask

/** Open tasks, newest first unless sorted otherwise, no task twice; with `around`, those near that point. */
export function openTasksQuery(browsing: Browsing, around?: Position) {
  const size = PAGE_SIZES[browsing.sort]
  const ranked = browsing.sort === 'recommended' && !isNarrowed(browsing)
  const firstPage: PageStart = ranked ? 'best' : 0
  return infiniteQueryOptions({
    queryKey: around ? [...openTasksKey(browsing), around] : openTasksKey(browsing),
    initialPageParam: firstPage as PageStart,
    queryFn: ({ pageParam, signal }) => {
      if (around)
        return nearbyTasks(supabase, browsing, around, {
          after: typeof pageParam === 'object' ? pageParam : undefined,
          size,
          signal,
        })
      return typeof pageParam === 'number'
        ? openTasks(supabase, browsing, pageParam, signal)
        : bestTasks(supabase, browsing, signal)
    },
    getNextPageParam: (last, _pages, start): PageStart | undefined => {
      if (around) return nextKey(size)(last)
      if (typeof start !== 'number') return last.length < MAX_RANKED ? undefined : 0
      return last.length < size ? undefined : start + size
    },
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })
}

/** How many open tasks there are in all, up to MAX_COUNTED; with `around`, near that point. */
export const taskCountQuery = (browsing: Browsing, around?: Position) =>
  queryOptions({
    queryKey: around ? [...taskCountKey(browsing), browsing.km, around] : taskCountKey(browsing),
    queryFn: ({ signal }) =>
      around ? countNearbyTasks(supabase, browsing, around, signal) : countTasks(supabase, browsing, signal),
    placeholderData: keepPreviousData,
  })

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const selectTaskDetails = () =>
  supabase
    .from('tasks')
    .select(
      `${TASK_COLUMNS},series_id,repeat_times,address:task_addresses(address),point:task_points(latitude,longitude)`,
    )

const toTaskDetails = (row: QueryData<ReturnType<typeof selectTaskDetails>>[number]) =>
  inCents(row, 'pay_amount', 'expense_limit')
/** A task with its `address` and its exact `point`, which only its people see. */
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

/** The payment of the booking that a task was given to, for its giver and its tasker; null when there is none. */
export const taskPaymentQuery = (taskId: string, userId: string | undefined) =>
  queryOptions({
    queryKey: ['payments', 'of-task', taskId, userId],
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      if (!UUID.test(taskId)) return null
      const { data } = await supabase
        .from('payments')
        .select(
          `${PAYMENT_COLUMNS},booking:bookings!inner(status,changes:booking_changes(${CHANGE_COLUMNS}))`,
        )
        .eq('task_id', taskId)
        .in('booking.status', ['in_progress', 'completed'])
        .or(`payer_id.eq.${userId},payee_id.eq.${userId}`)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && { ...toPayment(data), changes: data.booking.changes.map(toChange) }
    },
  })

/** The price before fees and the limit for expenses that a task was given for, for its giver and its tasker; null when there is none. */
export const agreedPriceQuery = (taskId: string, userId: string | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'agreed', taskId, userId],
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      if (!UUID.test(taskId)) return null
      const { data } = await supabase
        .from('bookings')
        .select('agreed_amount,expense_limit')
        .eq('task_id', taskId)
        .in('status', ['accepted', 'in_progress', 'completed'])
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && inCents(data, 'agreed_amount', 'expense_limit')
    },
  })

/** The visit of a series that a task is, for its giver and its tasker; null when it is none. */
export const visitQuery = (taskId: string, userId: string | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'visit', taskId, userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('bookings')
        .select('visit_number,series:task_series(repeats,time_zone,starts_at,ends_on,visits,planned_times)')
        .eq('task_id', taskId)
        .not('visit_number', 'is', null)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })
export type Visit = Awaited<ReturnType<NonNullable<ReturnType<typeof visitQuery>['queryFn']>>>

export type MyApplication = NonNullable<Awaited<ReturnType<typeof readMyApplication>>>

/** The caller's latest application to a task, or null. */
export const myApplicationQuery = (taskId: string, userId: string) =>
  queryOptions({
    queryKey: ['bookings', 'of-task', taskId, userId],
    queryFn: ({ signal }) => readMyApplication(taskId, userId, signal),
  })

async function readMyApplication(taskId: string, userId: string, signal: AbortSignal) {
  const { data } = await supabase
    .from('bookings')
    .select(
      'id,status,passed_over,created_at,agreed_amount,expense_limit,offer_options,counter_state,counter_amount,answer_by',
    )
    .eq('task_id', taskId)
    .eq('task_doer_id', userId)
    .order('created_at', { ascending: false })
    .limit(1)
    .abortSignal(signal)
    .maybeSingle()
    .throwOnError()
  const offer_options = offerOptionsFrom(data?.offer_options ?? null)
  return data && { ...inCents(data, 'agreed_amount', 'counter_amount', 'expense_limit'), offer_options }
}

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
