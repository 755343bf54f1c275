// The secret address of a person's calendar of bookings.
import { queryOptions } from '@tanstack/react-query'
import { config } from '../../../lib/config.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const addressKey = (userId: string) => ['calendarAddress', userId] as const

/** The address that a calendar program reads; null while the person has none. */
export const addressQuery = (userId: string) =>
  queryOptions({
    queryKey: addressKey(userId),
    queryFn: async ({ signal }): Promise<string | null> => {
      const { data } = await supabase
        .from('calendar_addresses')
        .select('token')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && `${config.supabaseUrl}/functions/v1/calendar-feed?token=${data.token}`
    },
  })

/** Makes an address, in place of the one before. */
export const createAddress = (userId: string): Action => ({
  invalidates: [addressKey(userId)],
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.rpc('create_calendar_address').throwOnError()
  },
})

export const removeAddress = (userId: string): Action => ({
  invalidates: [addressKey(userId)],
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase.from('calendar_addresses').delete().eq('user_id', userId).throwOnError()
  },
})
