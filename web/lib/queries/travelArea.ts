// Where a tasker starts from and how far they travel; nobody else reads it.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

export const travelAreaKey = (userId: string | undefined) => ['travelArea', userId] as const

/** The person's own travel area; null for none. */
export const travelAreaQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: travelAreaKey(userId),
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('travel_areas')
        .select('place_id,latitude,longitude,radius_km')
        .eq('user_id', userId ?? '')
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })
