// /bookings: every application and booking of a person, by state (specification 001 §2). The address holds the tab.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { BOOKING_PARAMETER } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { PushQuestion } from '../../ui/PushQuestion.tsx'
import { RoleSwitch } from '../../ui/RoleSwitch.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useRoleSwitch } from '../../ui/useRoleSwitch.ts'
import { type Booking, CHATTING, type Side, type Status } from './api/queries.ts'
import { BookingChat } from './components/BookingChat.tsx'
import { BookingTab } from './components/BookingTab.tsx'
import { countOf, inTab, TABS, type Tab, tabOf } from './groups.ts'
import type { BookingSlots } from './slots.ts'
import { useLinkedBooking } from './useLinkedBooking.ts'
import { useMyBookings } from './useMyBookings.ts'

export function BookingsPage({ slots }: { slots: BookingSlots }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const { side, bookings, waiting, posted, wasReady, contactOf, failure, retry } = useMyBookings(userId)

  const [address, setAddress] = useSearchParams()
  const wantedId = useLinkedBooking(userId, address, bookings.data)
  const tab = TABS.find((known) => known === address.get('tab')) ?? 'all'
  const choose = (next: Tab) => setAddress(next === 'all' ? {} : { tab: next }, { preventScrollReset: true })
  /** Keeps a booking in sight that its person has just moved out of the tab. */
  const follow = (from: Status, to: Tab) => tab === from && choose(to)
  const switchTo = useRoleSwitch()
  const { opened, open } = useOpened(bookings.data)

  return (
    <Page className="in-order">
      <Header side={side} />
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
      {failure ? (
        <ErrorState error={failure} onRetry={retry} />
      ) : (
        <Tabs
          label={t('bookings.tabsLabel')}
          allInView
          value={tab}
          onChange={choose}
          tabs={TABS.map((value) => ({
            value,
            label: t(`bookings.tabs.${value}`),
            count: bookings.data ? countOf(inTab(bookings.data, value)) : null,
            content:
              !bookings.data || !side || !wasReady ? (
                <Loading />
              ) : (
                <BookingTab
                  tab={value}
                  side={side}
                  slots={slots}
                  all={bookings.data}
                  posted={posted.data ?? []}
                  waiting={waiting}
                  wantedId={wantedId}
                  reviewed={opened.review}
                  contactOf={contactOf}
                  onOpen={open}
                  onMoved={follow}
                  onShow={(booking) =>
                    setAddress({
                      ...(value !== 'all' && tabOf(booking) !== 'all' && { tab: tabOf(booking) }),
                      [BOOKING_PARAMETER]: booking.id,
                    })
                  }
                />
              ),
          }))}
        />
      )}
      {posted.isLoadingError && !failure && (
        <ErrorState error={posted.error} onRetry={posted.refetch} className="mt-8" />
      )}
      <Dialogs opened={opened} side={side} slots={slots} onOpen={open} onMoved={follow} />
    </Page>
  )
}

function Header({ side }: { side: Side | undefined }) {
  const { t } = useTranslation()
  return (
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
  )
}

type Opened = Partial<Record<'payment' | 'chat' | 'review', Booking | undefined>>

/** Bookings with an open dialog. The page holds them, so that a dialog stays when its booking moves to another tab. */
function useOpened(bookings: Booking[] | undefined) {
  const [ids, setIds] = useState<Partial<Record<keyof Opened, string | null>>>({})
  const opened: Opened = {
    payment: bookings?.find(({ id }) => id === ids.payment),
    chat: bookings?.find(({ id, status }) => id === ids.chat && CHATTING.includes(status)),
    review: bookings?.find(({ id }) => id === ids.review),
  }
  const open = (dialog: keyof Opened, booking: Booking | null) => {
    // The sum has the screen: an earlier toast would cover it.
    if (dialog === 'payment' && booking) toast.dismiss()
    setIds((now) => ({ ...now, [dialog]: booking?.id ?? null }))
  }
  return { opened, open }
}

type DialogsProps = {
  opened: Opened
  side: Side | undefined
  slots: BookingSlots
  onOpen: (dialog: keyof Opened, booking: null) => void
  onMoved: (from: Status, to: Tab) => void
}

function Dialogs({ opened: { payment, chat, review }, side, slots, onOpen, onMoved }: DialogsProps) {
  const stopPaying = () => {
    onOpen('payment', null)
    if (payment?.status === 'in_progress') onMoved('accepted', 'in_progress')
  }
  return (
    <>
      {payment && <slots.PaymentDialog booking={payment} onClose={stopPaying} />}
      {chat && side && (
        <BookingChat
          ChatDialog={slots.ChatDialog}
          booking={chat}
          side={side}
          onClose={() => onOpen('chat', null)}
        />
      )}
      {review && <slots.ReleasedDialog booking={review} onClose={() => onOpen('review', null)} />}
    </>
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
