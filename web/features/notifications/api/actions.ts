// Marking notifications as read (specification 000 §6); the list and the count are read again afterwards.
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { notificationsKey } from './queries.ts'

export const markNotificationRead = (userId: string, id: string): Action => ({
  invalidates: [notificationsKey(userId)],
  run: async () => {
    await supabase.from('notifications').update({ read: true }).eq('id', id).throwOnError()
  },
})

export const markAllNotificationsRead = (userId: string): Action => ({
  invalidates: [notificationsKey(userId)],
  callbacksAfterRefresh: true,
  run: async () => {
    await supabase
      .from('notifications')
      .update({ read: true })
      .eq('user_id', userId)
      .eq('read', false)
      .throwOnError()
  },
})
