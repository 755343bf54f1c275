// The newest notifications in a scrolling list 400px high; a click marks one as read and opens where it leads.
import { useQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { currentLanguage } from '../../i18n/index.ts'
import { notificationText } from '../../i18n/written.ts'
import { formatNumber } from '../../lib/format.ts'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import { markNotificationRead } from './api/actions.ts'
import { type Notification, notificationsQuery, notificationTextsQuery } from './api/queries.ts'

export function NotificationList({ userId, onFollow }: { userId: string; onFollow: () => void }) {
  const { t } = useTranslation()
  const notifications = useQuery(notificationsQuery(userId))
  const words = useQuery(notificationTextsQuery(currentLanguage()))
  if (notifications.isPending || words.isPending) return <Loading />
  if (!notifications.data && notifications.isPaused) return <ErrorState onRetry={notifications.refetch} />
  if (!notifications.data) {
    return (
      <div
        role="alert"
        className={classes(
          BODY_CLASSES,
          'grid place-content-center justify-items-center gap-3 px-6 py-12 text-center',
        )}
      >
        <p className="text-ink-soft">{t('notifications.failed')}</p>
        <Button variant="secondary" size="sm" onClick={() => notifications.refetch()}>
          {t('ui.tryAgain')}
        </Button>
      </div>
    )
  }
  const { newest, total } = notifications.data
  if (newest.length === 0) {
    return (
      <div
        className={classes(
          BODY_CLASSES,
          'grid place-content-center justify-items-center gap-3 px-6 py-12 text-center',
        )}
      >
        <span className="grid size-14 place-items-center rounded-full bg-sunken text-ink-soft">
          <BellOff aria-hidden className="size-6" />
        </span>
        <p className="text-ink-soft first-letter:uppercase">{t('notifications.none')}</p>
      </div>
    )
  }
  return (
    <ul className={classes(BODY_CLASSES, 'divide-y divide-line')}>
      {newest.map((notification) => (
        <li key={notification.id}>
          <Item notification={notification} userId={userId} onFollow={onFollow} />
        </li>
      ))}
      {total > newest.length && (
        <li className="tabular px-4 py-3 text-center text-sm text-ink-faint">
          {t('notifications.newestOf', {
            shown: formatNumber(newest.length),
            total: formatNumber(total),
          })}
        </li>
      )}
    </ul>
  )
}

// As high as what there is to read, up to the 400 pixels of the ten.
const BODY_CLASSES = 'max-h-[400px] min-h-0 overflow-y-auto overscroll-contain'

const ITEM_CLASSES =
  'flex w-full gap-3 px-4 py-3 text-start hover:bg-sunken focus-visible:outline-offset-[-3px] focus-visible:rounded-none'

function Item({
  notification,
  userId,
  onFollow,
}: {
  notification: Notification
  userId: string
  onFollow: () => void
}) {
  const { t } = useTranslation()
  const { id, link, read, created_at } = notification
  const language = currentLanguage()
  const { title, message } = notificationText(
    notification,
    language,
    useQuery(notificationTextsQuery(language)).data,
  )
  // One that could not be marked stays unread and is marked with the next click.
  const marking = useAction(markNotificationRead(userId, id))
  const mark = () => {
    if (!read) marking.mutate()
  }
  const content = (
    <>
      <span aria-hidden className={classes('mt-2 size-2 shrink-0 rounded-full', !read && 'bg-sky')} />
      <span className="min-w-0 flex-1">
        {!read && (
          <span className="sr-only">{t('ui.labelled', { label: t('notifications.unread'), value: '' })}</span>
        )}
        <span dir="auto" className={classes('block leading-snug', read ? 'font-medium' : 'font-bold')}>
          {title}
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-3 text-sm wrap-anywhere text-ink-soft">
          {message}
        </span>
        <RelativeTime at={created_at} className="mt-1 block text-sm text-ink-faint" />
      </span>
    </>
  )
  if (!link) {
    return (
      <button type="button" className={ITEM_CLASSES} onClick={mark}>
        {content}
      </button>
    )
  }
  return (
    <Link
      to={link}
      className={ITEM_CLASSES}
      onClick={(event) => {
        mark()
        // In a new tab it opens beside this list, which then stays.
        if (!event.metaKey && !event.ctrlKey && !event.shiftKey) onFollow()
      }}
    >
      {content}
    </Link>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className={classes(BODY_CLASSES, 'flex flex-col gap-6 p-4')}>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      {[1, 2, 3, 4].map((row) => (
        <div key={row} className="flex flex-col gap-2 ps-5">
          <Skeleton className="w-2/5" />
          <Skeleton className="w-full" />
        </div>
      ))}
    </div>
  )
}
