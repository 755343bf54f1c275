// The newest notifications in a scrolling list 400px high, and the way to all of them.
import { useQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { currentLanguage } from '../../i18n/index.ts'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { notificationsQuery, notificationTextsQuery } from './api/queries.ts'
import { inNewTab, NotificationItem } from './NotificationItem.tsx'

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
  if (notifications.data.length === 0) {
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
    <>
      <ul className={classes(BODY_CLASSES, 'divide-y divide-line')}>
        {notifications.data.map((notification) => (
          <li key={notification.id}>
            <NotificationItem notification={notification} userId={userId} onFollow={onFollow} />
          </li>
        ))}
      </ul>
      <Link
        to={paths.notifications}
        onClick={(event) => !inNewTab(event) && onFollow()}
        className="flex min-h-12 shrink-0 items-center justify-center border-t border-line px-4 font-semibold text-sky hover:bg-sunken focus-visible:outline-offset-[-3px]"
      >
        {t('notifications.seeAll')}
      </Link>
    </>
  )
}

// As high as what there is to read, up to the 400 pixels of the ten.
const BODY_CLASSES = 'max-h-[400px] min-h-0 overflow-y-auto overscroll-contain'

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
