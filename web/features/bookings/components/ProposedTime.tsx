// The time of a proposal and the time before it.
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { clockName, wallTimeAt } from '../../../lib/clocks.ts'
import { formatDateTime } from '../../../lib/format.ts'
import type { Booking } from '../api/queries.ts'
import type { TimeProposal } from '../proposals.ts'

/** The proposed time, on the place's clock, too, where that shows another one, and the time before. */
export function ProposedTime({ booking, proposal }: { booking: Booking; proposal: TimeProposal }) {
  const { t } = useTranslation()
  const zone = booking.task.place_time_zone
  const there = wallTimeAt(proposal.starts_at, zone)
  return (
    <p className="mt-1">
      <span className="flex items-start gap-2 text-lg leading-snug font-semibold">
        <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span>{formatDateTime(proposal.starts_at)}</span>
      </span>
      {there && (
        <span className="block text-sm">{t('schedule.there', { time: there, clock: clockName(zone) })}</span>
      )}
      <span className="block text-sm">
        {proposal.before_starts_at
          ? t('schedule.insteadOf', { at: formatDateTime(proposal.before_starts_at) })
          : t('schedule.insteadOfAny')}
      </span>
    </p>
  )
}
