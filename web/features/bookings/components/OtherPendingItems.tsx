// Items in My Bookings other than its cards.
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNearDateTime } from '../../../lib/format.ts'
import { type ActionItem, onActiveSide } from '../../../lib/queries/actionItems.ts'
import { useRoles } from '../../../lib/session.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { waitingBesides } from '../groups.ts'
import type { BookingSlots } from '../slots.ts'

export type WaitingProps = {
  waiting: Pick<UseQueryResult<ActionItem[]>, 'data' | 'refetch'>
  /** All bookings of this person. */
  bookings: Booking[]
  side: Side
  /** Cards that ask for an action are above. */
  besides: boolean
} & Pick<BookingSlots, 'ActionItemList'>

/** Other pending items, as on the dashboard. It states that nothing waits only if that is true. */
export function OtherPendingItems({ waiting, bookings, side, besides, ActionItemList }: WaitingProps) {
  const { t } = useTranslation()
  const roles = useRoles()
  if (!waiting.data || !roles) return <ErrorState onRetry={waiting.refetch} />
  const { asked, next } = waitingBesides(onActiveSide(waiting.data, roles), bookings, side)
  if (asked.length > 0) return <ActionItemList items={asked} />
  if (besides) return null
  return (
    <p className="text-ink-soft">
      {next
        ? t('bookings.nothingUntil', { task: next.title, due: formatNearDateTime(next.due_at) })
        : t('actionItems.none')}
    </p>
  )
}
