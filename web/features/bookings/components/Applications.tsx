// The undecided applications for one task, side by side: who, how good, for how much, and what they wrote.
import { Pencil, Users } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { editTaskPath, publicProfilePath, taskPath } from '../../../lib/paths.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { HiddenContacts } from '../../../ui/ContactNotice.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import { VerifiedMark } from '../../../ui/VerifiedMark.tsx'
import type { Booking } from '../api/queries.ts'
import { BookingExpenses } from './BookingExpenses.tsx'
import { BookingItem } from './BookingItem.tsx'
import { CompareOffers } from './CompareOffers.tsx'
import { Decision } from './Decision.tsx'
import { Distance } from './Distance.tsx'
import { OfferDecision } from './OfferDecision.tsx'

export function Applications({
  bookings,
  wantedId,
  onAccepted,
}: {
  /** At least one, all for the same task. */
  bookings: [Booking, ...Booking[]]
  wantedId: string | null
  onAccepted: () => void
}) {
  const { t } = useTranslation()
  const { task } = bookings[0]
  return (
    <section className="rounded-lg border border-line bg-surface p-5 max-sm:p-3">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-xl leading-snug wrap-anywhere max-sm:text-lg">
          <Link to={taskPath(task.id)} className="hover:text-sky hover:underline">
            <bdi>{task.title}</bdi>
          </Link>
        </h2>
        <Badge tone="waiting" icon={Users}>
          {t('bookings.applications', { count: bookings.length })}
        </Badge>
        {task.on_hold ? (
          <Badge tone="waiting">{t('tasks.onHold.label')}</Badge>
        ) : (
          <div className="ms-auto flex flex-wrap gap-2">
            <CompareOffers bookings={bookings} onAccepted={onAccepted} />
            <Button asChild variant="secondary" size="sm">
              <Link
                to={editTaskPath(task.id)}
                aria-label={t('bookings.editTaskNamed', { title: task.title })}
              >
                <Pencil aria-hidden />
                <span>{t('bookings.editTask')}</span>
              </Link>
            </Button>
          </div>
        )}
        <p className="basis-full text-ink-soft in-page-order">
          <span>{`${task.scheduled_date ? formatDateTime(task.scheduled_date, clockOf(task)) : t('tasks.anyTime')} · `}</span>
          <bdi>{task.location}</bdi>
        </p>
      </header>
      <p className="mt-2 text-sm text-ink-faint">
        {t(task.on_hold ? 'tasks.onHold.own' : 'bookings.acceptingDeclines')}
      </p>
      <ul className="mt-5 grid max-sm:mt-3 max-sm:gap-2.5 grid-cols-[repeat(auto-fit,minmax(min(17rem,100%),1fr))] gap-4">
        {bookings.map((booking) => (
          <BookingItem key={booking.id} booking={booking} wanted={booking.id === wantedId}>
            <Applicant booking={booking} onAccepted={onAccepted} />
          </BookingItem>
        ))}
      </ul>
    </section>
  )
}

function Applicant({ booking, onAccepted }: { booking: Booking; onAccepted: () => void }) {
  const { t } = useTranslation()
  const { doer, agreed_amount, offer_options } = booking
  const name = doer?.full_name ?? t('ui.deletedUser')
  return (
    <article className="flex h-full flex-col rounded-md border border-line-strong/60 bg-paper p-4 max-sm:p-3">
      <div className="flex items-center gap-3">
        <Avatar name={name} src={doer?.avatar_url} />
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 font-semibold">
          {doer?.id && doer.full_name ? (
            <Link to={publicProfilePath(doer.id)} className="wrap-anywhere hover:text-sky hover:underline">
              {name}
            </Link>
          ) : (
            <span>{name}</span>
          )}
          <VerifiedMark person={doer} />
        </p>
      </div>
      <p className="mt-3 flex flex-wrap items-center gap-x-3 text-sm text-ink-soft max-sm:mt-1.5">
        {(doer?.total_reviews ?? 0) > 0 ? (
          <Stars rating={doer?.rating ?? 0} count={doer?.total_reviews ?? 0} />
        ) : (
          <span>{t('bookings.noReviews')}</span>
        )}
        <span>{t('bookings.jobsDone', { count: doer?.completed_tasks ?? 0 })}</span>
        {doer?.city && <Distance city={doer.city} km={booking.tasker_km} />}
      </p>
      {!offer_options && (
        <>
          <PriceSplit price={priceOf(agreed_amount)} side="giver" other={name} className="mt-4 max-sm:mt-2" />
          <BookingExpenses booking={booking} side="giver" className="mt-2" />
        </>
      )}
      {booking.message ? (
        <>
          <Quote
            by={t('bookings.applicationMessage')}
            at={booking.created_at}
            className="mb-4 max-sm:mt-2 max-sm:mb-3"
          >
            {booking.message}
          </Quote>
          <HiddenContacts className="-mt-2 mb-4" texts={[booking.message]} />
        </>
      ) : (
        !offer_options && (
          <p className="mt-4 mb-4 text-sm text-ink-faint max-sm:mt-2 max-sm:mb-3">
            {t('bookings.noMessage')}
          </p>
        )
      )}
      <div className={offer_options ? 'mt-4' : 'mt-auto'}>
        {offer_options ? (
          <OfferDecision booking={booking} options={offer_options} onAccepted={onAccepted} />
        ) : (
          <Decision booking={booking} onAccepted={onAccepted} />
        )}
      </div>
    </article>
  )
}
