// Choosing what to hear of; unsubscribing with an e-mail's token, signed in or not.
import {
  type NotificationChoice,
  notificationSettingsKey,
  saveNotificationChoices,
} from '../../../lib/queries/notificationSettings.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { subscriptionKey } from './queries.ts'

export const saveChoice = (userId: string): Action<NotificationChoice> => ({
  invalidates: [notificationSettingsKey(userId)],
  callbacksAfterRefresh: true,
  run: (choice) => saveNotificationChoices([choice]),
})

export const setSubscription = (token: string): Action<boolean> => ({
  invalidates: [subscriptionKey(token)],
  callbacksAfterRefresh: true,
  run: async (subscribed) => {
    await supabase.rpc('set_email_subscription', { token, subscribed }).throwOnError()
  },
})
