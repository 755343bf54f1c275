// Account data on the Security tab.
import { queryOptions } from '@tanstack/react-query'
import type { Database } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'

export type Session = Database['public']['Functions']['list_sessions']['Returns'][number]
export type Visibility = Database['public']['Enums']['profile_visibility']

export const accountKey = (userId: string) => ['account', userId] as const
export const sessionsKey = (userId: string) => ['sessions', userId] as const

/** The address one signs in with, the one that waits to be confirmed, and whether there is a password. */
export const accountQuery = (userId: string) =>
  queryOptions({
    queryKey: accountKey(userId),
    queryFn: async ({ signal }) => {
      const [{ data, error }, password] = await Promise.all([
        supabase.auth.getUser(),
        supabase.rpc('has_password').abortSignal(signal).throwOnError(),
      ])
      if (error) throw error
      const { email = '', new_email } = data.user
      return { email, newEmail: new_email || null, hasPassword: password.data }
    },
  })

/** Where one is signed in: this device first, then the last used. */
export const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: sessionsKey(userId),
    queryFn: async ({ signal }) =>
      (await supabase.rpc('list_sessions').abortSignal(signal).throwOnError()).data,
  })

/** Why the account cannot be deleted now, as the code of an error; null when it can. */
export const deletionObstacleQuery = (userId: string) =>
  queryOptions({
    queryKey: ['deletionObstacle', userId],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<string | null> =>
      (await supabase.rpc('account_deletion_blocker').abortSignal(signal).throwOnError()).data || null,
  })

export type DataExport = Pick<
  Database['public']['Tables']['data_exports']['Row'],
  'status' | 'requested_at' | 'expires_at' | 'files' | 'size'
>

export const latestExportKey = (userId: string) => ['dataExport', userId] as const

/** The newest export; null when none was requested. Asked again while it is being made. */
export const latestExportQuery = (userId: string) =>
  queryOptions({
    queryKey: latestExportKey(userId),
    queryFn: async ({ signal }): Promise<DataExport | null> => {
      const { data } = await supabase
        .from('data_exports')
        .select('status, requested_at, expires_at, files, size')
        .eq('user_id', userId)
        .order('requested_at', { ascending: false })
        .limit(1)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      // The row says so once the schedule has run.
      if (data?.status === 'ready' && Date.parse(data.expires_at) <= Date.now())
        return { ...data, status: 'expired' }
      return data
    },
    refetchInterval: ({ state }) => (state.data?.status === 'requested' ? 3000 : false),
  })
