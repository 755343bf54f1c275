// The drawer: conversations of accepted and paid bookings, and the chat of the one that is chosen (specification 000 §2
// 'Messages drawer').
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { classes } from '../../ui/classes.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { useBackSteps } from '../../ui/useBackSteps.ts'
import { VerifiedMark } from '../../ui/VerifiedMark.tsx'
import type { ConversationSummary } from './api/inbox.ts'
import { Chat } from './components/Chat.tsx'
import { ConversationList } from './components/ConversationList.tsx'

export default function MessagesDrawer({
  userId,
  open,
  onOpenChange,
}: {
  userId: string
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<ConversationSummary | null>(null)
  /** Where the focus returns to in the list. */
  const [left, setLeft] = useState<string | null>(null)
  const change = (next: boolean) => {
    if (next) setLeft(null)
    onOpenChange(next)
  }
  const backToList = () => {
    setLeft(chosen?.bookingId ?? null)
    setChosen(null)
  }
  useBackSteps(open ? (chosen ? 2 : 1) : 0, (steps) => (steps > 0 ? backToList() : change(false)))
  // Closes after the linked page is shown, not before: closing takes steps of the browser's history back.
  const { key } = useLocation()
  const openedAt = useRef(key)
  useEffect(() => {
    if (!open) openedAt.current = key
    else if (openedAt.current !== key) onOpenChange(false)
  }, [open, key, onOpenChange])
  const otherName = chosen?.otherName ?? t('ui.deletedUser')
  return (
    <Sheet
      open={open}
      onOpenChange={change}
      title={chosen ? otherName : t('messages.title')}
      description={
        chosen && (
          <div
            className={classes(
              'flex flex-wrap items-center gap-x-1.5 text-sm text-ink-soft',
              // The sign alone on phones: it fits in one line with the title.
              chosen.other?.is_verified && 'max-sm:flex-nowrap',
            )}
          >
            <VerifiedMark person={chosen.other} />
            <p dir="auto" className="min-w-0 truncate">
              {chosen.title}
            </p>
          </div>
        )
      }
      back={chosen ? { label: t('messages.back'), onBack: backToList } : undefined}
      scrollsItself={chosen !== null}
    >
      {chosen ? (
        <Chat
          key={chosen.bookingId}
          bookingId={chosen.bookingId}
          otherId={chosen.otherId}
          otherName={otherName}
          takesFocus
        />
      ) : (
        <ConversationList userId={userId} focused={left} onChoose={setChosen} />
      )}
    </Sheet>
  )
}
