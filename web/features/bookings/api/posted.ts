// A giver's own tasks without a booking: those that wait for a tasker, and those that were closed.
import type { QueryData } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

const selectPosted = () =>
  supabase
    .from('tasks')
    .select(
      'id,title,location,place_id,scheduled_date,pay_amount,status,hidden_for,on_hold,photos,created_at,updated_at,applicants:bookings(count)',
    )
    .eq('applicants.status', 'pending')

const toPosted = ({ applicants, ...task }: QueryData<ReturnType<typeof selectPosted>>[number]) => ({
  ...inCents(task, 'pay_amount'),
  applicants: applicants[0]?.count ?? 0,
})
export type PostedTask = ReturnType<typeof toPosted>

/** Newest first; `applicants` counts the applications that wait for an answer. */
export const postedTasksQuery = (userId: string) =>
  queryOptions({
    queryKey: ['tasks', 'posted', userId],
    queryFn: async ({ signal }) => {
      const { data } = await selectPosted()
        .eq('task_giver_id', userId)
        .in('status', ['open', 'asked', 'cancelled'])
        // The visits of a series are among the bookings.
        .is('series_id', null)
        .order('created_at', { ascending: false })
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data.map(toPosted)
    },
  })
