// A person's calendars: the secret address of their bookings, and the calendars of other programs that they import.
import { queryOptions } from '@tanstack/react-query'
import { config } from '../../../lib/config.ts'
import type { Tables } from '../../../lib/database.types.ts'
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

const importedKey = (userId: string) => ['importedCalendars', userId] as const

export type ImportedCalendar = Pick<
  Tables<'imported_calendars'>,
  'id' | 'name' | 'address' | 'read_at' | 'error' | 'busy_times'
> & {
  /** It waits to be read, or is being read. */
  isReading: boolean
}

const READING_INTERVAL_MS = 2000
const INTERVAL_MS = 60_000

/** How soon the list is read again. */
export const intervalOf = (calendars: ImportedCalendar[] | undefined) =>
  calendars?.some(({ isReading }) => isReading) ? READING_INTERVAL_MS : INTERVAL_MS

/** In the order in which they were added. */
export const importedQuery = (userId: string) =>
  queryOptions({
    queryKey: importedKey(userId),
    queryFn: async ({ signal }): Promise<ImportedCalendar[]> => {
      const { data } = await supabase
        .from('imported_calendars')
        .select('id,name,address,read_at,tried_at,checked_at,error,busy_times')
        .eq('user_id', userId)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ tried_at, checked_at, ...calendar }) => ({
        ...calendar,
        isReading: tried_at === null || checked_at === null || checked_at < tried_at,
      }))
    },
  })

/** Free times follow from it. */
const invalidates = (userId: string) => [importedKey(userId), ['freeSlots', userId], ['taskers']]

export const importCalendar = (userId: string): Action<{ address: string; name: string }> => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async (calendar) => {
    await supabase
      .from('imported_calendars')
      .insert({ user_id: userId, ...calendar })
      .throwOnError()
  },
})

export const refreshCalendar = (userId: string): Action<string> => ({
  invalidates: invalidates(userId),
  invalidatesOnError: true,
  run: async (id) => {
    await supabase.rpc('refresh_calendar', { calendar_id: id }).throwOnError()
  },
})

export const removeCalendar = (userId: string): Action<string> => ({
  invalidates: invalidates(userId),
  callbacksAfterRefresh: true,
  run: async (id) => {
    await supabase.from('imported_calendars').delete().eq('id', id).throwOnError()
  },
})
