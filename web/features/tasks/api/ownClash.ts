// Whether a booking or an imported calendar of the caller leaves no time for a task.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import type { Task } from './openTasks.ts'

/**
 * The caller's accepted booking that leaves no time for the task, or a busy time of their calendars, without a title; null for none, or a
 * task without time or length.
 */
export const ownClashQuery = ({
  id,
  scheduled_date: at,
  duration_minutes: minutes,
}: Pick<Task, 'id' | 'scheduled_date' | 'duration_minutes'>) =>
  queryOptions({
    queryKey: ['bookings', 'clash', id, at, minutes],
    enabled: at !== null && minutes !== null,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('own_clash', { task_id: id })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      // The types do not know that a column of a function may be null.
      return data as { title: string | null; starts_at: string; ends_at: string } | null
    },
  })
