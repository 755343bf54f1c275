// A booking's reviews on its card: asked for while there is time, hidden from the other until both are in, then both.
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { REVIEW_PART } from '../../lib/paths.ts'
import { asksReview, type ReviewableBooking, reviewing, type Side } from './api/queries.ts'
import { ReviewForm } from './components/ReviewForm.tsx'
import { WrittenReview } from './components/WrittenReview.tsx'

type PanelProps = {
  booking: ReviewableBooking & { payment: { escrow_status: string } | null }
  side: Side
}

/**
 * Nothing while there is nothing to write or to read. The giver confirms the work before saying how it was, and a
 * complaint is decided first, as my_action_items() and the e-mails wait for it, too.
 */
export function ReviewPanel({ booking, side }: PanelProps) {
  const { t } = useTranslation()
  const { otherName, mine, theirs, until, open, complained } = reviewing(booking, side)
  const name = otherName ?? t('ui.deletedUser')
  const asks = asksReview(booking, side)
  if (!asks && !mine && !theirs) return null
  return (
    <section className="mt-5 flex flex-col gap-4 border-t border-line pt-4">
      {asks && until && (
        <div data-part={REVIEW_PART}>
          <h3 className="text-lg leading-snug">
            {t(side === 'giver' ? 'reviews.askGiver' : 'reviews.askTasker', { name })}
          </h3>
          <p className="mb-1 text-sm text-ink-faint">{t('reviews.until', { date: formatDate(until) })}</p>
          <ReviewForm booking={booking} side={side} />
        </div>
      )}
      {mine && (
        <WrittenReview
          review={mine}
          by={t('reviews.yours')}
          hiddenFrom={otherName && !theirs && (open || complained) ? otherName : undefined}
        />
      )}
      {theirs && <WrittenReview review={theirs} by={t('reviews.theirs', { name })} />}
    </section>
  )
}
