// The time of a proposal and the time before it.
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDateTime } from '../../../lib/format.ts'
import type { Booking } from '../api/queries.ts'
import type { TimeProposal } from '../proposals.ts'

/** The proposed time by the place's clock, and the time before. */
export function ProposedTime({ booking, proposal }: { booking: Booking; proposal: TimeProposal }) {
  const { t } = useTranslation()
  const timeZone = clockOf(booking.task)
  return (
    <p className="mt-1">
      <span className="flex items-start gap-2 text-lg leading-snug font-semibold">
        <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span>{formatDateTime(proposal.starts_at, timeZone)}</span>
      </span>
      <span className="block text-sm">
        {proposal.before_starts_at
          ? t('schedule.insteadOf', { at: formatDateTime(proposal.before_starts_at, timeZone) })
          : t('schedule.insteadOfAny')}
      </span>
    </p>
  )
}
