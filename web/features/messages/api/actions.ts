// Writing to the other person of a booking (specification 001 §4).
import { answerTimeout, outcomeOf } from '../../../lib/delivery.ts'
import type { Senders } from '../../../lib/outboxSending.ts'
import { photoQuery, uploadPhoto } from '../../../lib/photos.ts'
import { queryClient } from '../../../lib/queryClient.ts'
import { supabase } from '../../../lib/supabase.ts'
import { addMessage } from './queries.ts'

/** Sends a message of the outbox, its photo first. */
export const sendMessage: Senders['message'] = async ({ id, content, photo }, onProgress) => {
  const { bookingId, senderId, receiverId, text } = content
  const path = photo ? `${bookingId}/${id}.jpg` : null
  const uploaded = photo && path ? await uploadPhoto('chat-photos', path, photo, onProgress) : 'sent'
  if (uploaded !== 'sent') return uploaded
  if (photo && path) queryClient.setQueryData(photoQuery('chat-photos', path).queryKey, photo)
  const answer = await supabase
    .from('messages')
    .upsert(
      { id, booking_id: bookingId, sender_id: senderId, receiver_id: receiverId, message: text, photo: path },
      { onConflict: 'id', ignoreDuplicates: true },
    )
    .abortSignal(answerTimeout())
  const outcome = await outcomeOf(answer, () => supabase.from('messages').select('id').eq('id', id))
  if (outcome !== 'sent') return outcome
  const sent = { id, sender_id: senderId, message: text, photo: path, status: 'sent', read_at: null } as const
  addMessage(bookingId, { ...sent, hidden: false, created_at: new Date().toISOString() })
  return 'sent'
}
