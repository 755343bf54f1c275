// What the admin's page reads of people and changes (specification 000 §7), page by page and searched by the database,
// which lets only admins do either.
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Tables } from '../../../lib/database.types.ts'
import { everyWordFilters } from '../../../lib/queries/filters.ts'
import { useUserId } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'

const columns =
  'id, full_name, email, phone, avatar_url, created_at, role, is_verified, verified_by_admin, verified_name, verification_notes' as const

export type Person = Pick<
  Tables<'profiles'>,
  | 'id'
  | 'full_name'
  | 'email'
  | 'phone'
  | 'avatar_url'
  | 'created_at'
  | 'role'
  | 'is_verified'
  | 'verified_by_admin'
  | 'verified_name'
  | 'verification_notes'
> & {
  /** When what waits for a decision was handed in; null when nothing waits. */
  waitingSince: string | null
}

export const pageSize = 50

/** When a record was handed in: that is when its terms were accepted. A change of name touches it later, too. */
export const submittedAt = (record: { terms_accepted_at: string | null; updated_at: string }) =>
  record.terms_accepted_at ?? record.updated_at

/** The next page begins where the last one ended; a shorter one was the last. */
export const nextPage = (last: unknown[], _pages: unknown[], start: number) =>
  last.length < pageSize ? undefined : start + pageSize

/** All pages as one list; who moved to a later page meanwhile is in it once. */
export function onceEach<Row extends { id: string }>({ pages }: { pages: Row[][] }): Row[] {
  return [...new Map(pages.flat().map((row) => [row.id, row])).values()]
}

/** Everyone with an account whose name or address holds each word, newest first. */
export function usePeople(search: string) {
  return useInfiniteQuery({
    queryKey: ['admin', 'people', search],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Person[]> => {
      let people = supabase
        .from('profiles')
        .select(
          `${columns}, verification:verifications!verifications_user_id_fkey(verification_status, terms_accepted_at, updated_at)`,
        )
        // Who has left is an empty row that keeps the others' records together.
        .is('deleted_at', null)
      for (const word of everyWordFilters(search, ['full_name', 'email'])) people = people.or(word)
      const { data } = await people
        .order('created_at', { ascending: false })
        .order('id')
        .range(pageParam, pageParam + pageSize - 1)
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ verification, ...person }) => ({
        ...person,
        waitingSince: verification?.verification_status === 'pending' ? submittedAt(verification) : null,
      }))
    },
    getNextPageParam: nextPage,
    select: onceEach,
    placeholderData: keepPreviousData,
  })
}

/** Whose verification nobody has decided, who has waited longest first. */
export function useWaiting(search: string) {
  return useInfiniteQuery({
    queryKey: ['admin', 'waiting', search],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Person[]> => {
      let waiting = supabase
        .from('verifications')
        .select(`terms_accepted_at, updated_at, person:profiles!verifications_user_id_fkey!inner(${columns})`)
        .eq('verification_status', 'pending')
      for (const word of everyWordFilters(search, ['full_name', 'email']))
        waiting = waiting.or(word, { referencedTable: 'person' })
      const { data } = await waiting
        .order('updated_at')
        .order('id')
        .range(pageParam, pageParam + pageSize - 1)
        .abortSignal(signal)
        .throwOnError()
      return data.map(({ person, ...record }) => ({ ...person, waitingSince: submittedAt(record) }))
    },
    getNextPageParam: nextPage,
    select: onceEach,
    placeholderData: keepPreviousData,
  })
}

/** How many verifications wait, and how many complaints. */
export function useWaitingCounts() {
  const verifications = useQuery({
    queryKey: ['admin', 'count', 'verifications'],
    queryFn: async ({ signal }) => {
      const waiting = supabase.from('verifications').select('id', { count: 'exact', head: true })
      return (await waiting.eq('verification_status', 'pending').abortSignal(signal).throwOnError()).count
    },
  })
  const complaints = useQuery({
    queryKey: ['admin', 'count', 'complaints'],
    queryFn: async ({ signal }) => {
      const waiting = supabase.from('complaints').select('id', { count: 'exact', head: true })
      const complaints = (await waiting.is('decision', null).abortSignal(signal).throwOnError()).count ?? 0
      const losses = supabase.from('payments').select('id', { count: 'exact', head: true })
      const undecided = losses.gt('unsettled_loss', 0).eq('open_disputes', 0).eq('escrow_status', 'frozen')
      return complaints + ((await undecided.abortSignal(signal).throwOnError()).count ?? 0)
    },
  })
  return { verifications: verifications.data ?? undefined, complaints: complaints.data ?? undefined }
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

/**
 * Sets or removes a profile's verification, or saves its notes alone; the notes are kept either way. Throws when the person
 * goes by another name meanwhile.
 */
export function useVerifyPerson() {
  const adminId = useUserId()
  const queryClient = useQueryClient()
  return useMutation({
    networkMode: 'always',
    mutationFn: async ({
      person,
      verified,
      notes,
    }: {
      person: Person
      verified?: boolean
      notes: string
    }) => {
      const update = supabase
        .from('profiles')
        .update({
          verification_notes: notes.trim() || null,
          ...(verified !== undefined && {
            verified_by_admin: verified,
            verified_at: verified ? new Date().toISOString() : null,
            verified_by: verified ? adminId : null,
          }),
        })
        .eq('id', person.id)
      // A badge belongs to the name that is looked at.
      const named =
        person.full_name === null ? update.is('full_name', null) : update.eq('full_name', person.full_name)
      await (verified ? named : update).select('id').single().throwOnError()
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  })
}
