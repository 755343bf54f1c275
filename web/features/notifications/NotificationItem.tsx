// One notification, in the bell and on its page: a click marks it as read and opens where it leads.
import { useQuery } from '@tanstack/react-query'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notificationText } from '../../i18n/databaseTexts.ts'
import { currentLanguage } from '../../i18n/index.ts'
import { formatTime, withClock } from '../../lib/format.ts'
import { classes } from '../../ui/classes.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useAction } from '../../ui/useAction.ts'
import { markNotificationRead } from './api/actions.ts'
import { type Notification, notificationTextsQuery } from './api/queries.ts'

/** A link that opens in a new tab leaves the list open. */
export const inNewTab = ({ metaKey, ctrlKey, shiftKey }: MouseEvent) => metaKey || ctrlKey || shiftKey

const CLASSES =
  'flex w-full gap-3 px-4 py-3 text-start hover:bg-sunken focus-visible:outline-offset-[-3px] focus-visible:rounded-none'

type NotificationItemProps = {
  notification: Notification
  userId: string
  /** Its link is followed in this window. */
  onFollow?: () => void
  /** Below the name of its day: with all of its message, and the time of day. */
  whole?: boolean
}

export function NotificationItem({ notification, userId, onFollow, whole = false }: NotificationItemProps) {
  const { t } = useTranslation()
  const { id, link, read, created_at } = notification
  const words = useQuery(notificationTextsQuery(currentLanguage())).data
  const { title, message } = notificationText(notification, words)
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
        {/* In the page's direction: a sentence of ours may begin with a name in another one. */}
        <span className={classes('block leading-snug', read ? 'font-medium' : 'font-bold')}>{title}</span>
        <span
          className={classes('mt-0.5 block text-sm wrap-anywhere text-ink-soft', !whole && 'line-clamp-3')}
        >
          {message}
        </span>
        {whole ? (
          <time dateTime={created_at} className="tabular mt-1 block text-sm text-ink-faint">
            {withClock(formatTime(created_at), created_at)}
          </time>
        ) : (
          <RelativeTime at={created_at} className="mt-1 block text-sm text-ink-faint" />
        )}
      </span>
    </>
  )
  if (!link) {
    return (
      <button type="button" className={CLASSES} onClick={mark}>
        {content}
      </button>
    )
  }
  return (
    <Link
      to={link}
      className={CLASSES}
      onClick={(event) => {
        mark()
        if (!inNewTab(event)) onFollow?.()
      }}
    >
      {content}
    </Link>
  )
}
