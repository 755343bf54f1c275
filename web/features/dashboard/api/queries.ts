// What the dashboard reads: what waits, five tasks by role, and the figures of its cards (specification 000 §2, §7).
import { queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../../shared/money.ts'
import { inCents } from '../../../lib/queries/money.ts'
import type { Role } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'

const LIST_LENGTH = 5
const COLUMNS =
  'id, title, description, category, location, status, pay_amount, task_giver_id, created_at, applicants:bookings(count)'

/**
 * A giver's own newest tasks, each with the number of its undecided applications, or the newest open ones for everyone
 * else, where only one's own application is seen and counted; `total` counts all of a giver's.
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
      const chosen = role === 'task_giver' ? tasks.eq('task_giver_id', userId) : tasks.eq('status', 'open')
      const { data, count } = await chosen
        .order('created_at', { ascending: false })
        .limit(LIST_LENGTH)
        .abortSignal(signal)
        .throwOnError()
      return {
        tasks: data.map(({ applicants, ...task }) => ({
          ...inCents(task, 'pay_amount'),
          applicants: applicants[0]?.count ?? 0,
        })),
        total: count ?? data.length,
      }
    },
  })

type ActionKind =
  | 'confirm'
  | 'answer_complaint'
  | 'pay'
  | 'finish'
  | 'asked'
  | 'choose'
  | 'payout_account'
  | 'add_bank'
  | 'work_ahead'
  | 'review'
  | 'get_verified'
  | 'verification_pending'
  | 'verification_rejected'
  | 'decide_verifications'
  | 'decide_complaints'
  | 'back_office'
export type ActionItem = Awaited<ReturnType<typeof readActionItems>>[number]

/** What waits for this person, most urgent first; the database says what belongs here (my_action_items). */
export const actionItemsQuery = (userId: string, role: Role | null | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'actionItems', userId],
    enabled: role !== undefined,
    queryFn: async ({ signal }) => {
      const items = await readActionItems(signal)
      if (role === 'admin') {
        const count = await waitingBesides(signal)
        return count === 0 ? items : [...items, { ...NOTHING_MORE, kind: 'back_office' as const, count }]
      }
      const asked = items.some(({ kind }) => kind === 'get_verified' || kind === 'payout_account')
      // One thing after the other: first the badge, then where the pay goes.
      if (role !== 'task_doer' || asked || (await hasBank(userId, signal))) return items
      return [...items, { ...NOTHING_MORE, kind: 'add_bank' as const }]
    },
  })

async function readActionItems(signal: AbortSignal) {
  const { data } = await supabase.rpc('my_action_items').abortSignal(signal).throwOnError()
  return data.map(({ kind, amount, ...item }) => ({
    ...item,
    kind: kind as ActionKind,
    amount: amount === null ? null : fromDollars(Number(amount)),
  }))
}

/** What an item names that is about no task. */
const NOTHING_MORE = {
  count: 1,
  title: '',
  person: '',
  task_id: '',
  booking_id: '',
  amount: null,
  due_at: '',
}

/** What an admin's overview counts besides what has a line of its own, and those suspended, about whom nothing is to be done. */
async function waitingBesides(signal: AbortSignal): Promise<number> {
  const { data } = await supabase.rpc('admin_overview').abortSignal(signal).throwOnError()
  const counted = data.filter(({ kind }) => !['verifications', 'complaints', 'suspended'].includes(kind))
  return counted.reduce((all, { count }) => all + count, 0)
}

async function hasBank(userId: string, signal: AbortSignal): Promise<boolean> {
  const { count } = await supabase
    .from('payout_accounts')
    .select('user_id', { count: 'exact', head: true })
    .eq('user_id', userId)
    .abortSignal(signal)
    .throwOnError()
  return count !== 0
}

/** What was released to this person so far, in cents, after the platform fee and GST. */
export const earningsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payments', 'earnings', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('my_earnings').abortSignal(signal).throwOnError()
      return fromDollars(data)
    },
  })

/** What a giver has paid so far, in cents, with fees, less what came back. */
export const spendingQuery = (userId: string, role: Role | null) =>
  queryOptions({
    queryKey: ['payments', 'spending', userId],
    enabled: role === 'task_giver',
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('my_spending').abortSignal(signal).throwOnError()
      return fromDollars(data)
    },
  })
