// Choosing notifications; unsubscribing with an e-mail's token, signed in or not.

import { endPush, pushKey, startPush } from '../../../lib/push.ts'
import {
  type NotificationChoice,
  notificationSettingsKey,
  saveNotificationChoices,
} from '../../../lib/queries/notificationSettings.ts'
import { resumeEmails, suppressedAddressKey } from '../../../lib/queries/suppressedAddress.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { type QuietHours, quietHoursKey, subscriptionKey } from './queries.ts'

export const saveChoice = (userId: string): Action<NotificationChoice> => ({
  invalidates: [notificationSettingsKey(userId)],
  callbacksAfterRefresh: true,
  run: (choice) => saveNotificationChoices([choice]),
})

/** Push to this browser, on or off. */
export const setPush = (userId: string): Action<boolean> => ({
  invalidates: [pushKey(userId)],
  callbacksAfterRefresh: true,
  run: (on) => (on ? startPush() : endPush()),
})

/** Null ends them. */
export const saveQuietHours = (userId: string): Action<QuietHours | null> => ({
  invalidates: [quietHoursKey(userId)],
  callbacksAfterRefresh: true,
  run: async (hours) => {
    const table = supabase.from('quiet_hours')
    if (hours) await table.upsert(hours, { onConflict: 'user_id' }).throwOnError()
    else await table.delete().eq('user_id', userId).throwOnError()
  },
})

export const setSubscription = (token: string): Action<boolean> => ({
  invalidates: [subscriptionKey(token)],
  callbacksAfterRefresh: true,
  run: async (subscribed) => {
    await supabase.rpc('set_email_subscription', { token, subscribed }).throwOnError()
  },
})

/** E-mails to the person's own address, after it bounced or they had marked one as spam. */
export const resumeOwnEmails = (userId: string): Action => ({
  invalidates: [suppressedAddressKey(userId)],
  callbacksAfterRefresh: true,
  run: () => resumeEmails(userId),
})
