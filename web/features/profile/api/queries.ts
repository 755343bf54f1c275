// Reading people and saving one's own profile (specification 001 §7).
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { profileKey } from '../../../lib/queries/profile.ts'
import { useUserId } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import type { BasicInfo, Settings } from '../schema.ts'
import type { PublicProfile } from '../types.ts'

/** Saves the part of one's profile that a form holds; the other parts stay as they are. */
export function useSaveProfile() {
  const userId = useUserId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (changes: BasicInfo | Settings) => {
      const now = new Date().toISOString()
      const stamp = 'full_name' in changes ? { last_active: now } : { updated_at: now }
      await supabase
        .from('profiles')
        .update({ ...changes, ...stamp })
        .eq('id', userId)
        .select('id')
        .single()
        .throwOnError()
    },
    onSuccess: () => {
      for (const shown of ['publicProfile', 'taskers', 'tasks', 'bookings'])
        queryClient.invalidateQueries({ queryKey: [shown] })
      return queryClient.invalidateQueries({ queryKey: profileKey(userId) })
    },
  })
}

/** What anyone may see of a person; null when there is none, or one without a name. */
export function usePublicProfile(id: string) {
  return useQuery({
    queryKey: ['publicProfile', id],
    queryFn: async ({ signal }): Promise<PublicProfile | null> => {
      const { data } = await supabase
        .from('public_profiles')
        .select('*')
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data?.full_name ? (data as PublicProfile) : null
    },
  })
}

/** Reviews of a person, newest first, each with who wrote it and for which task. */
export function useReviewsOf(id: string) {
  return useQuery({
    queryKey: ['reviews', id],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('reviews')
        .select(
          'id, rating, comment, created_at, task:tasks(title), reviewer:public_profiles!reviewer_id(full_name, avatar_url)',
        )
        .eq('reviewee_id', id)
        .order('created_at', { ascending: false })
        .limit(50)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}
