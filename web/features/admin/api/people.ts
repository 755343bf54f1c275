// What the admin's page reads of people and changes (specification 000 §7), page by page and searched by the database,
// which lets only admins do either.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everyWordFilters } from '../../../lib/queries/filters.ts'
import { nextOffset, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

export const PAGE_SIZE = 50
const PERSON_COLUMNS =
  'id, full_name, email, phone, avatar_url, created_at, role, is_verified, verified_by_admin, verified_name, verification_notes'

/** When a record was submitted: that is when its terms were accepted. A change of name touches it later, too. */
export const submittedAt = (record: { terms_accepted_at: string | null; updated_at: string }) =>
  record.terms_accepted_at ?? record.updated_at

async function readPeople(search: string, offset: number, signal: AbortSignal) {
  let people = supabase
    .from('profiles')
    .select(
      `${PERSON_COLUMNS}, verification:verifications!verifications_user_id_fkey(verification_status, terms_accepted_at, updated_at)`,
    )
    // Who has left is an empty row that keeps the others' records together.
    .is('deleted_at', null)
  for (const filter of everyWordFilters(search, ['full_name', 'email'])) people = people.or(filter)
  const { data } = await people
    .order('created_at', { ascending: false })
    .order('id')
    .range(offset, offset + PAGE_SIZE - 1)
    .abortSignal(signal)
    .throwOnError()
  return data.map(({ verification, ...person }) => ({
    ...person,
    /** When what waits for a decision was submitted; null when nothing waits. */
    waitingSince: verification?.verification_status === 'pending' ? submittedAt(verification) : null,
  }))
}

export type Person = Awaited<ReturnType<typeof readPeople>>[number]

async function readWaiting(search: string, offset: number, signal: AbortSignal): Promise<Person[]> {
  let waiting = supabase
    .from('verifications')
    .select(
      `terms_accepted_at, updated_at, person:profiles!verifications_user_id_fkey!inner(${PERSON_COLUMNS})`,
    )
    .eq('verification_status', 'pending')
  for (const filter of everyWordFilters(search, ['full_name', 'email']))
    waiting = waiting.or(filter, { referencedTable: 'person' })
  const { data } = await waiting
    .order('updated_at')
    .order('id')
    .range(offset, offset + PAGE_SIZE - 1)
    .abortSignal(signal)
    .throwOnError()
  return data.map(({ person, ...record }) => ({ ...person, waitingSince: submittedAt(record) }))
}

const people = (
  list: 'people' | 'waiting',
  search: string,
  read: (search: string, offset: number, signal: AbortSignal) => Promise<Person[]>,
) =>
  infiniteQueryOptions({
    queryKey: ['admin', list, search],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => read(search, pageParam, signal),
    getNextPageParam: nextOffset(PAGE_SIZE),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

/** Everyone with an account whose name or address holds each word, newest first. */
export const peopleQuery = (search: string) => people('people', search, readPeople)

/** Whose verification nobody has decided, who has waited longest first. */
export const waitingQuery = (search: string) => people('waiting', search, readWaiting)

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
    queryFn: async (): Promise<{ address: string; extension: string; submittedAt: string }[]> => {
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
        return [{ address: signedUrl, extension, submittedAt: file.created_at ?? '' }]
      })
    },
  })

/**
 * Sets or removes a person's verification, or saves its notes alone; the notes are kept either way. Throws when the person
 * goes by another name meanwhile.
 */
export const verifyPerson = (
  person: Person,
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
