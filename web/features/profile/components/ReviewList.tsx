// Reviews of a person: the summary, and each review, page by page.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { MessageSquareQuote } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { publicProfilePath } from '../../../lib/paths.ts'
import { useSession } from '../../../lib/session.tsx'
import { Avatar } from '../../../ui/Avatar.tsx'
import { MorePages } from '../../../ui/MorePages.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { ReportButton } from '../../../ui/ReportButton.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { reviewSummaryQuery, reviewsQuery } from '../api/queries.ts'
import { ReviewSummary } from './ReviewSummary.tsx'

export function ReviewList({ personId }: { personId: string }) {
  const { t } = useTranslation()
  const { user } = useSession()
  const reviews = useInfiniteQuery(reviewsQuery(personId))
  const list = useRef<HTMLUListElement>(null)
  const total = useQuery({ ...reviewSummaryQuery(personId), enabled: reviews.hasNextPage }).data?.total
  return (
    <section aria-busy={reviews.isPending}>
      <h2 className="mb-4 text-2xl">{t('profile.reviewsTitle')}</h2>
      {reviews.isPending ? (
        <Skeleton className="h-24 w-full" />
      ) : reviews.isLoadingError ? (
        <ErrorState onRetry={() => reviews.refetch()} />
      ) : reviews.data.length === 0 ? (
        <EmptyState
          icon={MessageSquareQuote}
          title={t('profile.noReviews')}
          body={t('profile.noReviewsBody')}
        />
      ) : (
        <>
          <ReviewSummary personId={personId} />
          <ul ref={list} className="divide-y divide-line border-y border-line">
            {reviews.data.map((review) => (
              <li key={review.id} className="flex gap-4 py-5">
                <Avatar name={review.reviewer?.full_name} src={review.reviewer?.avatar_url} size="sm" />
                {/* The words first: the stars are above, all together. */}
                <div className="min-w-0 flex-1">
                  {review.comment && (
                    <p className="mb-2 text-lg leading-snug whitespace-pre-line wrap-anywhere">
                      {review.comment}
                    </p>
                  )}
                  <p className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-sm text-ink-soft">
                    <span className="font-semibold text-ink">
                      {review.reviewer?.full_name ? (
                        <Link
                          to={publicProfilePath(review.reviewer_id)}
                          className="inline-block min-h-6 underline-offset-4 hover:underline"
                        >
                          {review.reviewer.full_name}
                        </Link>
                      ) : (
                        t('ui.deletedUser')
                      )}
                    </span>
                    <span className="wrap-anywhere">{review.task?.title}</span>
                    <RelativeTime at={review.created_at} className="text-ink-faint" />
                  </p>
                  {user && review.reviewer_id !== user.id && (
                    <ReportButton kind="review" subject={review.id} className="-ms-3 mt-1" />
                  )}
                </div>
                <Stars rating={review.rating} className="shrink-0 self-start text-sm" />
              </li>
            ))}
          </ul>
          <MorePages
            pages={reviews}
            list={list}
            shown={reviews.data.length}
            total={total}
            label={t('profile.moreReviews')}
          />
        </>
      )}
    </section>
  )
}
