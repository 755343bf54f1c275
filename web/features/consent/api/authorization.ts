// A third-party application's request, and the person's decision. Both reject with the service's error.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

/** The requested access and its client, or the address to go to if the person approved the same before. */
export type Authorization =
  | { redirectUrl: string }
  | { redirectUrl: null; application: string; host: string; email: string; scopes: Scope[] }

/** The scopes that the page has words for; a server with others names them as they are. */
type Scope = 'openid' | 'profile' | 'email' | 'phone'

/** Null for a request that is unknown, over, or older than ten minutes. */
export const authorizationQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: ['authorization', userId, id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Authorization | null> => {
      const { data, error } = await supabase.auth.oauth.getAuthorizationDetails(id)
      if (error && (error.status === 404 || error.status === 400)) return null
      if (error) throw error
      if ('redirect_url' in data) return { redirectUrl: data.redirect_url }
      const { host } = new URL(data.redirect_uri)
      return {
        redirectUrl: null,
        application: data.client.name || host,
        host,
        email: data.user.email,
        scopes: data.scope.split(' ') as Scope[],
      }
    },
  })

/** Resolves to where the browser goes on to. */
export const decide = (id: string): Action<'approve' | 'deny', string> => ({
  run: async (decision) => {
    const { oauth } = supabase.auth
    const options = { skipBrowserRedirect: true }
    const { data, error } =
      decision === 'approve'
        ? await oauth.approveAuthorization(id, options)
        : await oauth.denyAuthorization(id, options)
    if (error) throw error
    return data.redirect_url
  },
})

/** The page comes back after another account has signed in. */
export const signOutHere: Action = {
  run: async () => {
    const { error } = await supabase.auth.signOut({ scope: 'local' })
    if (error) throw error
  },
}
