// Reads and changes of the admin's page of people (specification 000 §7), paged and searched by the database, which
// lets only admins do either.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Database } from '../../../lib/database.types.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { countQuery } from './counts.ts'

export const PAGE_SIZE = 50

/** When a record was submitted: that is when its terms were accepted. A change of name touches it later, too. */
export const submittedAt = (record: { terms_accepted_at: string | null; updated_at: string }) =>
  record.terms_accepted_at ?? record.updated_at

async function findPeople(search: string, waiting: boolean, after: Row | undefined, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_people_to_verify', {
      query: search,
      waiting,
      max_results: PAGE_SIZE,
      ...(after && { after_at: after.place, after_id: after.id }),
    })
    .abortSignal(signal)
    .throwOnError()
  return data
}

type Row = Database['public']['Functions']['find_people_to_verify']['Returns'][number]

// The columns of a function are typed as if none could be null; these can.
type Nullable =
  | 'full_name'
  | 'email'
  | 'phone'
  | 'avatar_url'
  | 'verified_name'
  | 'verification_notes'
  | 'waiting_since'
/** `waiting_since`: when what waits for a decision was submitted; null when nothing waits. */
export type Person = Omit<Row, 'place' | 'role' | Nullable> & { [Column in Nullable]: string | null } & {
  role: Row['role'] | null
}
/** A person as their badge is given: wherever they were found. */
export type Verifiable = Omit<Person, 'waiting_since'>

const people = (waiting: boolean, search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin', waiting ? 'waiting' : 'people', search],
    initialPageParam: undefined as Row | undefined,
    queryFn: ({ pageParam, signal }) => findPeople(search, waiting, pageParam, signal),
    getNextPageParam: (last: Row[]) => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

/** Everyone with an account whose name, address or phone number holds each word, newest first. */
export const peopleQuery = (search: string) => people(false, search)

/** People with an undecided verification, longest wait first. */
export const waitingQuery = (search: string) => people(true, search)

export const peopleCountQuery = (search: string) =>
  countQuery('find_people_to_verify', { query: search, waiting: false })

/** How many verifications wait. */
export const waitingCountQuery = queryOptions({
  queryKey: ['admin', 'count', 'verifications'],
  queryFn: async ({ signal }) => {
    const waiting = supabase.from('verifications').select('id', { count: 'exact', head: true })
    return (await waiting.eq('verification_status', 'pending').abortSignal(signal).throwOnError()).count ?? 0
  },
})

/** How long the signed address of a document is valid, and how often it is renewed while it is shown. */
const SIGNED_URL_SECONDS = 120
const RENEW_INTERVAL_MS = 90_000

/** A person's identity documents, oldest first; `address` opens one for the next minutes. */
export const documentsQuery = (personId: string) =>
  queryOptions({
    queryKey: ['admin', 'documents', personId],
    staleTime: 0,
    gcTime: 0,
    refetchInterval: RENEW_INTERVAL_MS,
    queryFn: async (): Promise<{ address: string; extension: string; uploadedAt: string }[]> => {
      const documents = supabase.storage.from('identity-documents')
      const sortBy = { column: 'created_at', order: 'asc' }
      const { data: files, error } = await documents.list(personId, { sortBy })
      if (error) throw error
      if (files.length === 0) return []
      const paths = files.map(({ name }) => `${personId}/${name}`)
      const signed = await documents.createSignedUrls(paths, SIGNED_URL_SECONDS)
      if (signed.error) throw signed.error
      return signed.data.flatMap(({ signedUrl }, index) => {
        const file = files[index]
        // A file that went in the meantime has no address.
        if (!signedUrl || !file) return []
        const extension = file.name.split('.').at(-1) ?? ''
        return [{ address: signedUrl, extension, uploadedAt: file.created_at ?? '' }]
      })
    },
  })

/**
 * Sets or removes a person's verification, or saves its notes alone; the notes are kept either way. Throws when the person
 * goes by another name meanwhile.
 */
export const verifyPerson = (
  person: Verifiable,
  adminId: string,
): Action<{ verified?: boolean; notes: string }> => ({
  invalidates: [['admin']],
  run: async ({ verified, notes }) => {
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
})
