// A booking's chat, as high as what holds it: the conversation scrolls, the box to write in stays below.
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../lib/session.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { useMarkRead, useMessages } from './api/queries.ts'
import { Conversation } from './Conversation.tsx'
import { useWaiting } from './outbox.ts'
import { WriteBox } from './WriteBox.tsx'

export type ChatPartners = { bookingId: string; otherId: string; otherName: string }

/** With `takesFocus` the box to write in has the focus from the start; a dialog opens on it by itself. */
export function Chat({ takesFocus = false, ...partners }: ChatPartners & { takesFocus?: boolean }) {
  return (
    <>
      <Messages {...partners} />
      <footer className="border-t border-line px-4 py-3">
        <WriteBox {...partners} takesFocus={takesFocus} />
      </footer>
    </>
  )
}

function Messages({ bookingId, otherName }: ChatPartners) {
  const { t } = useTranslation()
  const userId = useUserId()
  const messages = useMessages(bookingId)
  const { data } = messages
  const waiting = useWaiting().filter(
    (message) => message.bookingId === bookingId && !data?.some(({ id }) => id === message.id),
  )
  useMarkRead(bookingId, userId, data)

  if (data) {
    return (
      <Conversation
        messages={data}
        waiting={waiting}
        older={messages}
        userId={userId}
        otherName={otherName}
      />
    )
  }
  if (messages.isLoadingError)
    return (
      <div className="min-h-0 flex-1 overflow-y-auto p-5">
        <ErrorState error={messages.error} onRetry={messages.refetch} />
      </div>
    )
  return (
    <div aria-busy className="flex min-h-0 flex-1 flex-col gap-3 p-5">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="h-11 w-3/5 rounded-lg" />
      <Skeleton className="h-11 w-2/5 self-end rounded-lg" />
    </div>
  )
}
