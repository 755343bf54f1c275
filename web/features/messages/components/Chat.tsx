// A booking's chat, as high as what holds it: the conversation scrolls, the box to write in stays below.
import { useTranslation } from 'react-i18next'
import { useWaiting } from '../../../lib/outbox.ts'
import { useUserId } from '../../../lib/session.tsx'
import { PushQuestion } from '../../../ui/PushQuestion.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { usePresence } from '../api/presence.ts'
import { useMarkRead, useMessages } from '../api/queries.ts'
import { Conversation } from './Conversation.tsx'
import { type ChatPartners, WriteBox } from './WriteBox.tsx'

/** With `takesFocus` the box to write in has the focus from the start; a dialog opens on it by itself. */
export function Chat({ takesFocus = false, ...partners }: ChatPartners & { takesFocus?: boolean }) {
  const userId = useUserId()
  const { online, typing, tell } = usePresence(partners.bookingId, userId)
  return (
    <>
      <Messages {...partners} />
      <footer className="border-t border-line px-4 pb-3">
        <PushQuestion userId={userId} after="written" className="mt-3" />
        <Presence online={online} typing={typing} otherName={partners.otherName} />
        <WriteBox {...partners} takesFocus={takesFocus} onTyping={tell} />
      </footer>
    </>
  )
}

/** That the other is here, or is typing; the line keeps its height, so that nothing moves when they come and go. */
function Presence({ online, typing, otherName }: { online: boolean; typing: boolean; otherName: string }) {
  const { t } = useTranslation()
  return (
    <p role="status" className="flex h-7 items-center gap-2 text-sm text-ink-soft">
      {(online || typing) && <span aria-hidden className="size-2 shrink-0 rounded-full bg-success" />}
      <span className="truncate">
        {typing
          ? t('messages.typing', { name: otherName })
          : online
            ? t('messages.online', { name: otherName })
            : ''}
      </span>
    </p>
  )
}

function Messages({ bookingId, otherName }: ChatPartners) {
  const { t } = useTranslation()
  const userId = useUserId()
  const messages = useMessages(bookingId)
  const { data } = messages
  const waiting = useWaiting('message').filter(
    (message) => message.content.bookingId === bookingId && !data?.some(({ id }) => id === message.id),
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
