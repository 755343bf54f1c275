// Initial values of a new task: the tasker who is asked first, and a past task to repeat.
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'
import { FIELD_COLUMNS } from '../fields.ts'
import { type TaskForm, taskFormFrom } from '../schema.ts'
import { UUID } from './queries.ts'

export type AskedTasker = { id: string; full_name: string; avatar_url: string | null }

/** `city` and `km` are null where the profile names no known place; `reach` is within, beyond or unknown. */
type AskedDistance = { city: string | null; km: number | null; reach: string }

/** The tasker with that id; null when there is none who could be asked. */
export const askedTaskerQuery = (id: string) =>
  queryOptions({
    queryKey: ['publicProfile', id, 'asked'],
    queryFn: async ({ signal }): Promise<AskedTasker | null> => {
      if (!UUID.test(id)) return null
      const { data } = await supabase
        .from('public_profiles')
        .select('full_name,avatar_url')
        .eq('id', id)
        .eq('is_tasker', true)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data?.full_name ? { id, full_name: data.full_name, avatar_url: data.avatar_url } : null
    },
  })

/** How far that tasker is from the place that a text names, and whether they travel there; null if it names none. */
export const askedDistanceQuery = (tasker: string, location: string) =>
  queryOptions({
    queryKey: ['askedDistance', tasker, location],
    enabled: location !== '',
    // Asking again would count again.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<AskedDistance | null> => {
      const { data } = await supabase
        .rpc('tasker_distance', { tasker, location })
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

/** A task of the caller's own as a form to post again, at no time yet; null when there is none. */
export const repeatedTaskQuery = (id: string, userId: string) =>
  queryOptions({
    queryKey: ['tasks', 'repeated', id, userId],
    // It is read once, so that typed text stays.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Partial<TaskForm> | null> => {
      if (!UUID.test(id)) return null
      const { data } = await supabase
        .from('tasks')
        .select(`id${FIELD_COLUMNS},address:task_addresses(address),point:task_points(latitude,longitude)`)
        .eq('id', id)
        .eq('task_giver_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return (
        data &&
        taskFormFrom({
          ...inCents(data, 'pay_amount', 'expense_limit'),
          address: data.address?.address ?? '',
        })
      )
    },
  })
