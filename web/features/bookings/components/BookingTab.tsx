// One tab of My Bookings: its bookings as rows and cards, and on All also posted tasks and other pending items.
import { CalendarX } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { browsePath, paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/States.tsx'
import { useNarrow } from '../../../ui/windowWidth.ts'
import type { PostedTask } from '../api/posted.ts'
import type { Booking, Contact, Side, Status } from '../api/queries.ts'
import { BookingCard } from '../BookingCard.tsx'
import { inTab, SECTIONS, type Section, sectionOf, sectionsOf, type Tab, tabOf } from '../groups.ts'
import type { BookingSlots } from '../slots.ts'
import { BookingList, type BookingListProps } from './BookingList.tsx'
import { BookingRow } from './BookingRow.tsx'
import { DayRoutes } from './DayRoutes.tsx'
import { NextStep } from './NextStep.tsx'
import { OtherPendingItems, type WaitingProps } from './OtherPendingItems.tsx'
import { ClosedTasks, PostedTasks } from './PostedTasks.tsx'

type BookingTabProps = Pick<BookingListProps, 'all' | 'side' | 'wantedId' | 'onShow'> &
  Pick<WaitingProps, 'waiting'> & {
    tab: Tab
    slots: BookingSlots
    posted: PostedTask[]
    /** The booking whose review a dialog asks for at the moment. */
    reviewed: Booking | undefined
    contactOf: (booking: Booking) => Contact | undefined
    onOpen: (dialog: 'payment' | 'chat' | 'review', booking: Booking) => void
    onMoved: (from: Status, to: Tab) => void
  }

export function BookingTab({ tab, reviewed, contactOf, onOpen, onMoved, ...shared }: BookingTabProps) {
  const { t } = useTranslation()
  const { all, side, slots, posted } = shared
  const none = <NoBookings tab={tab} side={side} />
  if (tab === 'all' && all.length + posted.length === 0) return none
  const partsOf = (booking: Booking) => ({
    booking,
    side,
    slots,
    onMoved: (to: 'accepted' | 'completed') => onMoved(booking.status, to),
    onPay: () => onOpen('payment', booking),
    onChat: () => onOpen('chat', booking),
    onReleased: () => onOpen('review', booking),
  })
  const sections = sectionsOf(all, side)
  const lists: ListsProps = {
    ...shared,
    bookings: inTab(all, tab),
    none,
    render: (booking, belowRow = false) => (
      <BookingCard
        {...partsOf(booking)}
        belowRow={belowRow}
        contact={contactOf(booking)}
        askedElsewhere={booking.id === reviewed?.id}
      />
    ),
    step: (booking, onOpen) => <NextStep {...partsOf(booking)} onOpen={onOpen} />,
    placeOf: (booking) =>
      t(
        tab === 'all'
          ? `bookings.sections.${sections.get(booking.id) ?? sectionOf(booking, side)}`
          : `bookings.tabs.${tabOf(booking)}`,
      ),
    onAccepted: () => onMoved('pending', 'accepted'),
  }
  return <Lists sectioned={tab === 'all'} {...lists} />
}

type ListsProps = BookingListProps &
  Pick<WaitingProps, 'waiting'> & {
    posted: PostedTask[]
    slots: BookingSlots
    /** The action of a booking, shown on its row. */
    step: (booking: Booking, onOpen: () => void) => ReactNode
  }

/** The list of a tab; everything together is ordered by what needs this person, what is under way and what is past. */
function Lists({
  sectioned,
  posted,
  none,
  waiting,
  slots,
  step,
  ...lists
}: ListsProps & { sectioned: boolean }) {
  const narrow = useNarrow()
  const isPast = (booking: Booking) => sectionOf(booking, lists.side) === 'past'
  // A booking that ends while the person reads it stays open. For applicants who were not chosen, the row is enough.
  const endsOpen = ({ id, status }: Booking) =>
    !pastAtFirst.has(id) && !(lists.side === 'giver' && status === 'rejected')
  const [pastAtFirst] = useState(() => new Set(lists.all.filter(isPast).map(({ id }) => id)))
  const wanted = (booking: Booking) => booking.id === lists.wantedId
  const row = (booking: Booking, isLine = narrow, unfolded = wanted(booking)) => (
    <BookingRow
      whole={!isLine}
      booking={booking}
      side={lists.side}
      slots={slots}
      unfolded={unfolded}
      step={narrow ? (open) => step(booking, open) : undefined}
    >
      {lists.render(booking, isLine)}
    </BookingRow>
  )
  if (!sectioned)
    return (
      <BookingList none={none} {...lists} dense={narrow} render={(one, line) => row(one, line || narrow)} />
    )
  const sections = sectionsOf(lists.bookings, lists.side)
  return (
    <div className="flex flex-col gap-10 max-sm:gap-6">
      {SECTIONS.map((section) => {
        const bookings = lists.bookings.filter(({ id }) => sections.get(id) === section)
        return (
          <Fragment key={section}>
            {section === 'underWay' && (
              <PostedTasks
                tasks={posted.filter(({ status, applicants }) => status !== 'cancelled' && applicants === 0)}
              />
            )}
            <NamedSection section={section} bookings={bookings}>
              {section === 'underWay' && lists.side === 'tasker' && <DayRoutes bookings={lists.all} />}
              <BookingList
                {...lists}
                besides
                dense={narrow || section === 'past'}
                bookings={bookings}
                render={(booking, line) =>
                  section === 'past'
                    ? row(booking, true, wanted(booking) || (!line && endsOpen(booking)))
                    : row(booking, line || narrow)
                }
              />
              {section === 'needsYou' && (
                <OtherPendingItems
                  waiting={waiting}
                  bookings={lists.all}
                  side={lists.side}
                  besides={bookings.length > 0}
                  ActionItemList={slots.ActionItemList}
                />
              )}
              <ClosedTasks
                tasks={section === 'past' ? posted.filter(({ status }) => status === 'cancelled') : []}
              />
            </NamedSection>
          </Fragment>
        )
      })}
    </div>
  )
}

type NamedSectionProps = { section: Section; bookings: Booking[]; children: ReactNode }

function NamedSection({ section, bookings, children }: NamedSectionProps) {
  const { t } = useTranslation()
  // No tab has these: with them, the counts of the tabs add up to that of All.
  const cancelled = bookings.filter(({ status }) => status === 'cancelled').length
  return (
    <section
      aria-labelledby={`section-${section}`}
      // Its list stays mounted, to say where a booking went that leaves it.
      className={classes(
        'flex flex-col gap-4 max-sm:gap-2.5',
        section !== 'needsYou' && 'not-has-[li]:hidden',
      )}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={`section-${section}`} className="text-2xl max-sm:text-xl">
          {t(`bookings.sections.${section}`)}
        </h2>
        {section === 'past' && cancelled > 0 && (
          <p className="tabular text-sm text-ink-soft">
            {t('bookings.cancelledCount', { number: formatNumber(cancelled) })}
          </p>
        )}
      </div>
      {children}
    </section>
  )
}

function NoBookings({ tab, side }: { tab: Tab; side: Side }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={CalendarX}
      title={t(tab === 'all' ? 'bookings.none' : 'bookings.noneHere')}
      body={tab === 'all' && t(side === 'tasker' ? 'bookings.noneTasker' : 'bookings.noneGiver')}
      action={
        <Button asChild variant={tab === 'all' ? 'primary' : 'secondary'}>
          {side === 'tasker' ? (
            <Link to={browsePath()}>{t('bookings.findTasks')}</Link>
          ) : (
            <Link to={paths.postTask}>{t('bookings.postTask')}</Link>
          )}
        </Button>
      }
    />
  )
}
