// Writing to the other person of a booking (specification 001 §4).
import { PostgrestError } from '@supabase/supabase-js'
import { photoQuery, uploadPhoto } from '../../../lib/photos.ts'
import { queryClient } from '../../../lib/queryClient.ts'
import { supabase } from '../../../lib/supabase.ts'
import { addMessage } from './queries.ts'

/** A message as it is written; it has its id from then on. */
export type NewMessage = {
  id: string
  bookingId: string
  senderId: string
  receiverId: string
  text: string
}

const TIMEOUT_MS = 20_000
/** Answers of a server that is there and may well take the message a little later. */
const LATER = [401, 408, 429]

/**
 * Sends a message, its photo first, under its own id. Resolves to 'sent', also when it had arrived already; to 'unreachable' when nobody
 * knows whether it arrived; to the server's error when it is refused.
 */
export async function sendMessage(
  message: NewMessage,
  photo: Blob | undefined,
  onProgress: (share: number) => void,
): Promise<'sent' | 'unreachable' | Error> {
  const { id, bookingId, senderId, receiverId, text } = message
  const path = photo ? `${bookingId}/${id}.jpg` : null
  const uploaded = photo && path ? await uploadPhoto('chat-photos', path, photo, onProgress) : 'sent'
  if (uploaded !== 'sent') return uploaded
  if (photo && path) queryClient.setQueryData(photoQuery('chat-photos', path).queryKey, photo)
  const { error, status } = await supabase
    .from('messages')
    .upsert(
      { id, booking_id: bookingId, sender_id: senderId, receiver_id: receiverId, message: text, photo: path },
      { onConflict: 'id', ignoreDuplicates: true },
    )
    .abortSignal(AbortSignal.timeout(TIMEOUT_MS))
  if (error) {
    const refused = status >= 400 && status < 500 && !LATER.includes(status)
    return refused ? new PostgrestError(error) : 'unreachable'
  }
  const sent = { id, sender_id: senderId, message: text, photo: path, status: 'sent', read_at: null } as const
  addMessage(bookingId, { ...sent, hidden: false, created_at: new Date().toISOString() })
  return 'sent'
}
