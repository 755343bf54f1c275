// A booking's place in a list: the focus stays with it while its buttons come and go, and an address leads to it.
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { PART_PARAMETER } from '../../../lib/paths.ts'
import { classes } from '../../../ui/classes.ts'
import { holdsFocus } from '../../../ui/focusKeeper.ts'
import type { Booking } from '../api/queries.ts'

const CONTROL = 'input:checked, input, textarea, button'

export function BookingItem({
  booking,
  wanted,
  children,
}: {
  booking: Booking
  /** The address names it: it is marked, and is where the page begins. */
  wanted: boolean
  children: ReactNode
}) {
  const ref = useRef<HTMLLIElement>(null)
  const { key } = useLocation()
  const part = useSearchParams()[0].get(PART_PARAMETER)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link followed once more leads there once more
  useEffect(() => {
    if (!wanted) return
    // On a phone a card is longer than the screen: the part that the address names is where its first control is.
    const within = part ? ref.current?.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`) : null
    const control = within?.matches(CONTROL) ? within : within?.querySelector<HTMLElement>(CONTROL)
    ;(within || ref.current)?.scrollIntoView({ block: control ? 'center' : 'start' })
    ;(control || ref.current)?.focus({ preventScroll: true })
  }, [wanted, key])
  return (
    <li
      ref={ref}
      {...holdsFocus(booking.id)}
      className={classes(
        'scroll-mt-24 rounded-lg focus-visible:rounded-lg',
        wanted && 'my-1.5 outline-2 outline-offset-2 outline-wheat-deep',
      )}
    >
      {children}
    </li>
  )
}
