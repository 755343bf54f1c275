// The parts of a booking that only its day has; each is loaded when there is something to show.
import { lazy, Suspense } from 'react'
import type { Booking, Side } from '../api/queries.ts'
import { isArrivalDay, type NoShow } from '../dayOfWork.ts'

const ArrivalPanel = lazy(() => import('./ArrivalPanel.tsx'))
const NoShowPanel = lazy(() => import('./NoShowPanel.tsx'))

/** `name` is that of the other person. */
export function DayPanels({ booking, side, name }: { booking: Booking; side: Side; name: string }) {
  const report = shownNoShow(booking)
  return (
    <>
      {report && (
        <Suspense fallback={<div className="min-h-40" />}>
          <NoShowPanel key={report.id} booking={booking} report={report} side={side} name={name} />
        </Suspense>
      )}
      {hasArrival(booking, side) && (
        <Suspense fallback={<div className="min-h-24" />}>
          <ArrivalPanel booking={booking} side={side} name={name} />
        </Suspense>
      )}
    </>
  )
}

/** A tasker sees the buttons on the day, a giver the statements. */
function hasArrival(booking: Booking, side: Side): boolean {
  if (booking.status !== 'in_progress') return false
  if (side === 'tasker') return isArrivalDay(booking)
  return booking.arrives_until !== null || booking.arrived_at !== null
}

/** The latest report, unless it was taken back or ended with the booking. */
const shownNoShow = ({ no_shows }: Booking): NoShow | undefined =>
  no_shows.findLast(({ state }) => !['withdrawn', 'ended'].includes(state))
