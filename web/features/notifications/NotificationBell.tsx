// The bell: how many notifications are unread, and the newest ten below it (specification 000 §2 'Notification bell').
import { Bell } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/Button.tsx'
import { CountAnnouncement } from '../../ui/CountAnnouncement.tsx'
import { CountBadge } from '../../ui/CountBadge.tsx'
import { Popover } from '../../ui/Popover.tsx'
import { useAction } from '../../ui/useAction.ts'
import { markAllNotificationsRead } from './api/actions.ts'
import { useUnreadNotifications } from './api/queries.ts'
import { NotificationList } from './NotificationList.tsx'

/** For a signed-in person: nothing is read for anyone else. */
export default function NotificationBell({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const known = useUnreadNotifications(userId)
  const unread = known ?? 0
  const label = unread > 0 ? t('notifications.labelUnread', { count: unread }) : t('notifications.label')
  const heading = useRef<HTMLHeadingElement>(null)
  /** A link was followed: the screen that it leads to takes the focus, not the bell. */
  const followed = useRef(false)
  const markAll = useAction(markAllNotificationsRead(userId), {
    // The button goes with the last unread one; what it acted on keeps the focus.
    onSuccess: () => heading.current?.focus(),
    onError: t('notifications.error'),
  })

  const onOpenChange = (next: boolean) => {
    followed.current = false
    setOpen(next)
  }
  const follow = () => {
    followed.current = true
    setOpen(false)
  }

  return (
    <>
      <CountAnnouncement count={known} text={label} />
      <Popover
        open={open}
        onOpenChange={onOpenChange}
        label={t('notifications.label')}
        className="w-80"
        onCloseAutoFocus={(event) => {
          if (!followed.current) return
          event.preventDefault()
          if (document.activeElement === document.body)
            document.getElementById('main')?.focus({ preventScroll: true })
        }}
        trigger={
          <Button variant="ghost" size="icon" className="relative" aria-label={label}>
            <Bell aria-hidden className="!size-5.5" />
            <CountBadge count={unread} className="absolute start-5.5 top-0.5 ring-2 ring-paper" />
          </Button>
        }
      >
        <div className="flex min-h-13 shrink-0 items-center justify-between gap-3 border-b border-line ps-4 pe-2">
          <h2 ref={heading} tabIndex={-1} className="text-lg focus:outline-none">
            {t('notifications.label')}
          </h2>
          {unread > 0 && (
            <Button
              variant="ghost"
              size="sm"
              className="px-2 text-sky"
              loading={markAll.isPending}
              onClick={() => markAll.mutate()}
            >
              <span className="inline-block first-letter:uppercase">{t('notifications.markAll')}</span>
            </Button>
          )}
        </div>
        <NotificationList userId={userId} onFollow={follow} />
      </Popover>
    </>
  )
}
