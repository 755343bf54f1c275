// The booking that the address of My Bookings names, on whichever side of the account it is.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { BOOKING_PARAMETER, TASK_PARAMETER } from '../../lib/paths.ts'
import { roleOn, useRoles } from '../../lib/session.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useOpenedSide } from '../../ui/useRoleSwitch.ts'
import { type Booking, sideOfBookingQuery } from './api/queries.ts'

/**
 * Its id, or that of an application for the task that is named; null when the address names none. `bookings` are those of
 * the active side: a booking of the other one opens that side.
 */
export function useLinkedBooking(
  userId: string,
  address: URLSearchParams,
  bookings: Booking[] | undefined,
): string | null {
  const { t } = useTranslation()
  const held = useRoles()?.held ?? []
  const task = address.get(TASK_PARAMETER)
  const applied = bookings?.find((booking) => booking.task.id === task && booking.status === 'pending')
  const id = address.get(BOOKING_PARAMETER) ?? applied?.id ?? null
  const missing = bookings !== undefined && id !== null && !bookings.some((booking) => booking.id === id)
  const elsewhere = useQuery({
    ...sideOfBookingQuery(userId, id ?? ''),
    enabled: missing && held.length > 1,
  })
  // Only its giver follows a link to the applications for a task.
  const side = task ? 'task_giver' : missing ? elsewhere.data : null
  useOpenedSide(side && roleOn(side, held))

  const notYours = missing && (held.length < 2 || elsewhere.data === null)
  useEffect(() => {
    if (notYours) toast.info(t('bookings.notYours'), { id: 'booking' })
  }, [notYours, t])
  return id
}
