// Messages of one booking as the chat reads and writes them (specification 001 §4, §7).
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Tables } from '../../../lib/database.types.ts'
import { useLive } from '../../../lib/live.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'

export type Message = Pick<
  Tables<'messages'>,
  'id' | 'sender_id' | 'message' | 'status' | 'read_at' | 'created_at'
>

/** How often (ms) an open conversation looks for news: slowly when it hears of them. */
const every = { heard: 30_000, unheard: 3000 }
/** The latest messages that are read at once. */
const most = 300

const key = (bookingId: string) => ['messages', bookingId] as const

/** The conversation, oldest first; kept current while it is open. */
export function useMessages(bookingId: string) {
  const live = useLive([{ table: 'messages', rows: `booking_id=eq.${bookingId}`, refresh: [key(bookingId)] }])
  return useQuery({
    queryKey: key(bookingId),
    staleTime: 0,
    refetchInterval: live ? every.heard : every.unheard,
    queryFn: async ({ signal }): Promise<Message[]> => {
      const { data } = await supabase
        .from('messages')
        .select('id,sender_id,message,status,read_at,created_at')
        .eq('booking_id', bookingId)
        .order('created_at', { ascending: false })
        .order('id')
        .limit(most)
        .abortSignal(signal)
        .throwOnError()
      return data.reverse()
    },
  })
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
      // A failure shows itself: the messages stay unread and are marked at the next look.
      .then(() => queryClient.invalidateQueries({ queryKey: ['messages'] }))
  }, [unread, bookingId, userId, queryClient])
}

export function useSend({
  bookingId,
  senderId,
  receiverId,
  onSent,
  onFailed,
}: {
  bookingId: string
  senderId: string
  receiverId: string
  onSent: () => void
  onFailed: (error: Error) => void
}) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (message: string) => {
      await supabase
        .from('messages')
        .insert({ booking_id: bookingId, sender_id: senderId, receiver_id: receiverId, message })
        .throwOnError()
    },
    onSuccess: async () => {
      onSent()
      await queryClient.invalidateQueries({ queryKey: key(bookingId) })
    },
    onError: onFailed,
  })
}
