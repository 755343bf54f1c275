// How many messages of a booking are unread, for the button that opens its chat.
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../../lib/session.tsx'
import { CountBadge } from '../../../ui/CountBadge.tsx'
import { useUnreadOf } from '../api/inbox.ts'

export function UnreadMark({ bookingId }: { bookingId: string }) {
  const { t } = useTranslation()
  const unread = useUnreadOf(bookingId, useUserId())
  if (unread === 0) return null
  return (
    <>
      <CountBadge count={unread} />
      <span className="sr-only">{t('messages.unread', { count: unread })}</span>
    </>
  )
}
