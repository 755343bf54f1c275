// The signed-in person's own profile, which the navigation and several screens show.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session.tsx'
import { supabase } from '../supabase.ts'

/** The cache key of a person's whole profile row; invalidate it after saving. */
export const profileKey = (userId: string | undefined) => ['profile', userId] as const

/** The signed-in person's own row of `profiles`; not fetched when nobody is signed in. */
export function useMyProfile() {
  const { user } = useSession()
  return useQuery({
    queryKey: profileKey(user?.id),
    enabled: user !== null,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('profiles')
        .select('*')
        .eq('id', user?.id ?? '')
        .abortSignal(signal)
        .single()
        .throwOnError()
      return data
    },
  })
}
