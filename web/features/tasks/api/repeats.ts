// The visits of a repeat while it is being written, and those that clash with the reader's own work.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Json } from '../../../lib/database.types.ts'
import type { Repeats } from '../../../lib/repeats.ts'
import { supabase } from '../../../lib/supabase.ts'

type RepeatPreview = { times: string[]; time_zone: string }

type Written = { repeats: Repeats | null; at: string | null; minutes: number | null; location: string }

/** The times of the visits and the clock at the place; an error says what the database would refuse. */
export const repeatPreviewQuery = ({ repeats, at, minutes, location }: Written) =>
  queryOptions({
    queryKey: ['repeatPreview', repeats, at, minutes, location],
    enabled: repeats !== null,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('preview_repeat', {
          repeats: repeats as Json,
          scheduled_date: at as string,
          duration_minutes: minutes as number,
          location,
        })
        .abortSignal(signal)
        .throwOnError()
      return data as RepeatPreview
    },
  })

/** The caller's own bookings at the time of visits of a task. */
export const visitClashesQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['bookings', 'visitClashes', taskId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('own_visit_clashes', { task_id: taskId })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
