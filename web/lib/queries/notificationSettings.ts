// The person's notification choices by kind. The profile's Security tab and the settings page show them.
import { queryOptions } from '@tanstack/react-query'
import type { Database } from '../database.types.ts'
import { supabase } from '../supabase.ts'

type NotificationKind = Database['public']['Enums']['notification_kind']
export type NotificationChoice = { kind: NotificationKind; bell: boolean; email: boolean; push: boolean }

export const notificationSettingsKey = (userId: string) => ['notificationSettings', userId] as const

/** One row per kind that concerns the person: {kind, bell, email, push, required}. */
export const notificationSettingsQuery = (userId: string) =>
  queryOptions({
    queryKey: notificationSettingsKey(userId),
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('notification_settings').abortSignal(signal).throwOnError()
      return data
    },
  })

/** Saves the signed-in person's choices for some kinds. */
export async function saveNotificationChoices(choices: NotificationChoice[]): Promise<void> {
  await supabase
    .from('notification_preferences')
    .upsert(choices, { onConflict: 'user_id,kind' })
    .throwOnError()
}
