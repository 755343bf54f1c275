// Notices that this device was signed out from elsewhere: at a message, and when it is looked at again after a while.
import type { RealtimeChannel } from '@supabase/supabase-js'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isLeaving } from '../lib/session.tsx'
import { forgetStoredSession } from '../lib/storedSession.ts'
import { supabase } from '../lib/supabase.ts'
import { toast } from '../ui/Toaster.tsx'

const CHECK_AFTER_MS = 5 * 60_000
/** How long after the server has closed the channel, as when its token has expired, it is joined again. */
const REJOIN_DELAY_MS = 1_000

/** For the signed-in person. */
export function useAccountWatch(userId: string) {
  const { t } = useTranslation()
  useEffect(() => {
    let left = false
    let checkedAt = Date.now()
    // supabase-js forgets a session that the service does not know any more, and the screens follow.
    const check = async () => {
      checkedAt = Date.now()
      // Whoever leaves by themselves knows.
      if (isLeaving()) return
      const { error } = await supabase.auth.getUser()
      if (error?.code === 'user_not_found') {
        forgetStoredSession()
        await supabase.auth.signOut({ scope: 'local' })
      } else if (error?.name !== 'AuthSessionMissingError') return
      if (isLeaving()) return
      toast.info(t('layout.signedOutElsewhere'), {
        id: 'signed-out-elsewhere',
        description: t('layout.signedOutElsewhereBody'),
      })
    }
    const look = () => {
      if (!document.hidden && Date.now() - checkedAt > CHECK_AFTER_MS) void check()
    }
    let channel: RealtimeChannel | null = null
    let rejoining: ReturnType<typeof setTimeout> | undefined
    const join = async () => {
      // The token must be there before the channel joins as somebody.
      await supabase.realtime.setAuth()
      if (left) return
      channel = supabase.channel(`account:${userId}`, { config: { private: true } })
      channel
        .on('broadcast', { event: 'sessions_ended' }, () => void check())
        .subscribe((status) => {
          if (status === 'CLOSED' && !left) rejoining = setTimeout(join, REJOIN_DELAY_MS)
        })
    }
    void join()
    document.addEventListener('visibilitychange', look)
    return () => {
      left = true
      document.removeEventListener('visibilitychange', look)
      clearTimeout(rejoining)
      if (channel) supabase.removeChannel(channel).catch(() => undefined) // it was away already
    }
  }, [userId, t])
}
