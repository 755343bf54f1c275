// The subscription behind an e-mail's token, and quiet hours.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import { z } from '../../../lib/zod.ts'

const KINDS = [
  'applications',
  'bookings',
  'payments',
  'complaints',
  'messages',
  'reviews',
  'verification',
  'account',
  'admin',
  'alerts',
] as const
const subscription = z.object({ kinds: z.array(z.enum(KINDS)), subscribed: z.boolean() })

/** Times of day by the marketplace's clock, '22:00'. */
export type QuietHours = { starts: string; ends: string }

export const quietHoursKey = (userId: string) => ['quietHours', userId] as const

/** Null for none. */
export const quietHoursQuery = (userId: string) =>
  queryOptions({
    queryKey: quietHoursKey(userId),
    queryFn: async ({ signal }): Promise<QuietHours | null> => {
      const { data } = await supabase
        .from('quiet_hours')
        .select('starts,ends')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && { starts: data.starts.slice(0, 5), ends: data.ends.slice(0, 5) }
    },
  })

export const subscriptionKey = (token: string) => ['emailSubscription', token] as const

/** {kinds, subscribed}; null when the token is none of ours. */
export const subscriptionQuery = (token: string) =>
  queryOptions({
    queryKey: subscriptionKey(token),
    queryFn: async ({ signal }) => {
      if (!z.uuid().safeParse(token).success) return null
      const { data } = await supabase.rpc('email_subscription', { token }).abortSignal(signal).throwOnError()
      return data === null ? null : subscription.parse(data)
    },
  })
