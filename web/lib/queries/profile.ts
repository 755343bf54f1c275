// The signed-in person's own profile, which the navigation and several screens show.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSession } from '../session.tsx'
import { supabase } from '../supabase.ts'
import { inCents } from './money.ts'

/** The cache key of a person's whole profile row; invalidate it after saving. */
export const profileKey = (userId: string | undefined) => ['profile', userId] as const

/** The person's own row of `profiles`; not fetched when nobody is signed in. */
export const myProfileQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: profileKey(userId),
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('profiles')
        .select('*')
        .eq('id', userId ?? '')
        .abortSignal(signal)
        .single()
        .throwOnError()
      return inCents(data, 'hourly_rate')
    },
  })

export function useMyProfile() {
  return useQuery(myProfileQuery(useSession().user?.id))
}
