// One booking: who, what, when and where, its state, and what this side can do now.

import { Mail, PauseCircle, Phone } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { publicProfilePath, taskPath } from '../../lib/paths.ts'
import type { Complaint } from '../../lib/queries/complaint.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { HiddenContacts } from '../../ui/ContactNotice.tsx'
import { classes } from '../../ui/classes.ts'
import { PhoneText } from '../../ui/PhoneText.tsx'
import { PhotoGrid } from '../../ui/photos/PhotoGrid.tsx'
import { Quote } from '../../ui/Quote.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SplitCard } from '../../ui/SplitCard.tsx'
import { Stars } from '../../ui/Stars.tsx'
import { VerifiedMark } from '../../ui/VerifiedMark.tsx'
import { useNarrow } from '../../ui/windowWidth.ts'
import type { Booking, Contact, Person, Side, Status } from './api/queries.ts'
import { BookingActions } from './BookingActions.tsx'
import { BookingAside } from './BookingAside.tsx'
import { BookingFacts } from './components/BookingFacts.tsx'
import { Distance } from './components/Distance.tsx'
import { WorkPhotos } from './components/WorkPhotos.tsx'
import type { BookingSlots } from './slots.ts'

const TimeProposals = lazy(() => import('./components/TimeProposals.tsx'))
const VisitNotes = lazy(() => import('./components/VisitNotes.tsx'))

export const statusTones: Record<Status, Tone> = {
  pending: 'waiting',
  accepted: 'info',
  in_progress: 'info',
  completed: 'success',
  rejected: 'neutral',
  cancelled: 'neutral',
}

type CardProps = {
  booking: Booking
  side: Side
  contact: Contact | undefined
  slots: BookingSlots
  onMoved: (to: 'accepted' | 'completed') => void
  onPay: () => void
  onChat: () => void
  onReleased: () => void
  /** A dialog asks for the review at the moment. */
  askedElsewhere: boolean
  /** It is below its line, which shows the title, the face and the state. */
  belowRow: boolean
}

export function BookingCard(props: CardProps) {
  const { t } = useTranslation()
  const narrow = useNarrow()
  const { booking, side, contact, slots, belowRow } = props
  const { task } = booking
  const other = side === 'tasker' ? task.giver : booking.doer
  const held = booking.status === 'pending' && task.on_hold
  return (
    <SplitCard
      split="wide"
      // On a phone what is to be done comes before what it is about.
      asideFirst={narrow}
      asideClassName="max-sm:py-3.5 @3xl:w-88"
      aside={<BookingAside {...props} />}
    >
      <div className="flex h-full flex-col">
        <OtherParty person={other} km={side === 'giver' ? booking.tasker_km : null} withFace={!belowRow}>
          {!belowRow && (
            <Badge tone={statusTones[booking.status]}>
              {t(held ? 'tasks.onHold.label' : `bookings.status.${booking.status}`)}
            </Badge>
          )}
        </OtherParty>
        {/* Where the aside, which says so too, lies below; the row says it already. */}
        {!belowRow && booking.payment?.escrow_status === 'frozen' && (
          <Badge tone="waiting" icon={PauseCircle} className="mt-3 self-start @3xl:hidden">
            {t('bookings.onHold')}
          </Badge>
        )}
        {!belowRow && (
          <h2 className="mt-4 text-xl leading-snug wrap-anywhere">
            <Link to={taskPath(task.id)} className="hover:text-sky hover:underline">
              <bdi>{task.title}</bdi>
            </Link>
          </h2>
        )}
        {held && (
          <p className="my-2 rounded-md bg-wheat-soft p-3 text-wheat-ink">
            {t(side === 'giver' ? 'tasks.onHold.own' : 'tasks.onHold.other')}
          </p>
        )}
        <p dir="auto" className={classes('cut-words line-clamp-2 text-ink-soft', belowRow ? 'mt-3' : 'mt-1')}>
          {task.description}
        </p>
        {belowRow && (
          <Link
            to={taskPath(task.id)}
            aria-label={t('tasks.viewDetailsOf', { title: task.title })}
            className="mt-1 self-start py-1 font-medium text-sky hover:underline"
          >
            {t('tasks.viewDetails')}
          </Link>
        )}
        <BookingFacts booking={booking} />
        {booking.proposals.length > 0 && (
          <Suspense fallback={<div className="mt-4 h-9" />}>
            <TimeProposals booking={booking} side={side} name={other?.full_name ?? t('ui.deletedUser')} />
          </Suspense>
        )}
        {contact && <Contacts contact={contact} />}
        {booking.snow && (
          <Suspense>
            <VisitNotes booking={booking} side={side} />
          </Suspense>
        )}
        <Statements booking={booking} side={side} other={other} />
        {!props.askedElsewhere && <slots.ReviewPanel booking={booking} side={side} />}
        <BookingActions booking={booking} side={side} slots={slots} onChat={props.onChat} />
      </div>
    </SplitCard>
  )
}

/**
 * The other side's face and record; `km`: how far a tasker's place is from the task. `children` is at the end of the first line.
 */
function OtherParty({
  person,
  km,
  withFace,
  children,
}: {
  person: Person | null
  km: number | null
  withFace: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  const name = person?.full_name ?? t('ui.deletedUser')
  return (
    <header
      className={classes(
        'grid items-center gap-x-3',
        withFace ? 'grid-cols-[auto_minmax(0,1fr)_auto]' : 'grid-cols-[minmax(0,1fr)_auto]',
      )}
    >
      {withFace && <Avatar name={name} src={person?.avatar_url} className="row-span-2" />}
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 font-semibold">
        {person?.id && person.full_name ? (
          <Link to={publicProfilePath(person.id)} className="wrap-anywhere hover:text-sky hover:underline">
            {name}
          </Link>
        ) : (
          <span>{name}</span>
        )}
        <VerifiedMark person={person} />
      </p>
      {children}
      <p className="col-span-2 flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
        {(person?.total_reviews ?? 0) > 0 ? (
          <Stars rating={person?.rating ?? 0} count={person?.total_reviews ?? 0} />
        ) : (
          <span>{t('bookings.noReviews')}</span>
        )}
        {person?.city && <Distance city={person.city} km={km} />}
      </p>
    </header>
  )
}

type StatementsProps = { booking: Booking; side: Side; other: Person | null }

/** The words of both sides about this booking, from the application to a cancellation or complaint. */
function Statements({ booking, side, other }: StatementsProps) {
  const { t } = useTranslation()
  // Where neither of them cancelled, the payment was taken back, and the reason is the database's.
  const byParty = [booking.task_giver_id, booking.task_doer_id].includes(booking.cancelled_by ?? '')
  const cancellationReason =
    booking.cancellation_reason && (byParty ? booking.cancellation_reason : t('bookings.paymentTakenBack'))
  return (
    <>
      {booking.message && (
        <Quote
          by={t(side === 'tasker' ? 'bookings.yourMessage' : 'bookings.applicationMessage')}
          at={booking.created_at}
        >
          {booking.message}
        </Quote>
      )}
      {booking.status === 'pending' && (
        <HiddenContacts
          className="mt-2"
          texts={[booking.message, booking.offer_reason, booking.counter_message]}
        />
      )}
      {booking.completion_notes && (
        <Quote by={t('bookings.completionNotes')}>{booking.completion_notes}</Quote>
      )}
      <WorkPhotos booking={booking} />
      {cancellationReason && <Quote by={t('bookings.cancellationReason')}>{cancellationReason}</Quote>}
      {booking.complaint && <ComplaintQuotes complaint={booking.complaint} side={side} other={other} />}
      {!booking.message && !((booking.visit_number ?? 0) > 1 || booking.snow) && (
        <p className="mt-4 text-sm text-ink-faint">
          <span>{`${t('bookings.applied')} · `}</span>
          <RelativeTime at={booking.created_at} />
        </p>
      )}
    </>
  )
}

/** The statements of both sides and the administrator about a complaint. */
function ComplaintQuotes({
  complaint,
  side,
  other,
}: {
  complaint: Complaint
  side: Side
  other: Person | null
}) {
  const { t } = useTranslation()
  const name = other?.full_name ?? t('ui.deletedUser')
  return (
    <>
      <Quote
        by={side === 'giver' ? t('bookings.yourComplaint') : t('bookings.complaintOf', { name })}
        at={complaint.created_at}
      >
        {complaint.reason}
      </Quote>
      <PhotoGrid
        bucket="booking-photos"
        names={complaint.photos}
        subject={t('bookings.complaint')}
        className="mt-2 ps-4"
      />
      {complaint.answer && (
        <Quote
          by={side === 'tasker' ? t('bookings.yourAnswer') : t('bookings.answerOf', { name })}
          at={complaint.answered_at ?? undefined}
        >
          {complaint.answer}
        </Quote>
      )}
      <PhotoGrid
        bucket="booking-photos"
        names={complaint.answer_photos}
        subject={t('bookings.answer')}
        className="mt-2 ps-4"
      />
      {complaint.decision_note && (
        <Quote by={t('bookings.decisionNote')} at={complaint.decided_at ?? undefined}>
          {complaint.decision_note}
        </Quote>
      )}
    </>
  )
}

function Contacts({ contact }: { contact: Contact }) {
  const link = 'inline-flex min-h-9 items-center gap-2 text-sky max-sm:text-sm hover:underline'
  return (
    <p className="mt-3 flex flex-wrap gap-x-5 max-sm:gap-x-4">
      {contact.phone && (
        <a href={`tel:${contact.phone}`} className={link}>
          <Phone aria-hidden className="size-4" />
          <PhoneText phone={contact.phone} />
        </a>
      )}
      {contact.email && (
        <a href={`mailto:${contact.email}`} className={`${link} wrap-anywhere`}>
          <Mail aria-hidden className="size-4 shrink-0" />
          <span translate="no">{contact.email}</span>
        </a>
      )}
    </p>
  )
}
