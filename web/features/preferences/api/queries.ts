// What an e-mail's token stands for.
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { supabase } from '../../../lib/supabase.ts'

const kinds = [
  'applications',
  'bookings',
  'payments',
  'complaints',
  'messages',
  'reviews',
  'verification',
  'account',
  'admin',
] as const
const subscription = z.object({ kinds: z.array(z.enum(kinds)), subscribed: z.boolean() })

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
