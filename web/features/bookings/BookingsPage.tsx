// /bookings: every application and booking of a person, by state (specification 001 §2). The address holds the tab.
import { useQuery } from '@tanstack/react-query'
import { CalendarX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useSearchParams } from 'react-router'
import { BOOKING_PARAMETER, browsePath, paths } from '../../lib/paths.ts'
import { useRoleQuery, useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useKeptFocus } from '../../ui/useKeptFocus.ts'
import { type Booking, contactsQuery, type Side, type Status, useBookings } from './api/queries.ts'
import { BookingCard } from './BookingCard.tsx'
import type { BookingSlots } from './slots.ts'

const tabs = ['all', 'pending', 'accepted', 'in_progress', 'completed', 'rejected'] as const
type Tab = (typeof tabs)[number]
const PAGE_SIZE = 10
const reachable: Status[] = ['accepted', 'in_progress', 'completed']

export function BookingsPage({ slots }: { slots: BookingSlots }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const role = useRoleQuery()
  const side: Side | undefined = role.isSuccess ? (role.data === 'task_doer' ? 'tasker' : 'giver') : undefined
  const bookings = useBookings(userId, side)
  const contacts = useQuery(
    contactsQuery(
      (bookings.data ?? [])
        .filter((booking) => reachable.includes(booking.status))
        .map((booking) => (side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)),
    ),
  )

  const [address, setAddress] = useSearchParams()
  const wantedId = address.get(BOOKING_PARAMETER)
  const tab = tabs.find((known) => known === address.get('tab')) ?? 'all'
  const choose = (next: Tab) => setAddress(next === 'all' ? {} : { tab: next }, { preventScrollReset: true })
  /** Keeps a booking in sight that its person has just moved out of the tab. */
  const follow = (from: Tab | Status, to: Tab) => tab === from && choose(to)
  const inTab = (of: Tab) => (bookings.data ?? []).filter((booking) => of === 'all' || booking.status === of)

  const contactOf = (booking: Booking) =>
    reachable.includes(booking.status)
      ? contacts.data?.get(side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)
      : undefined

  const notYours = bookings.data && wantedId && !bookings.data.some(({ id }) => id === wantedId)
  useEffect(() => {
    if (notYours) toast.info(t('bookings.notYours'), { id: 'booking' })
  }, [notYours, t])

  const [payingId, setPayingId] = useState<string | null>(null)
  const paying = bookings.data?.find((booking) => booking.id === payingId)
  const stopPaying = () => {
    setPayingId(null)
    if (paying?.status === 'in_progress') follow('accepted', 'in_progress')
  }

  const [releasedId, setReleasedId] = useState<string | null>(null)
  const released = bookings.data?.find((booking) => booking.id === releasedId)

  const failed = (role.isLoadingError ? role.error : null) ?? (bookings.data ? null : bookings.error)
  return (
    <Page>
      <PageHeader
        title={t('bookings.title')}
        subtitle={side && t(side === 'tasker' ? 'bookings.subtitleTasker' : 'bookings.subtitleGiver')}
        className="mb-6"
      />
      {failed ? (
        <ErrorState
          error={failed}
          onRetry={() => (role.isLoadingError ? role.refetch() : bookings.refetch())}
        />
      ) : (
        <Tabs
          label={t('bookings.tabsLabel')}
          value={tab}
          onChange={choose}
          tabs={tabs.map((value) => ({
            value,
            label: t(`bookings.tabs.${value}`),
            count: bookings.data && inTab(value).length,
            content:
              !bookings.data || !side ? (
                <Loading />
              ) : inTab(value).length === 0 ? (
                <NoBookings tab={value} side={side} />
              ) : (
                <List
                  bookings={inTab(value)}
                  busyId={payingId ?? releasedId}
                  wantedId={wantedId}
                  render={(booking) => (
                    <BookingCard
                      booking={booking}
                      side={side}
                      contact={contactOf(booking)}
                      slots={slots}
                      onMoved={(to) => follow(booking.status, to)}
                      onPay={() => setPayingId(booking.id)}
                      onReleased={() => setReleasedId(booking.id)}
                      askedElsewhere={booking.id === releasedId}
                    />
                  )}
                />
              ),
          }))}
        />
      )}
      {paying && <slots.PaymentDialog booking={paying} onClose={stopPaying} />}
      {released && <slots.ReleasedDialog booking={released} onClose={() => setReleasedId(null)} />}
    </Page>
  )
}

function List({
  bookings,
  busyId,
  wantedId,
  render,
}: {
  bookings: Booking[]
  /** The booking that a dialog of the page is about. */
  busyId: string | null
  wantedId: string | null
  render: (booking: Booking) => ReactNode
}) {
  const { t } = useTranslation()
  const wantedPlace = bookings.findIndex(({ id }) => id === wantedId) + 1
  const [shown, setShown] = useState(Math.ceil(Math.max(wantedPlace, 1) / PAGE_SIZE) * PAGE_SIZE)
  return (
    <>
      <ul className="flex flex-col gap-4">
        {bookings.slice(0, shown).map((booking) => (
          <BookingItem
            key={booking.id}
            booking={booking}
            busy={booking.id === busyId}
            wanted={booking.id === wantedId}
          >
            {render(booking)}
          </BookingItem>
        ))}
      </ul>
      {bookings.length > shown && (
        <div className="mt-8 flex justify-center">
          <Button variant="secondary" size="lg" onClick={() => setShown(shown + PAGE_SIZE)}>
            {t('bookings.showMore')}
          </Button>
        </div>
      )}
    </>
  )
}

/**
 * A booking's place in the list; the focus stays with it while its buttons come and go. The one that the address names is
 * marked, and is where the page begins.
 */
function BookingItem({
  booking,
  busy,
  wanted,
  children,
}: {
  booking: Booking
  busy: boolean
  wanted: boolean
  children: ReactNode
}) {
  const { status, payment, complaint, reviews } = booking
  const held = useKeptFocus(
    booking.id,
    `${status} ${payment?.escrow_status} ${complaint?.answered_at} ${reviews.length} ${busy}`,
  )
  const { ref } = held
  const { key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link followed once more leads there once more
  useEffect(() => {
    if (!wanted) return
    ref.current?.scrollIntoView({ block: 'start' })
    ref.current?.focus({ preventScroll: true })
  }, [wanted, ref, key])
  return (
    <li
      {...held}
      className={classes(
        'scroll-mt-24 rounded-lg focus-visible:rounded-lg',
        wanted && 'outline-2 outline-offset-2 outline-wheat-deep',
      )}
    >
      {children}
    </li>
  )
}

function NoBookings({ tab, side }: { tab: Tab; side: Side }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={CalendarX}
      title={t(tab === 'all' ? 'bookings.none' : 'bookings.noneHere')}
      body={t(side === 'tasker' ? 'bookings.noneTasker' : 'bookings.noneGiver')}
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

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="flex flex-col gap-4">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      {[1, 2, 3].map((card) => (
        <Skeleton key={card} className="h-56 rounded-lg" />
      ))}
    </div>
  )
}
