// Queries of the dashboard: pending items, five tasks by role, and the figures of its cards (specification 000 §2,
// §7).
import { queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../../shared/money.ts'
import { CHANGE_COLUMNS, toChange } from '../../../lib/queries/changes.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { PAYMENT_COLUMNS, toPayment } from '../../../lib/queries/payment.ts'
import type { Role } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'

const LIST_LENGTH = 5
const COLUMNS =
  `id, title, description, category, location, status, pay_amount, task_giver_id, created_at, on_hold,
  applicants:bookings(count), taken:bookings(status,agreed_amount,payment:payments(${PAYMENT_COLUMNS}),changes:booking_changes(${CHANGE_COLUMNS}))` as const

/**
 * A giver's own newest tasks, each with the number of its undecided applications. Everyone else gets the newest open
 * ones of others, where only their own application is visible and counted. `total` counts all of a giver's. `agreed` and
 * `payment` are of the booking that the task was given to.
 */
export const dashboardTasksQuery = (userId: string, role: Role | null) =>
  queryOptions({
    queryKey: ['tasks', 'dashboard', userId, role],
    enabled: role !== null,
    queryFn: async ({ signal }) => {
      const tasks = supabase
        .from('tasks')
        .select(COLUMNS, { count: 'exact' })
        .eq('applicants.status', 'pending')
        .in('taken.status', ['accepted', 'in_progress', 'completed'])
      const chosen =
        role === 'task_giver'
          ? tasks.eq('task_giver_id', userId)
          : tasks.eq('status', 'open').is('hidden_for', null).neq('task_giver_id', userId)
      const { data, count } = await chosen
        .order('created_at', { ascending: false })
        .limit(LIST_LENGTH)
        .abortSignal(signal)
        .throwOnError()
      return {
        tasks: data.map(({ applicants, taken, ...task }) => ({
          ...inCents(task, 'pay_amount'),
          applicants: applicants[0]?.count ?? 0,
          agreed: taken[0] ? fromDollars(Number(taken[0].agreed_amount)) : null,
          payment:
            taken[0]?.payment && taken[0].status !== 'accepted'
              ? { ...toPayment(taken[0].payment), changes: taken[0].changes.map(toChange) }
              : null,
        })),
        total: count ?? data.length,
      }
    },
  })

/** The amount released to this person so far, in cents, after the platform fee and the tax. */
export const earningsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payments', 'earnings', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('my_earnings').abortSignal(signal).throwOnError()
      return fromDollars(data)
    },
  })

/** The amount a giver has paid so far, in cents, with fees, less refunds. */
export const spendingQuery = (userId: string, role: Role | null) =>
  queryOptions({
    queryKey: ['payments', 'spending', userId],
    enabled: role === 'task_giver',
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('my_spending').abortSignal(signal).throwOnError()
      return fromDollars(data)
    },
  })
