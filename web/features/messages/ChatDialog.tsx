// Messages: the conversation of a booking's two people (specification 001 §2, §4, §9).
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../lib/session.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { type Verifiable, VerifiedMark } from '../../ui/VerifiedMark.tsx'
import { useMarkRead, useMessages } from './api/queries.ts'
import { Conversation } from './Conversation.tsx'
import { WriteBox } from './WriteBox.tsx'

type ChatProps = {
  bookingId: string
  otherId: string
  otherName: string
  /** Null when they have left. */
  other: Verifiable | null
  /** The task's title. */
  title: string
  /** The work is done: the conversation goes on here and is no longer among the current ones. */
  completed: boolean
}

export function ChatDialog({
  open,
  onOpenChange,
  ...chat
}: ChatProps & { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('messages.title')}
      description={
        <div>
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="min-w-0 truncate font-semibold text-ink">{chat.otherName}</span>
            <VerifiedMark person={chat.other} />
          </p>
          <p className="truncate">{chat.title}</p>
          {chat.completed && <p className="mt-1 text-sm">{t('messages.completed')}</p>}
        </div>
      }
      footer={<WriteBox {...chat} />}
    >
      <Chat {...chat} />
    </Dialog>
  )
}

function Chat({ bookingId, otherName }: ChatProps) {
  const { t } = useTranslation()
  const userId = useUserId()
  const messages = useMessages(bookingId)
  useMarkRead(bookingId, userId, messages.data)

  if (messages.data) return <Conversation messages={messages.data} userId={userId} otherName={otherName} />
  if (messages.isLoadingError) return <ErrorState error={messages.error} onRetry={messages.refetch} />
  return (
    <div aria-busy className="flex min-h-64 flex-col gap-3">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="h-11 w-3/5 rounded-lg" />
      <Skeleton className="h-11 w-2/5 self-end rounded-lg" />
    </div>
  )
}
