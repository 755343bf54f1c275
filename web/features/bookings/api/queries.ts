// Bookings as this screen reads and moves them (specification 001 §4, §7).
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Tables } from '../../../lib/database.types.ts'
import { invokeFunction } from '../../../lib/functions.ts'
import { useLive } from '../../../lib/live.ts'
import { type Complaint, complaintColumns } from '../../../lib/queries/complaint.ts'
import { ownBookings } from '../../../lib/queries/ownBookings.ts'
import { type Payment, paymentColumns } from '../../../lib/queries/payment.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'

export type Side = 'giver' | 'tasker'
type Row = Tables<'bookings'>
export type Status = Row['status']

export type Person = Pick<
  Tables<'public_profiles'>,
  'id' | 'full_name' | 'avatar_url' | 'rating' | 'total_reviews' | 'city' | 'role' | 'is_verified'
>

export type Booking = Pick<
  Row,
  | 'id'
  | 'task_id'
  | 'task_doer_id'
  | 'task_giver_id'
  | 'message'
  | 'status'
  | 'agreed_amount'
  | 'completion_notes'
  | 'cancellation_reason'
  | 'cancelled_by'
  | 'passed_over'
  | 'created_at'
  | 'completed_at'
> & {
  doer: Person | null
  task: Pick<
    Tables<'tasks'>,
    | 'id'
    | 'title'
    | 'description'
    | 'category'
    | 'location'
    | 'scheduled_date'
    | 'duration_minutes'
    | 'status'
  > & { giver: Person | null; address: { address: string } | null }
  payment: Payment | null
  complaint: Complaint | null
}

const person = 'id,full_name,avatar_url,rating,total_reviews,city,role,is_verified'
const columns =
  `id,task_id,task_doer_id,task_giver_id,message,status,agreed_amount,completion_notes,cancellation_reason,cancelled_by,
  passed_over,created_at,completed_at,
  doer:public_profiles!task_doer_id(${person}),
  task:tasks(id,title,description,category,location,scheduled_date,duration_minutes,status,
    giver:public_profiles!task_giver_id(${person}),address:task_addresses(address)),
  payment:payments(${paymentColumns}),complaint:complaints(${complaintColumns})`.replace(/\s+/g, '')

/** How often (ms) the list is read again while it is looked at: seldom when what others do is heard of. */
const every = { heard: 60_000, unheard: 15_000 }

/** A person's bookings on their side, newest first. */
export function useBookings(userId: string, side: Side | undefined) {
  const live = useLive(ownBookings(userId))
  return useQuery({
    queryKey: ['bookings', 'mine', userId, side],
    enabled: side !== undefined,
    refetchInterval: live ? every.heard : every.unheard,
    queryFn: async ({ signal }): Promise<Booking[]> => {
      const { data } = await supabase
        .from('bookings')
        .select(columns)
        .eq(side === 'tasker' ? 'task_doer_id' : 'task_giver_id', userId)
        .order('created_at', { ascending: false })
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data as unknown as Booking[]
    },
  })
}

export type Contact = Pick<Tables<'profiles'>, 'id' | 'phone' | 'email'>

/** How to reach the other sides; the database shows it only of people with an accepted booking between them. */
export function useContacts(people: string[]) {
  const ids = [...new Set(people)].sort()
  return useQuery({
    queryKey: ['contacts', ids],
    enabled: ids.length > 0,
    queryFn: async ({ signal }): Promise<Map<string, Contact>> => {
      const { data } = await supabase
        .from('profiles')
        .select('id,phone,email')
        .in('id', ids)
        .abortSignal(signal)
        .throwOnError()
      return new Map(data.map((contact) => [contact.id, contact]))
    },
  })
}

type Callbacks = { onFailed: (error: Error) => void }

function useRefresh() {
  const queryClient = useQueryClient()
  return () =>
    Promise.all(
      ['bookings', 'contacts', 'payments', 'tasks'].map((part) =>
        queryClient.invalidateQueries({ queryKey: [part] }),
      ),
    )
}

/** The giver's answer to an application. */
export function useDecide({
  bookingId,
  onDecided,
  onFailed,
}: Callbacks & { bookingId: string; onDecided: (status: 'accepted' | 'rejected') => void }) {
  const refresh = useRefresh()
  return useAction({
    mutationFn: (status: 'accepted' | 'rejected') => move(bookingId, { status }),
    onSuccess: async (_data, status) => {
      await refresh()
      onDecided(status)
    },
    onError: async (error) => {
      await refresh()
      onFailed(error)
    },
  })
}

/** The tasker's word that the work is done, with notes for the giver ('' for none). */
export function useMarkComplete({
  bookingId,
  onMarked,
  onFailed,
}: Callbacks & { bookingId: string; onMarked: () => void }) {
  const refresh = useRefresh()
  return useAction({
    mutationFn: (notes: string) => move(bookingId, { status: 'completed', completion_notes: notes || null }),
    onSuccess: async () => {
      await refresh()
      onMarked()
    },
    onError: async (error) => {
      await refresh()
      onFailed(error)
    },
  })
}

/** Changes one booking. Throws the database's words, also when nothing was there to change. */
async function move(id: string, change: { status: Status; completion_notes?: string | null }): Promise<void> {
  await supabase.from('bookings').update(change).eq('id', id).select('id').single().throwOnError()
}

/** Cancels in whatever state; answers what the person reads about fee and refund. */
export function useCancel({
  bookingId,
  onCancelled,
  onFailed,
}: Callbacks & { bookingId: string; onCancelled: (message: string) => void }) {
  const refresh = useRefresh()
  return useAction({
    mutationFn: (reason: string) =>
      invokeFunction<{ message: string }>('handle-cancellation', { bookingId, reason }),
    onSuccess: async ({ message }) => {
      await refresh()
      onCancelled(message)
    },
    onError: async (error) => {
      await refresh()
      onFailed(error)
    },
  })
}
