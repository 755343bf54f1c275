// The services that an account is connected with, and what people change of that.

import type { UserIdentity } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { withFreshSignIn } from '../../../lib/freshSignIn.ts'
import type { ProviderId } from '../../../lib/providers.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const identitiesKey = (userId: string) => ['identities', userId] as const

/** Every way into the account, e-mail and phone among them. */
export const identitiesQuery = (userId: string) =>
  queryOptions({
    queryKey: identitiesKey(userId),
    queryFn: async (): Promise<UserIdentity[]> => {
      const { data, error } = await supabase.auth.getUserIdentities()
      if (error) throw error
      return data.identities
    },
  })

/** Goes to the service; the browser comes back to the Security tab. */
export const connectProvider: Action<ProviderId> = {
  run: (provider) =>
    withFreshSignIn(async () => {
      const redirectTo = new URL('/profile?tab=security', location.origin).href
      const { error } = await supabase.auth.linkIdentity({ provider, options: { redirectTo } })
      if (error) throw error
    }),
}

export const disconnectProvider = (userId: string): Action<UserIdentity> => ({
  invalidates: [identitiesKey(userId), ['account', userId]],
  invalidatesOnError: true,
  run: async (identity) => {
    await withFreshSignIn(async () => {
      const { error } = await supabase.auth.unlinkIdentity(identity)
      if (error) throw error
    })
    // The token that goes with the session says from then on what is left.
    await supabase.auth.refreshSession()
  },
})
