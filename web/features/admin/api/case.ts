// One complaint as a whole case: the complaint, the booking and its task, both people, and the chat. The database
// shows a chat to admins only for a booking that was complained about.
import type { QueryData } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'
import { EXTRA_COLUMNS, extrasOf, PAYMENT_COLUMNS, pricedPayment } from './complaints.ts'

const selectCase = (id: string, signal: AbortSignal) =>
  supabase
    .from('complaints')
    .select(
      `*, payment:payments(${PAYMENT_COLUMNS}), decider:public_profiles!decided_by(full_name),
      booking:bookings(id, status, message, completion_notes, completion_photos, before_photos, arrived_at, accepted_at, started_at, completed_at,
        task:tasks(id, title, description, category, location, place_id, scheduled_date, photos), ${EXTRA_COLUMNS})`,
    )
    .eq('id', id)
    .abortSignal(signal)
    .maybeSingle()

const toCase = ({ payment, ...row }: NonNullable<QueryData<ReturnType<typeof selectCase>>>) => ({
  ...inCents(row, 'returned_amount'),
  payment: pricedPayment(payment),
  extras: extrasOf(row.booking.changes),
})
export type Case = ReturnType<typeof toCase>

/** The complaint with that id; null when there is none. */
export const caseQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'case', id],
    queryFn: async ({ signal }): Promise<Case | null> => {
      // An address that is not an id is a case that is not there.
      if (!/^[\da-f-]{36}$/i.test(id)) return null
      const { data } = await selectCase(id, signal).throwOnError()
      return data && toCase(data)
    },
  })

export type Side = Awaited<ReturnType<typeof readSides>>[number]

async function readSides(ids: string[], signal: AbortSignal) {
  const { data } = await supabase
    .from('profiles')
    .select(
      'id, full_name, email, phone, avatar_url, created_at, rating, total_reviews, completed_tasks, is_verified',
    )
    .in('id', ids)
    .abortSignal(signal)
    .throwOnError()
  return data
}

/** Both people of a case, whole; who has left is missing. */
export const sidesQuery = (giverId: string, taskerId: string) =>
  queryOptions({
    queryKey: ['admin', 'sides', giverId, taskerId],
    queryFn: ({ signal }) => readSides([giverId, taskerId], signal),
  })

/** The messages between both sides, oldest first. */
export const caseMessagesQuery = (complaintId: string) =>
  queryOptions({
    queryKey: ['admin', 'case messages', complaintId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('complaint_messages', { complaint_id: complaintId })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

/** A picture of a private bucket, as an address of this page; never one that others could use. */
export const pictureQuery = (bucket: string, path: string) =>
  queryOptions({
    queryKey: ['admin', 'picture', bucket, path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Blob> => {
      const { data, error } = await supabase.storage.from(bucket).download(path)
      if (error) throw error
      return data
    },
  })
