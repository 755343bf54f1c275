// The applications of others that one signs in to with this account, and taking their access back.
import { isAuthError } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

export type Application = { id: string; name: string; scopes: Scope[]; grantedAt: string }
type Scope = 'openid' | 'profile' | 'email' | 'phone'

const applicationsKey = (userId: string) => ['applications', userId] as const

/** The newest first; null where the server lets nobody sign in elsewhere. */
export const applicationsQuery = (userId: string) =>
  queryOptions({
    queryKey: applicationsKey(userId),
    queryFn: async (): Promise<Application[] | null> => {
      const { data, error } = await supabase.auth.oauth.listGrants()
      if (isAuthError(error) && error.code === 'feature_disabled') return null
      if (error) throw error
      return data.map(({ client, scopes, granted_at }) => ({
        id: client.id,
        name: client.name,
        scopes: scopes as Scope[],
        grantedAt: granted_at,
      }))
    },
  })

export const revokeAccess = (userId: string): Action<Application> => ({
  invalidates: [applicationsKey(userId)],
  invalidatesOnError: true,
  run: async ({ id }) => {
    const { error } = await supabase.auth.oauth.revokeGrant({ clientId: id })
    if (error) throw error
  },
})
