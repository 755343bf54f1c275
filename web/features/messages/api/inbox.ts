// Unread messages and the drawer's conversations (specification 000 §6 'Messages drawer'). Realtime refreshes them.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive, type Watch } from '../../../lib/live.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Verifiable } from '../../../ui/VerifiedMark.tsx'

/** How often what is unread is read again: seldom while messages arrive by themselves. */
const LIVE_INTERVAL_MS = 120_000
const POLLING_INTERVAL_MS = 30_000
/** An open drawer without realtime. */
const OPEN_POLLING_INTERVAL_MS = 5_000

/** Stands for all that changes with a message that comes in or is read. */
export const INBOX_KEY = ['inbox'] as const
const inboxKey = (userId: string) => [...INBOX_KEY, userId]

const received = (userId: string): Watch => ({
  table: 'messages',
  rows: `receiver_id=eq.${userId}`,
  refresh: [inboxKey(userId)],
})

/** All messages that the person has received and not read. */
const unreadTotalQuery = (userId: string) =>
  queryOptions({
    queryKey: [...inboxKey(userId), 'unread total'],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from('messages')
        .select('id', { count: 'exact', head: true })
        .eq('receiver_id', userId)
        .is('read_at', null)
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })

/** Their number, kept current; undefined until it is known. */
export function useUnreadMessages(userId: string): number | undefined {
  const live = useLive([received(userId)])
  const refetchInterval = live ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS
  return useQuery({ ...unreadTotalQuery(userId), refetchInterval }).data
}

/** The number of unread messages of each booking that has some. */
const unreadByBookingQuery = (userId: string) =>
  queryOptions({
    queryKey: [...inboxKey(userId), 'unread by booking'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('unread_conversations')
        .select('booking_id,unread_count')
        .abortSignal(signal)
        .throwOnError()
      return new Map(data.map(({ booking_id, unread_count }) => [booking_id, unread_count ?? 0]))
    },
  })

/** Of one booking. The floating button, which is on every page, keeps it current. */
export function useUnreadOf(bookingId: string, userId: string): number {
  return useQuery(unreadByBookingQuery(userId)).data?.get(bookingId) ?? 0
}

/** So many past bookings are named at once; the next ones follow as these are read. */
const PAST_SHOWN = 20

/** The titles of these bookings' tasks. */
const titlesQuery = (userId: string, bookingIds: string[]) =>
  queryOptions({
    queryKey: [...inboxKey(userId), 'titles', bookingIds],
    enabled: bookingIds.length > 0,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('bookings')
        .select('id,task:tasks(title)')
        .in('id', bookingIds)
        .abortSignal(signal)
        .throwOnError()
      return new Map(data.map(({ id, task }) => [id, task.title]))
    },
  })

export type PastUnread = { bookingId: string; title: string; unread: number }

/**
 * The bookings with unread messages that are none of the conversations, for they are over, and how many messages that are in all.
 * Null without one, and until all is known.
 */
export function useUnreadElsewhere(
  userId: string,
  conversations: ConversationSummary[] | undefined,
): { count: number; bookings: PastUnread[] } | null {
  const unread = useQuery(unreadByBookingQuery(userId)).data
  const listed = new Set(conversations?.map(({ bookingId }) => bookingId))
  const elsewhere = [...(unread ?? [])].flatMap(([bookingId, count]) =>
    bookingId && conversations && !listed.has(bookingId) ? [{ bookingId, unread: count }] : [],
  )
  const shown = elsewhere.slice(0, PAST_SHOWN)
  const ids = shown.map(({ bookingId }) => bookingId)
  const titles = useQuery({ ...titlesQuery(userId, ids), placeholderData: keepPreviousData }).data
  if (elsewhere.length === 0 || !titles) return null
  return {
    count: elsewhere.reduce((sum, booking) => sum + booking.unread, 0),
    bookings: shown.map((booking) => ({ ...booking, title: titles.get(booking.bookingId) ?? '' })),
  }
}

/** A conversation as the drawer shows it. */
export type ConversationSummary = {
  bookingId: string
  otherId: string
  otherName: string | null
  otherAvatar: string | null
  other: Verifiable
  title: string
  /** Empty for a photo without text, null where nothing was written yet. */
  lastMessage: string | null
  lastHasPhoto: boolean
  lastAt: string | null
  /** The last message is one's own. */
  lastIsOwn: boolean
  unread: number
}

/** The conversations of bookings that are accepted or in progress, newest message first, silent ones last. */
const conversationsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...inboxKey(userId), 'conversations'],
    queryFn: async ({ signal }): Promise<ConversationSummary[]> => {
      const { data } = await supabase
        .from('conversations')
        .select(
          `booking_id,task_title,other_id,other_name,other_avatar_url,other_role,other_is_verified,
          last_message,last_message_at,last_sender_id,last_has_photo,unread_count`,
        )
        .order('last_message_at', { ascending: false, nullsFirst: false })
        .order('booking_id')
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => ({
        bookingId: row.booking_id ?? '',
        otherId: row.other_id ?? '',
        otherName: row.other_name,
        otherAvatar: row.other_avatar_url,
        other: { role: row.other_role, is_verified: row.other_is_verified },
        title: row.task_title ?? '',
        lastMessage: row.last_message,
        lastAt: row.last_message_at,
        lastHasPhoto: row.last_has_photo ?? false,
        lastIsOwn: row.last_sender_id === userId,
        unread: row.unread_count ?? 0,
      }))
    },
  })

/** The same, kept current by messages in both directions and by bookings that begin or end. */
export function useConversations(userId: string) {
  const refresh = [inboxKey(userId)]
  const live = useLive([
    received(userId),
    { table: 'messages', rows: `sender_id=eq.${userId}`, refresh },
    { table: 'bookings', rows: `task_giver_id=eq.${userId}`, refresh },
    { table: 'bookings', rows: `task_doer_id=eq.${userId}`, refresh },
  ])
  const conversations = useQuery({
    ...conversationsQuery(userId),
    staleTime: 0,
    refetchInterval: live ? LIVE_INTERVAL_MS : OPEN_POLLING_INTERVAL_MS,
  })
  // Without a network the list says so.
  const error = conversations.isPaused ? null : conversations.error
  useEffect(() => {
    // Specification 000 §8: conversation load errors are only logged.
    if (error) console.error('The conversations could not be loaded:', error)
  }, [error])
  return conversations
}
