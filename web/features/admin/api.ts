// What the admin's page reads and changes (specification 000 §7); the database lets only admins do either.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Tables } from '../../lib/database.types.ts'
import { useUserId } from '../../lib/session.tsx'
import { supabase } from '../../lib/supabase.ts'

export type Person = Tables<'profiles'>

const key = ['admin', 'profiles']

/** Every profile, newest first. */
export function useProfiles(allowed: boolean) {
  return useQuery({
    queryKey: key,
    enabled: allowed,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('profiles')
        .select('*')
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}

/** Sets or removes a profile's verification; the notes are kept either way. */
export function useVerifyPerson() {
  const adminId = useUserId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, verified, notes }: { id: string; verified: boolean; notes: string }) => {
      await supabase
        .from('profiles')
        .update({
          verified_by_admin: verified,
          verification_notes: notes.trim() || null,
          verified_at: verified ? new Date().toISOString() : null,
          verified_by: verified ? adminId : null,
        })
        .eq('id', id)
        .select('id')
        .single()
        .throwOnError()
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: key }),
  })
}
