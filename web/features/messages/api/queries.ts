// Messages of one booking as the chat reads them (specification 001 §7): the newest page first, older ones as one scrolls.
import type { QueryData } from '@supabase/supabase-js'
import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive } from '../../../lib/live.ts'
import { uniqueRows } from '../../../lib/queries/pages.ts'
import { queryClient } from '../../../lib/queryClient.ts'
import { supabase } from '../../../lib/supabase.ts'
import { INBOX_KEY } from './inbox.ts'

const selectMessages = () =>
  supabase.from('chat_messages').select('id,sender_id,message,photo,status,read_at,created_at,hidden')

/** `hidden`: an administrator removed it; its text and photo are there for whoever wrote it, and nobody else. */
export type Message = ReturnType<typeof toMessage>

// A view's columns are not known to be always there; these are.
const toMessage = (row: QueryData<ReturnType<typeof selectMessages>>[number]) => ({
  ...row,
  id: row.id ?? '',
  sender_id: row.sender_id ?? '',
  message: row.message ?? '',
  created_at: row.created_at ?? '',
  hidden: row.hidden ?? false,
})

/** How often an open conversation is read again: seldom while its changes arrive by themselves. */
const LIVE_INTERVAL_MS = 30_000
const POLLING_INTERVAL_MS = 3000
/** Messages that are read at once. */
const PAGE_SIZE = 30

const messagesKey = (bookingId: string) => ['messages', bookingId] as const

/** The conversation so far as it is read, oldest first; the next page is the older one. */
const messagesQuery = (bookingId: string) =>
  infiniteQueryOptions({
    queryKey: messagesKey(bookingId),
    staleTime: 0,
    initialPageParam: null as Message | null,
    queryFn: async ({ pageParam: after, signal }) => {
      let page = selectMessages().eq('booking_id', bookingId)
      // Two bounds: the first is what an index goes by, the second leaves out what has been read of the same moment.
      if (after)
        page = page
          .lte('created_at', after.created_at)
          .or(`created_at.lt."${after.created_at}",id.lt.${after.id}`)
      const { data } = await page
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(PAGE_SIZE)
        .abortSignal(signal)
        .throwOnError()
      return data.map(toMessage)
    },
    getNextPageParam: (page: Message[]) => (page.length < PAGE_SIZE ? undefined : page.at(-1)),
    select: (data) => uniqueRows(data).reverse(),
  })

/** The same, kept current while it is shown. */
export function useMessages(bookingId: string) {
  const messages = messagesQuery(bookingId)
  const live = useLive([
    { table: 'messages', rows: `booking_id=eq.${bookingId}`, refresh: [[...messages.queryKey]] },
  ])
  return useInfiniteQuery({ ...messages, refetchInterval: live ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS })
}

/** Shows a message that has just arrived at the server as one of the conversation's, and has what it changes read again. */
export function addMessage(bookingId: string, message: Message) {
  queryClient.setQueryData<InfiniteData<Message[]>>(messagesKey(bookingId), (shown) => {
    const [newest, ...older] = shown?.pages ?? []
    if (!shown || !newest || newest.some(({ id }) => id === message.id)) return shown
    return { ...shown, pages: [[message, ...newest], ...older] }
  })
  readMessagesAgain(bookingId)
}

/** Reloads the conversation, and its entry in the drawer. */
export function readMessagesAgain(bookingId: string) {
  queryClient.invalidateQueries({ queryKey: messagesKey(bookingId) })
  queryClient.invalidateQueries({ queryKey: INBOX_KEY })
}

/** Marks what the person has received here as read, as it comes in. */
export function useMarkRead(bookingId: string, userId: string, messages: Message[] | undefined) {
  const unread =
    messages?.some(({ sender_id, read_at, hidden }) => sender_id !== userId && read_at === null && !hidden) ??
    false
  useEffect(() => {
    if (!unread) return
    supabase
      .from('messages')
      .update({ status: 'read', read_at: new Date().toISOString() })
      .eq('booking_id', bookingId)
      .eq('receiver_id', userId)
      .is('read_at', null)
      // A failure shows itself: the messages stay unread and are marked when they are read next.
      .then(() => readMessagesAgain(bookingId))
  }, [unread, bookingId, userId])
}
