// A rating out of five.

import { Star } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatRating } from '../lib/format.ts'
import { classes } from './classes.ts'

/** `<Stars rating={4.8} count={31} />`: one star, the figure, the number of reviews. */
export function Stars({ rating, count, className }: { rating: number; count?: number; className?: string }) {
  const { t } = useTranslation()
  return (
    <span className={classes('tabular inline-flex flex-wrap items-center gap-x-1.5', className)}>
      <Star aria-hidden className="size-[1.1em] shrink-0 fill-wheat text-wheat-deep" />
      <span className="sr-only">{t('ui.stars', { rating: formatRating(rating) })}</span>
      <span aria-hidden className="shrink-0 font-semibold">
        {formatRating(rating)}
      </span>
      {count !== undefined && (
        <span className="shrink-0 text-ink-faint">{`· ${t('ui.reviews', { count })}`}</span>
      )}
    </span>
  )
}

/** Five stars in a row, filled up to the whole rating; for one review. */
export function StarRow({ rating, className }: { rating: number; className?: string }) {
  const { t } = useTranslation()
  return (
    <span
      role="img"
      aria-label={t('ui.stars', { rating: String(rating) })}
      className={classes('inline-flex gap-0.5', className)}
    >
      {[1, 2, 3, 4, 5].map((star) => (
        <Star
          key={star}
          aria-hidden
          className={classes(
            'size-[1.1em]',
            star <= rating ? 'fill-wheat text-wheat-deep' : 'text-line-strong',
          )}
        />
      ))}
    </span>
  )
}
