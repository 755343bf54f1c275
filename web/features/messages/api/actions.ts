// Writing to the other person of a booking (specification 001 §4).
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { INBOX_KEY } from './inbox.ts'
import { messagesQuery } from './queries.ts'

type Conversation = { bookingId: string; senderId: string; receiverId: string }

export const sendMessage = ({ bookingId, senderId, receiverId }: Conversation): Action<string> => ({
  invalidates: [messagesQuery(bookingId).queryKey, INBOX_KEY],
  run: async (message) => {
    await supabase
      .from('messages')
      .insert({ booking_id: bookingId, sender_id: senderId, receiver_id: receiverId, message })
      .throwOnError()
  },
})
