// Presence, typing and removed messages of a conversation: presence and broadcasts of a private channel that only the
// two people of the booking may join (policies on realtime.messages).
// https://supabase.com/docs/guides/realtime/authorization
import type { RealtimeChannel } from '@supabase/supabase-js'
import { useCallback, useEffect, useRef, useState } from 'react'
import { createStore } from '../../../lib/store.ts'
import { supabase } from '../../../lib/supabase.ts'
import { readMessagesAgain } from './queries.ts'

/** While somebody types, this is sent again so often … */
const SENT_EVERY_MS = 2_000
/** … and holds for so long after the last time. */
const HOLDS_MS = 5_000
/** How long after the server has closed the channel, as when its token has expired, it is joined again. */
const REJOIN_DELAY_MS = 1_000

/** The leaving of a channel: the next one of the same topic waits for it. */
const leaving = createStore<Promise<unknown>>(Promise.resolve())

/** `online`: the other has this conversation open. `tell(true)` on every key that is typed, `tell(false)` when it is sent. */
export function usePresence(bookingId: string, userId: string) {
  const [online, setOnline] = useState(false)
  const [typing, setTyping] = useState(false)
  const joined = useRef<RealtimeChannel | null>(null)
  const sentAt = useRef(0)

  useEffect(() => {
    let left = false
    let holding: ReturnType<typeof setTimeout> | undefined
    let rejoining: ReturnType<typeof setTimeout> | undefined
    const hear = (isTyping: boolean) => {
      clearTimeout(holding)
      setTyping(isTyping)
      if (isTyping) holding = setTimeout(() => setTyping(false), HOLDS_MS)
    }
    const join = async () => {
      await leaving.get()
      // The token must be there before the channel joins as somebody.
      await supabase.realtime.setAuth()
      if (left) return
      const channel = supabase.channel(`chat:${bookingId}`, {
        config: { private: true, presence: { key: userId } },
      })
      joined.current = channel
      channel
        .on('presence', { event: 'sync' }, () => {
          const others = Object.keys(channel.presenceState()).some((key) => key !== userId)
          setOnline(others)
          if (!others) hear(false)
        })
        // One's own other windows are no partner.
        .on('broadcast', { event: 'typing' }, ({ payload }) => {
          if (payload.by !== userId) hear(payload.typing === true)
        })
        // The database tells when an administrator has removed a message, or brought it back.
        .on('broadcast', { event: 'hidden' }, () => readMessagesAgain(bookingId))
        .subscribe((status) => {
          if (status === 'SUBSCRIBED') void channel.track({})
          else setOnline(false)
          if (status === 'CLOSED' && !left) rejoining = setTimeout(join, REJOIN_DELAY_MS)
        })
    }
    void join()
    return () => {
      left = true
      clearTimeout(holding)
      clearTimeout(rejoining)
      setOnline(false)
      setTyping(false)
      const channel = joined.current
      joined.current = null
      // Rejects for a channel that was closed before.
      if (channel) leaving.set(supabase.removeChannel(channel).catch(() => undefined))
    }
  }, [bookingId, userId])

  const tell = useCallback(
    (isTyping: boolean) => {
      const now = Date.now()
      if (isTyping && now - sentAt.current < SENT_EVERY_MS) return
      if (!isTyping && sentAt.current === 0) return
      sentAt.current = isTyping ? now : 0
      // Where the channel is not joined there is nobody to tell; nothing is sent over HTTP instead.
      if (joined.current?.state !== 'joined') return
      void joined.current.send({
        type: 'broadcast',
        event: 'typing',
        payload: { by: userId, typing: isTyping },
      })
    },
    [userId],
  )
  return { online, typing, tell }
}
