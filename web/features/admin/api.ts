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

/** How long (s) the address of a document holds, and how often (ms) it is asked for anew while it is shown. */
const addressHolds = 120
const renewEvery = 90_000

/** A person's identity documents, oldest first; `address` opens one for the next minutes. */
export function usePersonDocuments(personId: string) {
  return useQuery({
    queryKey: ['admin', 'documents', personId],
    staleTime: 0,
    gcTime: 0,
    refetchInterval: renewEvery,
    queryFn: async (): Promise<{ address: string; ending: string; handedIn: string }[]> => {
      const documents = supabase.storage.from('identity-documents')
      const sortBy = { column: 'created_at', order: 'asc' }
      const { data: files, error } = await documents.list(personId, { sortBy })
      if (error) throw error
      if (files.length === 0) return []
      const paths = files.map(({ name }) => `${personId}/${name}`)
      const signed = await documents.createSignedUrls(paths, addressHolds)
      if (signed.error) throw signed.error
      return signed.data.flatMap(({ signedUrl }, index) => {
        const file = files[index]
        // A file that went in the meantime has no address.
        if (!signedUrl || !file) return []
        return [
          { address: signedUrl, ending: file.name.split('.').at(-1) ?? '', handedIn: file.created_at ?? '' },
        ]
      })
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
