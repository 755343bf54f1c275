// Messages of one booking as the chat reads them (specification 001 §7).
import type { QueryData } from '@supabase/supabase-js'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive } from '../../../lib/live.ts'
import { supabase } from '../../../lib/supabase.ts'
import { INBOX_KEY } from './inbox.ts'

const selectMessages = () =>
  supabase.from('messages').select('id,sender_id,message,status,read_at,created_at')

export type Message = QueryData<ReturnType<typeof selectMessages>>[number]

/** How often an open conversation is read again: seldom while its changes arrive by themselves. */
const LIVE_INTERVAL_MS = 30_000
const POLLING_INTERVAL_MS = 3000
/** The latest messages that are read at once. */
const MAX_MESSAGES = 300

/** The conversation, oldest first. */
export const messagesQuery = (bookingId: string) =>
  queryOptions({
    queryKey: ['messages', bookingId],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await selectMessages()
        .eq('booking_id', bookingId)
        .order('created_at', { ascending: false })
        .order('id')
        .limit(MAX_MESSAGES)
        .abortSignal(signal)
        .throwOnError()
      return data.reverse()
    },
  })

/** The same, kept current while it is shown. */
export function useMessages(bookingId: string) {
  const messages = messagesQuery(bookingId)
  const live = useLive([
    { table: 'messages', rows: `booking_id=eq.${bookingId}`, refresh: [messages.queryKey] },
  ])
  return useQuery({ ...messages, refetchInterval: live ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS })
}

/** Marks what the person has received here as read, as it comes in. */
export function useMarkRead(bookingId: string, userId: string, messages: Message[] | undefined) {
  const queryClient = useQueryClient()
  const unread =
    messages?.some((message) => message.sender_id !== userId && message.read_at === null) ?? false
  useEffect(() => {
    if (!unread) return
    supabase
      .from('messages')
      .update({ status: 'read', read_at: new Date().toISOString() })
      .eq('booking_id', bookingId)
      .eq('receiver_id', userId)
      .is('read_at', null)
      // A failure shows itself: the messages stay unread and are marked when they are read next.
      .then(() => {
        queryClient.invalidateQueries({ queryKey: ['messages', bookingId] })
        queryClient.invalidateQueries({ queryKey: INBOX_KEY })
      })
  }, [unread, bookingId, userId, queryClient])
}
