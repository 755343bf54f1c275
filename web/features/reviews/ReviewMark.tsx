// On the closed line of a past booking: that a review is asked for, which its card below has room for.
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { asksReview, type ReviewableBooking, reviewing, type Side } from './api/queries.ts'

type ReviewMarkProps = {
  booking: ReviewableBooking & { payment: { escrow_status: string } | null }
  side: Side
}

/** Nothing where no review is asked for. */
export function ReviewMark({ booking, side }: ReviewMarkProps) {
  const { t } = useTranslation()
  const { until } = reviewing(booking, side)
  if (!until || !asksReview(booking, side)) return null
  return (
    <span className="text-sm font-semibold text-wheat-ink">
      {t('reviews.until', { date: formatDate(until) })}
    </span>
  )
}
