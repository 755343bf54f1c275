// A person's notifications as the bell and their page read them (specification 000 §6), kept current by realtime.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'
import { notificationTexts } from '../../../i18n/databaseTexts.ts'
import type { Language } from '../../../i18n/languages.ts'
import { useLive } from '../../../lib/live.ts'
import { nextKey, olderThan, uniqueRows } from '../../../lib/queries/pages.ts'
import { RESTRICTIONS_KEY } from '../../../lib/queries/restrictions.ts'
import { supabase } from '../../../lib/supabase.ts'

/** How many of the newest the bell's list shows (specification 000 §9). */
const LIST_SIZE = 10
const PAGE_SIZE = 30
/** The filters of the page. */
export const SHOWN = ['all', 'unread'] as const
export type Shown = (typeof SHOWN)[number]
/** How often the count is read again: seldom while changes arrive by themselves. */
const LIVE_INTERVAL_MS = 120_000
const POLLING_INTERVAL_MS = 30_000

const selectNotifications = () =>
  supabase.from('notifications').select('id,key,params,title,message,link,read,created_at')

export type Notification = QueryData<ReturnType<typeof selectNotifications>>[number]

/** Stands for everything that is read of a person's notifications. */
export const notificationsKey = (userId: string) => ['notifications', userId] as const

/** The newest ones, newest first. */
export const notificationsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...notificationsKey(userId), 'newest'],
    queryFn: async ({ signal }) => {
      const { data } = await selectNotifications()
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(LIST_SIZE)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

type Key = { created_at: string; id: string } | undefined

/** All of them, newest first, page by page. */
export const allNotificationsQuery = (userId: string, shown: Shown) =>
  infiniteQueryOptions({
    queryKey: [...notificationsKey(userId), 'all', shown],
    initialPageParam: undefined as Key,
    queryFn: async ({ pageParam, signal }) => {
      let page = selectNotifications().eq('user_id', userId)
      if (shown === 'unread') page = page.eq('read', false)
      if (pageParam) page = page.or(olderThan(pageParam))
      const { data } = await page
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(PAGE_SIZE)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
    getNextPageParam: (last: Notification[]): Key => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
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

/** How many there are, in all or unread. */
export const notificationCountQuery = (userId: string, shown: Shown) =>
  queryOptions({
    queryKey: [...notificationsKey(userId), 'count', shown],
    queryFn: async ({ signal }) => {
      let counted = supabase
        .from('notifications')
        .select('id', { count: 'exact', head: true })
        .eq('user_id', userId)
      if (shown === 'unread') counted = counted.eq('read', false)
      return (await counted.abortSignal(signal).throwOnError()).count ?? 0
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
  return useQuery({ ...notificationCountQuery(userId, 'unread'), refetchInterval }).data
}
