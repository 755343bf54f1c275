// /bookings: every application and booking of a person, by state (specification 001 §2). The address holds the tab.
import { CalendarX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { browsePath, paths } from '../../lib/paths.ts'
import { useRoleQuery, useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { useHeldFocus } from '../../ui/heldFocus.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { type Booking, type Side, type Status, useBookings, useContacts } from './api.ts'
import { BookingCard } from './BookingCard.tsx'
import type { BookingSlots } from './slots.ts'

const tabs = ['all', 'pending', 'accepted', 'in_progress', 'completed', 'rejected'] as const
type Tab = (typeof tabs)[number]
const pageSize = 10
const reachable: Status[] = ['accepted', 'in_progress', 'completed']

export function BookingsPage({ slots }: { slots: BookingSlots }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const role = useRoleQuery()
  const side: Side | undefined = role.isSuccess ? (role.data === 'task_doer' ? 'tasker' : 'giver') : undefined
  const bookings = useBookings(userId, side)
  const contacts = useContacts(
    (bookings.data ?? [])
      .filter((booking) => reachable.includes(booking.status))
      .map((booking) => (side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)),
  )

  const [address, setAddress] = useSearchParams()
  const tab = tabs.find((known) => known === address.get('tab')) ?? 'all'
  const choose = (next: Tab) => setAddress(next === 'all' ? {} : { tab: next }, { preventScrollReset: true })
  /** Keeps a booking in sight that its person has just moved out of the tab. */
  const follow = (from: Tab | Status, to: Tab) => tab === from && choose(to)
  const inTab = (of: Tab) => (bookings.data ?? []).filter((booking) => of === 'all' || booking.status === of)

  const contactOf = (booking: Booking) =>
    reachable.includes(booking.status)
      ? contacts.data?.get(side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)
      : undefined

  const [payingId, setPayingId] = useState<string | null>(null)
  const paying = bookings.data?.find((booking) => booking.id === payingId)
  const stopPaying = () => {
    setPayingId(null)
    if (paying?.status === 'in_progress') follow('accepted', 'in_progress')
  }

  const failed = role.error ?? (bookings.data ? null : bookings.error)
  return (
    <Page>
      <PageHeader
        title={t('bookings.title')}
        subtitle={side && t(side === 'tasker' ? 'bookings.subtitleTasker' : 'bookings.subtitleGiver')}
        className="mb-6"
      />
      {failed ? (
        <ErrorState error={failed} onRetry={() => (role.isError ? role.refetch() : bookings.refetch())} />
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
                <Nothing tab={value} side={side} />
              ) : (
                <List
                  bookings={inTab(value)}
                  payingId={payingId}
                  render={(booking) => (
                    <BookingCard
                      booking={booking}
                      side={side}
                      contact={contactOf(booking)}
                      slots={slots}
                      onMoved={(to) => follow(booking.status, to)}
                      onPay={() => setPayingId(booking.id)}
                    />
                  )}
                />
              ),
          }))}
        />
      )}
      {paying && <slots.PaymentDialog booking={paying} onClose={stopPaying} />}
    </Page>
  )
}

function List({
  bookings,
  payingId,
  render,
}: {
  bookings: Booking[]
  payingId: string | null
  render: (booking: Booking) => ReactNode
}) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(pageSize)
  return (
    <>
      <ul className="flex flex-col gap-4">
        {bookings.slice(0, shown).map((booking) => (
          <Place key={booking.id} booking={booking} paying={booking.id === payingId}>
            {render(booking)}
          </Place>
        ))}
      </ul>
      {bookings.length > shown && (
        <div className="mt-8 flex justify-center">
          <Button variant="secondary" size="lg" onClick={() => setShown(shown + pageSize)}>
            {t('bookings.showMore')}
          </Button>
        </div>
      )}
    </>
  )
}

/** A booking's place in the list; the focus stays with it while its buttons come and go. */
function Place({ booking, paying, children }: { booking: Booking; paying: boolean; children: ReactNode }) {
  const { status, payment } = booking
  const held = useHeldFocus(booking.id, `${status} ${payment?.escrow_status} ${paying}`)
  return (
    <li {...held} className="rounded-lg focus-visible:rounded-lg">
      {children}
    </li>
  )
}

function Nothing({ tab, side }: { tab: Tab; side: Side }) {
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
