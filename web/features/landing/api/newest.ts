// The newest open tasks that anyone may see; read when the reader comes to them.
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

export const NEWEST_COUNT = 4
const REFRESH_MS = 60_000

export const newestTasksQuery = queryOptions({
  queryKey: ['tasks', 'newest'],
  refetchInterval: REFRESH_MS,
  queryFn: async ({ signal }) => {
    const { data } = await supabase
      .from('tasks')
      .select('id, title, category, location, pay_amount, created_at')
      .eq('status', 'open')
      .is('hidden_for', null)
      .order('created_at', { ascending: false })
      .limit(NEWEST_COUNT)
      .abortSignal(signal)
      .throwOnError()
    return data.map((task) => inCents(task, 'pay_amount'))
  },
})
