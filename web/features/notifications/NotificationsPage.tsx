// /notifications: all of a person's notifications, newest first, by day; the bell ends with a link to it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { BellOff, Settings } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { currentLanguage } from '../../i18n/index.ts'
import { formatDayName } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { MorePages } from '../../ui/MorePages.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useAction } from '../../ui/useAction.ts'
import { markAllNotificationsRead } from './api/actions.ts'
import {
  allNotificationsQuery,
  type Notification,
  notificationCountQuery,
  notificationTextsQuery,
  SHOWN,
  type Shown,
  useUnreadNotifications,
} from './api/queries.ts'
import { NotificationItem } from './NotificationItem.tsx'

export default function NotificationsPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const [address, setAddress] = useSearchParams()
  const shown = SHOWN.find((known) => known === address.get('show')) ?? 'all'
  const unread = useUnreadNotifications(userId)
  const heading = useRef<HTMLHeadingElement>(null)
  const markAll = useAction(markAllNotificationsRead(userId), {
    // The button goes with the last unread one; what it acted on keeps the focus.
    onSuccess: () => heading.current?.focus(),
    onError: t('notifications.error'),
  })
  return (
    <Page width="narrow">
      <header className="mb-4 flex flex-wrap items-center justify-between gap-x-2">
        <h1 ref={heading} tabIndex={-1} className="min-w-0 flex-1 text-2xl focus:outline-none sm:text-4xl">
          {t('notifications.label')}
        </h1>
        {unread !== undefined && unread > 0 && (
          <Button
            variant="ghost"
            className="text-sky max-sm:order-last max-sm:-ms-4"
            loading={markAll.isPending}
            onClick={() => markAll.mutate()}
          >
            <span className="inline-block first-letter:uppercase">{t('notifications.markAll')}</span>
          </Button>
        )}
        <Button asChild variant="ghost" size="icon">
          <Link to={paths.notificationSettings} aria-label={t('layout.titles.notificationSettings')}>
            <Settings aria-hidden className="!size-5.5" />
          </Link>
        </Button>
        <span aria-hidden className="basis-full sm:hidden" />
      </header>
      <Tabs<Shown>
        label={t('notificationsPage.which')}
        value={shown}
        onChange={(next) =>
          setAddress(next === 'all' ? {} : { show: next }, { replace: true, preventScrollReset: true })
        }
        tabs={SHOWN.map((value) => ({
          value,
          label: t(`notificationsPage.show.${value}`),
          ...(value === 'unread' && { count: unread ?? null }),
          content: <List shown={value} />,
        }))}
      />
    </Page>
  )
}

function List({ shown }: { shown: Shown }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const notifications = useInfiniteQuery(allNotificationsQuery(userId, shown))
  const words = useQuery(notificationTextsQuery(currentLanguage()))
  const count = useQuery({
    ...notificationCountQuery(userId, shown),
    enabled: notifications.hasNextPage,
  })
  const list = useRef<HTMLDivElement>(null)
  if (notifications.isPending || words.isPending) return <Loading />
  if (notifications.isLoadingError) {
    return (
      <ErrorState
        title={t('notifications.failed')}
        error={notifications.error}
        onRetry={() => notifications.refetch()}
      />
    )
  }
  const found = notifications.data
  if (found.length === 0) {
    return (
      <EmptyState
        icon={BellOff}
        title={t(`notificationsPage.empty.${shown}`)}
        body={t(`notificationsPage.emptyBody.${shown}`)}
      />
    )
  }
  return (
    <>
      <div ref={list} className="flex flex-col gap-8">
        {byDay(found).map(({ name, first, items }) => (
          <section key={name}>
            <h2 className="mb-3 text-xl first-letter:uppercase">{name}</h2>
            <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
              {items.map((notification, at) => (
                <li key={notification.id} aria-posinset={first + at} aria-setsize={count.data ?? -1}>
                  <NotificationItem notification={notification} userId={userId} whole />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <MorePages
        pages={notifications}
        list={list}
        shown={found.length}
        total={count.data}
        label={t('notificationsPage.more')}
      />
    </>
  )
}

type Day = { name: string; first: number; items: Notification[] }

/** In the order given: each day with its rows, and which of all the first of them is, from 1. */
function byDay(notifications: Notification[]): Day[] {
  const days: Day[] = []
  notifications.forEach((notification, at) => {
    const name = formatDayName(notification.created_at)
    const day = days.at(-1)
    if (day?.name === name) day.items.push(notification)
    else days.push({ name, first: at + 1, items: [notification] })
  })
  return days
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="mb-3 h-7 w-28" />
      <Skeleton className="h-96 w-full rounded-lg" />
    </div>
  )
}
