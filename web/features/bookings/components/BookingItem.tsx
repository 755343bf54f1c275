// A booking's place in a list: the focus stays with it while its buttons come and go, and an address leads to it.
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'react-router'
import { classes } from '../../../ui/classes.ts'
import { useKeptFocus } from '../../../ui/useKeptFocus.ts'
import type { Booking } from '../api/queries.ts'

export function BookingItem({
  booking,
  busy,
  wanted,
  children,
}: {
  booking: Booking
  /** A dialog of the page is about it. */
  busy: boolean
  /** The address names it: it is marked, and is where the page begins. */
  wanted: boolean
  children: ReactNode
}) {
  const { status, payment, complaint, reviews } = booking
  const held = useKeptFocus(
    booking.id,
    `${status} ${payment?.escrow_status} ${complaint?.answered_at} ${reviews.length} ${busy}`,
  )
  const { ref } = held
  const { key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link followed once more leads there once more
  useEffect(() => {
    if (!wanted) return
    ref.current?.scrollIntoView({ block: 'start' })
    ref.current?.focus({ preventScroll: true })
  }, [wanted, ref, key])
  return (
    <li
      {...held}
      className={classes(
        'scroll-mt-24 rounded-lg focus-visible:rounded-lg',
        wanted && 'outline-2 outline-offset-2 outline-wheat-deep',
      )}
    >
      {children}
    </li>
  )
}
