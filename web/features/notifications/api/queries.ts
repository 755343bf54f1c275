// A person's notifications as the bell reads them (specification 000 §6), kept current by realtime.
import type { QueryData } from '@supabase/supabase-js'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Language } from '../../../i18n/languages.ts'
import { notificationTexts } from '../../../i18n/written.ts'
import { useLive } from '../../../lib/live.ts'
import { RESTRICTIONS_KEY } from '../../../lib/queries/restrictions.ts'
import { supabase } from '../../../lib/supabase.ts'

/** How many of the newest the list shows (specification 000 §9). */
const LIST_SIZE = 10
/** How often the count is read again: seldom while changes arrive by themselves. */
const LIVE_INTERVAL_MS = 120_000
const POLLING_INTERVAL_MS = 30_000

const selectNotifications = () =>
  supabase
    .from('notifications')
    .select('id,key,params,title,message,link,read,created_at', { count: 'exact' })

export type Notification = QueryData<ReturnType<typeof selectNotifications>>[number]

/** Stands for everything that is read of a person's notifications. */
export const notificationsKey = (userId: string) => ['notifications', userId] as const

/** The newest ones, newest first, and how many there are in all. */
export const notificationsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...notificationsKey(userId), 'newest'],
    queryFn: async ({ signal }) => {
      const { data, count } = await selectNotifications()
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .order('id')
        .limit(LIST_SIZE)
        .abortSignal(signal)
        .throwOnError()
      return { newest: data, total: count ?? data.length }
    },
  })

/** Their words in a language: null in English, and where they cannot be loaded, for the rows themselves say it in English. */
export const notificationTextsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['notification-texts', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      notificationTexts(language).catch((error: unknown) => {
        console.warn(`The words of notifications in ${language} could not be loaded`, error)
        return null
      }),
  })

/** How many are unread, of all. */
const unreadNotificationsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...notificationsKey(userId), 'unread'],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from('notifications')
        .select('id', { count: 'exact', head: true })
        .eq('user_id', userId)
        .eq('read', false)
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })

/** The unread count, kept current with the list by every change of the person's rows; undefined until it is known. */
export function useUnreadNotifications(userId: string): number | undefined {
  const live = useLive([
    {
      table: 'notifications',
      rows: `user_id=eq.${userId}`,
      refresh: [[...notificationsKey(userId)], RESTRICTIONS_KEY],
    },
  ])
  const refetchInterval = live ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS
  return useQuery({ ...unreadNotificationsQuery(userId), refetchInterval }).data
}
