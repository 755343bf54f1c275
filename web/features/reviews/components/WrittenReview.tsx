// A review as it was written.
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../../lib/format.ts'
import { HiddenNotice } from '../../../ui/HiddenNotice.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { StarRow } from '../../../ui/Stars.tsx'
import type { Review } from '../api/queries.ts'

/** `hiddenFrom` is the name of the person who cannot read it yet. */
export function WrittenReview({
  review,
  by,
  hiddenFrom,
}: {
  review: Review
  by: string
  hiddenFrom?: string
}) {
  const { t } = useTranslation()
  return (
    <figure className="border-s-2 border-wheat-deep ps-4">
      <figcaption className="flex flex-wrap items-center gap-x-3 text-sm text-ink-faint">
        <span>
          <span>{by}</span>
          <span>{' · '}</span>
          <RelativeTime at={review.created_at} />
        </span>
        <StarRow rating={review.rating} className="text-base" />
      </figcaption>
      {review.comment && (
        <blockquote dir="auto" className="max-h-60 overflow-y-auto whitespace-pre-line wrap-anywhere">
          {review.comment}
        </blockquote>
      )}
      {hiddenFrom && (
        <p className="mt-1 text-sm text-ink-faint">
          {review.visible_from === 'infinity'
            ? t('reviews.blindUntilDecision', { name: hiddenFrom })
            : t('reviews.blind', { name: hiddenFrom, date: formatDate(review.visible_from) })}
        </p>
      )}
      <HiddenNotice kind="review" id={review.id} />
    </figure>
  )
}
