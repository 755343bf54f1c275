// What the dashboard reads: five tasks by role, and the figures of its cards (specification 000 §2, §7).
import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'

const listLength = 5
const listColumns =
  'id, title, description, category, location, status, pay_amount, task_giver_id, created_at'

/** A giver's own newest tasks, or the newest open ones for everyone else; `total` counts all of a giver's. */
export function useDashboardTasks(userId: string, role: Role | null) {
  return useQuery({
    queryKey: ['tasks', 'dashboard', userId, role],
    enabled: role !== null,
    queryFn: async ({ signal }) => {
      const tasks = supabase.from('tasks').select(listColumns, { count: 'exact' })
      const chosen = role === 'task_giver' ? tasks.eq('task_giver_id', userId) : tasks.eq('status', 'open')
      const { data, count } = await chosen
        .order('created_at', { ascending: false })
        .limit(listLength)
        .abortSignal(signal)
        .throwOnError()
      return { tasks: data, total: count ?? data.length }
    },
  })
}

/** Dollars released to this person so far, after the platform fee and GST. */
export function useEarnings(userId: string) {
  return useQuery({
    queryKey: ['payments', 'earnings', userId],
    queryFn: async ({ signal }): Promise<number> => {
      const { data } = await supabase.rpc('my_earnings').abortSignal(signal).throwOnError()
      return Number(data)
    },
  })
}
