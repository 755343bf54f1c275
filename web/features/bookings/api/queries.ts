// Bookings and contacts as this screen reads them (specification 001 §7).
import type { QueryData } from '@supabase/supabase-js'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { Enums, Tables } from '../../../lib/database.types.ts'
import { useLive } from '../../../lib/live.ts'
import { offerOptionsFrom } from '../../../lib/offers.ts'
import { actionItemsQuery } from '../../../lib/queries/actionItems.ts'
import { CHANGE_COLUMNS, toChange } from '../../../lib/queries/changes.ts'
import { COMPLAINT_COLUMNS, toComplaint } from '../../../lib/queries/complaint.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { ownBookings } from '../../../lib/queries/ownBookings.ts'
import { PAYMENT_COLUMNS, toPayment } from '../../../lib/queries/payment.ts'
import type { Role, Roles } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'

export type Side = 'giver' | 'tasker'
export type Status = Enums<'booking_status'>
/** The states in which the two people know each other's contact and write to each other. */
export const CHATTING: Status[] = ['accepted', 'in_progress', 'completed']
export type Booking = ReturnType<typeof toBooking>
export type Person = NonNullable<Booking['doer']>
export type Contact = Pick<Tables<'profiles'>, 'id' | 'phone' | 'email'>

const PERSON_COLUMNS = 'id,full_name,avatar_url,rating,total_reviews,completed_tasks,city,role,is_verified'

const selectBookings = () =>
  supabase.from('bookings').select(
    `id,task_id,task_doer_id,task_giver_id,message,status,agreed_amount,offer_options,offer_reason,answer_by,
    counter_amount,counter_starts_at,counter_message,counter_state,accepted_option,posted_date,completion_notes,completion_photos,before_photos,arrives_from,arrives_until,arrived_at,cancellation_reason,
    cancelled_by,passed_over,answered_at,created_at,accepted_at,completed_at,tasker_km,jobs_alike,
    series_id,visit_number,pay_from,skipped,series:task_series(id,status,repeats,time_zone,starts_at,ends_on,visits,auto_pay_since),snow:snow_reports(cm,photos),
    doer:public_profiles!task_doer_id(${PERSON_COLUMNS}),
    task:tasks(id,title,description,category,location,place_id,public_latitude,public_longitude,scheduled_date,duration_minutes,status,on_hold,repeats,
      giver:public_profiles!task_giver_id(${PERSON_COLUMNS}),address:task_addresses(address),point:task_points(latitude,longitude)),
    payment:payments(${PAYMENT_COLUMNS},receipts(id,kind,number)),expense_limit,changes:booking_changes(${CHANGE_COLUMNS}),complaint:complaints(${COMPLAINT_COLUMNS}),
    reviews(id,reviewer_id,rating,comment,created_at,visible_from),
    proposals:time_proposals(id,proposed_by,starts_at,message,state,answer_by,before_starts_at,created_at,answered_at),
    no_shows(id,reported_by,words,photos,state,answer,answer_photos,answer_by,created_at)`,
  )

type BookingRow = QueryData<ReturnType<typeof selectBookings>>[number]

const inRole = <P extends object>(person: P | null, role: Role) => person && { ...person, role }

const byAge = (a: { created_at: string }, b: { created_at: string }) =>
  a.created_at.localeCompare(b.created_at)

/** Both people in the role that they have here, whatever else they do. */
function toBooking({ payment, complaint, changes, ...row }: BookingRow) {
  return {
    ...inCents(row, 'agreed_amount', 'counter_amount', 'expense_limit'),
    offer_options: offerOptionsFrom(row.offer_options),
    doer: inRole(row.doer, 'task_doer'),
    task: {
      ...row.task,
      giver: inRole(row.task.giver, 'task_giver'),
    },
    payment: payment && { ...toPayment(payment), receipts: payment.receipts },
    complaint: complaint && toComplaint(complaint),
    proposals: row.proposals.toSorted(byAge),
    no_shows: row.no_shows.toSorted(byAge),
    changes: changes.map(toChange).toSorted(byAge),
  }
}

/** How often the list is read again while it is shown: seldom while its changes arrive by themselves. */
const LIVE_INTERVAL_MS = 60_000
const POLLING_INTERVAL_MS = 15_000

/** A person's bookings on their side, newest first. */
const bookingsQuery = (userId: string, side: Side | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'mine', userId, side],
    enabled: side !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await selectBookings()
        .eq(side === 'tasker' ? 'task_doer_id' : 'task_giver_id', userId)
        .order('created_at', { ascending: false })
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data.map(toBooking)
    },
  })

/** The state of a task after its booking was cancelled. */
export type Listing = 'listed_again' | 'closed' | 'on_hold'

/**
 * The state of the task if this accepted booking is cancelled now and its giver does not close it. Its key is apart from the
 * bookings', because the database refuses the question once the booking is cancelled.
 */
export const listingAfterQuery = (bookingId: string) =>
  queryOptions({
    queryKey: ['listingAfterCancellation', bookingId],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('prepare_cancellation', { booking_id: bookingId })
        .abortSignal(signal)
        .throwOnError()
      return (data as { listing: Listing }).listing
    },
  })

/** On which side of that booking the person is; null when it is none of theirs. */
export const sideOfBookingQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: ['bookings', 'side', userId, id],
    queryFn: async ({ signal }) => {
      if (!/^[\da-f-]{36}$/i.test(id)) return null
      const { data } = await supabase
        .from('bookings')
        .select('task_giver_id,task_doer_id')
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      if (data?.task_giver_id === userId) return 'task_giver'
      return data?.task_doer_id === userId ? 'task_doer' : null
    },
  })

/** The same and their pending items, kept current: read together, so that lines and cards agree. */
export function useBookings(userId: string, side: Side | undefined, roles: Roles | undefined) {
  const live = useLive([
    ...ownBookings(userId),
    // The other side's review arrives as a notification: until then it must not be revealed.
    { table: 'notifications', rows: `user_id=eq.${userId}`, refresh: [['bookings']] },
  ])
  const refetchInterval = live ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS
  return {
    bookings: useQuery({ ...bookingsQuery(userId, side), refetchInterval }),
    waiting: useQuery({ ...actionItemsQuery(userId, roles), refetchInterval }),
  }
}

/** How to reach the other sides; the database shows it only of people with an accepted booking between them. */
export function contactsQuery(people: string[]) {
  const ids = [...new Set(people)].sort()
  return queryOptions({
    queryKey: ['contacts', ids],
    enabled: ids.length > 0,
    // Another booking is accepted: those that are shown stay meanwhile.
    placeholderData: keepPreviousData,
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
