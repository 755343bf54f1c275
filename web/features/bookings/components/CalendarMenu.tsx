// The menu "Add to calendar" of an agreed booking with a time.
import { Suspense } from 'react'
import { lazyPart } from '../../../ui/lazyPart.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import type { Booking, Side } from '../api/queries.ts'

const AddToCalendar = lazyPart(() => import('./AddToCalendar.tsx'))

/** Nothing for other bookings. */
export function CalendarMenu({ booking, side }: { booking: Booking; side: Side }) {
  const { status, task } = booking
  if ((status !== 'accepted' && status !== 'in_progress') || task.scheduled_date === null) return null
  return (
    <Suspense fallback={<Skeleton className="h-9 w-40" />}>
      <AddToCalendar booking={booking} side={side} />
    </Suspense>
  )
}
