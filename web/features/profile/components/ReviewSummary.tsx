// The summary of a person's reviews: the average, and the number of each star rating.
import { useQuery } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { reviewSummaryQuery } from '../api/queries.ts'

/** From so many reviews on it tells something how they are spread; of fewer each can be seen below. */
const SPREAD_FROM = 5

/** Nothing until it is known; the list below says whether that failed. */
export function ReviewSummary({ personId }: { personId: string }) {
  const { t } = useTranslation()
  const { data: summary } = useQuery(reviewSummaryQuery(personId))
  if (!summary || summary.total === 0) return null
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-10 gap-y-4">
      <p>
        <span className="tabular flex items-center gap-2 font-display text-5xl leading-none font-bold">
          <Star aria-hidden className="size-9 fill-wheat text-wheat-deep" strokeWidth={1.5} />
          <span>{formatNumber(summary.average, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}</span>
        </span>
        <span className="mt-2 block text-ink-soft">{t('ui.reviews', { count: summary.total })}</span>
      </p>
      {summary.total >= SPREAD_FROM && (
        <dl className="flex max-w-sm min-w-0 flex-1 basis-56 flex-col gap-1.5 text-sm">
          {summary.rows.map(({ stars, count }) => (
            <div key={stars} className="flex items-center gap-3">
              <dt className="tabular w-14 shrink-0 text-ink-soft">
                {t('profile.starsRow', { count: stars })}
              </dt>
              <dd className="flex min-w-0 flex-1 items-center gap-3">
                <span aria-hidden className="h-2 flex-1 overflow-hidden rounded-full bg-sunken">
                  <span
                    className="block h-full rounded-full bg-wheat-deep"
                    style={{ width: `${(count / summary.total) * 100}%` }}
                  />
                </span>
                <span className="tabular w-8 shrink-0 text-end">{formatNumber(count)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
