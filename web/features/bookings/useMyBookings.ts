// Everything that My Bookings shows of the active side: bookings, contacts, posted tasks and what else is pending.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRoleQuery, useRoles } from '../../lib/session.tsx'
import { postedTasksQuery } from './api/posted.ts'
import { type Booking, CHATTING, contactsQuery, type Side, useBookings } from './api/queries.ts'

export function useMyBookings(userId: string) {
  const role = useRoleQuery()
  const side: Side | undefined = role.isSuccess ? (role.data === 'task_doer' ? 'tasker' : 'giver') : undefined
  const { bookings, waiting } = useBookings(userId, side, useRoles())
  const otherId = (booking: Booking) => (side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)
  const hasContact = ({ status }: Booking) => CHATTING.includes(status)
  const contacts = useQuery(contactsQuery((bookings.data ?? []).filter(hasContact).map(otherId)))
  const posted = useQuery({ ...postedTasksQuery(userId), enabled: side === 'giver' })

  // Once they are shown, lists stay while the contact of one more person is read.
  const [wasReady, setWasReady] = useState(false)
  if (!wasReady && bookings.data && side && ![posted, contacts, waiting].some(({ isLoading }) => isLoading))
    setWasReady(true)

  return {
    side,
    bookings,
    waiting,
    posted,
    wasReady,
    contactOf: (booking: Booking) => (hasContact(booking) ? contacts.data?.get(otherId(booking)) : undefined),
    failure: (role.isLoadingError ? role.error : null) ?? (bookings.data ? null : bookings.error),
    retry: () => (role.isLoadingError ? role.refetch() : bookings.refetch()),
  }
}
