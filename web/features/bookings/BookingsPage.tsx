// /bookings: every application and booking of a person, by state (specification 001 §2). The address holds the tab.
import { useQuery } from '@tanstack/react-query'
import { CalendarX } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { BOOKING_PARAMETER, browsePath, paths } from '../../lib/paths.ts'
import { useRoleQuery, useRoles, useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { PushQuestion } from '../../ui/PushQuestion.tsx'
import { RoleSwitch } from '../../ui/RoleSwitch.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useNarrow } from '../../ui/useNarrow.ts'
import { useRoleSwitch } from '../../ui/useRoleSwitch.ts'
import { type PostedTask, postedTasksQuery } from './api/posted.ts'
import { type Booking, CHATTING, contactsQuery, type Side, type Status, useBookings } from './api/queries.ts'
import { BookingCard } from './BookingCard.tsx'
import { BookingChat } from './components/BookingChat.tsx'
import { BookingList, type BookingListProps } from './components/BookingList.tsx'
import { BookingRow } from './components/BookingRow.tsx'
import { NextStep } from './components/NextStep.tsx'
import { OtherPendingItems, type WaitingProps } from './components/OtherPendingItems.tsx'
import { ClosedTasks, PostedTasks } from './components/PostedTasks.tsx'
import { SECTIONS, sectionOf } from './groups.ts'
import type { BookingSlots } from './slots.ts'
import { useLinkedBooking } from './useLinkedBooking.ts'

const TABS = ['all', 'pending', 'accepted', 'in_progress', 'completed', 'rejected'] as const
type Tab = (typeof TABS)[number]
/** The tab that shows a booking, in addition to 'all', which alone shows cancelled ones. */
const tabOf = ({ status }: Booking): Tab => (status === 'cancelled' ? 'all' : status)

export function BookingsPage({ slots }: { slots: BookingSlots }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const role = useRoleQuery()
  const side: Side | undefined = role.isSuccess ? (role.data === 'task_doer' ? 'tasker' : 'giver') : undefined
  const roles = useRoles()
  const { bookings, waiting } = useBookings(userId, side, roles)
  const contacts = useQuery(
    contactsQuery(
      (bookings.data ?? [])
        .filter((booking) => CHATTING.includes(booking.status))
        .map((booking) => (side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)),
    ),
  )

  const posted = useQuery({ ...postedTasksQuery(userId), enabled: side === 'giver' })

  // Once they are shown, lists stay while the contact of one more person is read.
  const [wasReady, setWasReady] = useState(false)
  if (!wasReady && bookings.data && side && ![posted, contacts, waiting].some(({ isLoading }) => isLoading))
    setWasReady(true)

  const [address, setAddress] = useSearchParams()
  const wantedId = useLinkedBooking(userId, address, bookings.data)
  const tab = TABS.find((known) => known === address.get('tab')) ?? 'all'
  const choose = (next: Tab) => setAddress(next === 'all' ? {} : { tab: next }, { preventScrollReset: true })
  /** Keeps a booking in sight that its person has just moved out of the tab. */
  const follow = (from: Tab | Status, to: Tab) => tab === from && choose(to)
  const inTab = (of: Tab) => (bookings.data ?? []).filter((booking) => of === 'all' || booking.status === of)

  const contactOf = (booking: Booking) =>
    CHATTING.includes(booking.status)
      ? contacts.data?.get(side === 'tasker' ? booking.task_giver_id : booking.task_doer_id)
      : undefined

  const switchTo = useRoleSwitch()

  const [payingId, setPayingId] = useState<string | null>(null)
  const paying = bookings.data?.find((booking) => booking.id === payingId)
  const stopPaying = () => {
    setPayingId(null)
    if (paying?.status === 'in_progress') follow('accepted', 'in_progress')
  }

  // Held here, so that the chat stays open when its booking moves to another tab.
  const [chattingId, setChattingId] = useState<string | null>(null)
  const chatting = bookings.data?.find(({ id, status }) => id === chattingId && CHATTING.includes(status))

  const [releasedId, setReleasedId] = useState<string | null>(null)
  const released = bookings.data?.find((booking) => booking.id === releasedId)

  const partsOf = (booking: Booking, of: Side) => ({
    booking,
    side: of,
    slots,
    onMoved: (to: 'accepted' | 'completed') => follow(booking.status, to),
    onPay: () => {
      // The sum needs the whole screen: an earlier toast would cover it.
      toast.dismiss()
      setPayingId(booking.id)
    },
    onChat: () => setChattingId(booking.id),
    onReleased: () => setReleasedId(booking.id),
  })

  const failed = (role.isLoadingError ? role.error : null) ?? (bookings.data ? null : bookings.error)
  return (
    <Page className="in-order">
      <PageHeader
        title={t('bookings.title')}
        subtitle={
          <span className="max-sm:hidden">
            {side ? (
              t(side === 'tasker' ? 'bookings.subtitleTasker' : 'bookings.subtitleGiver')
            ) : (
              <Skeleton className="h-7 w-96 max-w-full" />
            )}
          </span>
        }
        className="mb-6 max-sm:mb-3"
      />
      <RoleSwitch
        className="mb-6 max-sm:mb-3 sm:max-w-md"
        waiting={
          waiting.data && { sides: waiting.data.map((item) => item.side), label: t('actionItems.title') }
        }
        onSwitch={(next) => {
          setAddress({}, { preventScrollReset: true })
          switchTo(next)
        }}
      />
      <PushQuestion userId={userId} after="applied" className="mb-6" />
      {failed ? (
        <ErrorState
          error={failed}
          onRetry={() => (role.isLoadingError ? role.refetch() : bookings.refetch())}
        />
      ) : (
        <Tabs
          label={t('bookings.tabsLabel')}
          allInView
          value={tab}
          onChange={choose}
          tabs={TABS.map((value) => ({
            value,
            label: t(`bookings.tabs.${value}`),
            count: bookings.data ? inTab(value).length : null,
            content:
              !bookings.data || !side || !wasReady ? (
                <Loading />
              ) : value === 'all' && bookings.data.length + (posted.data?.length ?? 0) === 0 ? (
                <NoBookings tab={value} side={side} />
              ) : (
                <Lists
                  slots={slots}
                  sectioned={value === 'all'}
                  none={<NoBookings tab={value} side={side} />}
                  bookings={inTab(value)}
                  posted={posted.data ?? []}
                  waiting={waiting}
                  all={bookings.data}
                  side={side}
                  wantedId={wantedId}
                  render={(booking, belowRow = false) => (
                    <BookingCard
                      {...partsOf(booking, side)}
                      belowRow={belowRow}
                      contact={contactOf(booking)}
                      askedElsewhere={booking.id === releasedId}
                    />
                  )}
                  step={(booking, onOpen) => <NextStep {...partsOf(booking, side)} onOpen={onOpen} />}
                  placeOf={(booking) =>
                    t(
                      value === 'all'
                        ? `bookings.sections.${sectionOf(booking, side)}`
                        : `bookings.tabs.${tabOf(booking)}`,
                    )
                  }
                  onShow={(booking) =>
                    setAddress({
                      ...(value !== 'all' && tabOf(booking) !== 'all' && { tab: tabOf(booking) }),
                      [BOOKING_PARAMETER]: booking.id,
                    })
                  }
                  onAccepted={() => follow('pending', 'accepted')}
                />
              ),
          }))}
        />
      )}
      {posted.isLoadingError && !failed && (
        <ErrorState error={posted.error} onRetry={posted.refetch} className="mt-8" />
      )}
      {paying && <slots.PaymentDialog booking={paying} onClose={stopPaying} />}
      {chatting && side && (
        <BookingChat
          ChatDialog={slots.ChatDialog}
          booking={chatting}
          side={side}
          onClose={() => setChattingId(null)}
        />
      )}
      {released && <slots.ReleasedDialog booking={released} onClose={() => setReleasedId(null)} />}
    </Page>
  )
}

type ListsProps = BookingListProps &
  Pick<WaitingProps, 'waiting'> & {
    sectioned: boolean
    posted: PostedTask[]
    slots: BookingSlots
    /** The action of a booking, shown on its row. */
    step: (booking: Booking, onOpen: () => void) => ReactNode
  }

/**
 * The list of a tab; all of them together are ordered: those that need this person, those under way and those in the
 * past.
 */
function Lists({ sectioned, posted, none, waiting, slots, step, ...lists }: ListsProps) {
  const { t } = useTranslation()
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
    return <BookingList none={none} {...lists} dense={narrow} render={(booking) => row(booking)} />
  return (
    <div className="flex flex-col gap-10 max-sm:gap-6">
      {SECTIONS.map((section) => {
        const bookings = lists.bookings.filter((booking) => sectionOf(booking, lists.side) === section)
        // No tab has these: with them, the counts of the tabs add up to that of All.
        const cancelled = bookings.filter(({ status }) => status === 'cancelled').length
        const closed = section === 'past' ? posted.filter(({ status }) => status === 'cancelled') : []
        return (
          <Fragment key={section}>
            {section === 'underWay' && (
              <PostedTasks
                tasks={posted.filter(({ status, applicants }) => status !== 'cancelled' && applicants === 0)}
              />
            )}
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
              <BookingList
                {...lists}
                besides
                dense={narrow || section === 'past'}
                bookings={bookings}
                render={(booking) =>
                  section === 'past' ? row(booking, true, wanted(booking) || endsOpen(booking)) : row(booking)
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
              <ClosedTasks tasks={closed} />
            </section>
          </Fragment>
        )
      })}
    </div>
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
