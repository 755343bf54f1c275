// Everybody with an account as the back office looks them up, and one of them with all that belongs to them. The database lets
// only admins read it.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../../shared/money.ts'
import { nextKey, olderThan, uniqueRows } from '../../../lib/queries/pages.ts'
import { readSuppressedAddress } from '../../../lib/queries/suppressedAddress.ts'
import { supabase } from '../../../lib/supabase.ts'
import { type CountQuery, countQuery, MAX_COUNTED } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

export const FILTERS = ['everyone', 'task_doer', 'task_giver', 'admin', 'suspended'] as const
export type Filter = (typeof FILTERS)[number]

type Key = { created_at: string; id: string } | undefined

async function findPeople(search: string, filter: Filter, after: Key, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_people', {
      query: search,
      filter,
      max_results: PAGE_SIZE,
      ...(after && { before_at: after.created_at, before_id: after.id }),
    })
    .abortSignal(signal)
    .throwOnError()
  const { data: held } = await supabase
    .from('user_roles')
    .select('user_id,role')
    .in(
      'user_id',
      data.map(({ id }) => id),
    )
    .abortSignal(signal)
    .throwOnError()
  return data.map((person) => ({
    ...person,
    roles: held.filter(({ user_id }) => user_id === person.id).map(({ role }) => role),
  }))
}
export type FoundPerson = Awaited<ReturnType<typeof findPeople>>[number]

/** Everyone whose name, e-mail address or phone number holds each word, newest first. */
export const directoryQuery = (search: string, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'directory', filter, search],
    initialPageParam: undefined as Key,
    queryFn: ({ pageParam, signal }) => findPeople(search, filter, pageParam, signal),
    getNextPageParam: nextKey(PAGE_SIZE),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

export const directoryCountQuery = (search: string, filter: Filter) =>
  countQuery('find_people', { query: search, filter })

/** One person, with the suspension that is in force and those before it, and why they are not mailed; null when there is none with that id. */
export const personQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'person', id],
    queryFn: async ({ signal }) => {
      if (!/^[\da-f-]{36}$/i.test(id)) return null
      const stopped = readSuppressedAddress(id, signal)
      const person = supabase
        .from('profiles')
        .select(
          `id, full_name, email, phone, avatar_url, city, bio, created_at, last_active, role, is_verified, verified_by_admin,
          verified_name, verification_notes, rating, total_reviews, completed_tasks, trust_score, deleted_at,
          verification:verifications!verifications_user_id_fkey(verification_status),
          user_roles(role), suspensions(id, reason, created_at, suspended_by, lifted_at)`,
        )
        .eq('id', id)
        .order('created_at', { referencedTable: 'suspensions', ascending: false })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      const [{ data }, stoppedEmails] = await Promise.all([person, stopped])
      return data && { ...data, roles: data.user_roles.map(({ role }) => role), stoppedEmails }
    },
  })
export type Whole = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof personQuery>['queryFn']>>>>

const LIST_SIZE = 10

const belongings = <Row extends { id: string; created_at: string }>(
  personId: string,
  what: string,
  read: (after: Key, signal: AbortSignal) => Promise<Row[]>,
) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'person', personId, what],
    initialPageParam: undefined as Key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: (last: Row[]): Key => nextKey(LIST_SIZE)(last),
    select: uniqueRows,
  })

type Owner = 'task_giver_id' | 'task_doer_id' | 'reviewee_id' | 'reviewer_id'

/** How many of them there are, up to MAX_COUNTED. */
export const belongingsCountQuery = (
  table: 'tasks' | 'bookings' | 'reviews',
  column: Owner,
  personId: string,
): CountQuery =>
  queryOptions({
    queryKey: ['admin', 'count', table, column, personId] as readonly unknown[],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from(table as 'bookings')
        .select('id', { count: 'exact', head: true })
        .eq(column as 'task_giver_id', personId)
        .abortSignal(signal)
        .throwOnError()
      return Math.min(count ?? 0, MAX_COUNTED)
    },
  })

/** The tasks that a person has posted, newest first. */
export const tasksOfQuery = (personId: string) =>
  belongings(personId, 'tasks', async (after, signal) => {
    const tasks = supabase
      .from('tasks')
      .select('id, title, status, pay_amount, created_at, hidden_for, on_hold')
      .eq('task_giver_id', personId)
    const { data } = await (after ? tasks.or(olderThan(after)) : tasks)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .limit(LIST_SIZE)
      .abortSignal(signal)
      .throwOnError()
    return data.map((task) => ({ ...task, pay_amount: fromDollars(Number(task.pay_amount)) }))
  })

/** The bookings of a person on the giver's or on the tasker's side, newest first. */
export const bookingsOfQuery = (personId: string, side: 'task_giver_id' | 'task_doer_id') =>
  belongings(personId, side, async (after, signal) => {
    const bookings = supabase
      .from('bookings')
      .select('id, status, agreed_amount, created_at, task_giver_id, task_doer_id, task:tasks(id, title)')
      .eq(side, personId)
    const { data } = await (after ? bookings.or(olderThan(after)) : bookings)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .limit(LIST_SIZE)
      .abortSignal(signal)
      .throwOnError()
    return data.map((booking) => ({ ...booking, agreed_amount: fromDollars(Number(booking.agreed_amount)) }))
  })

/** Reviews of a person, or by them, newest first. */
export const reviewsOfQuery = (personId: string, side: 'reviewee_id' | 'reviewer_id') =>
  belongings(personId, side, async (after, signal) => {
    const reviews = supabase
      .from('reviews')
      .select(
        `id, rating, comment, created_at, reviewer:public_profiles!reviewer_id(id, full_name),
        reviewee:public_profiles!reviewee_id(id, full_name), task:tasks(title)`,
      )
      .eq(side, personId)
    const { data } = await (after ? reviews.or(olderThan(after)) : reviews)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .limit(LIST_SIZE)
      .abortSignal(signal)
      .throwOnError()
    return data
  })
