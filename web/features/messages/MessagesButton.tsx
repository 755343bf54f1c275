// The messages button with its number of unread messages, on every page of a signed-in person (specification 000 §2). It floats
// in the margin of a wide window, where no content reaches, and stays in the sticky header of a narrower one.
import { MessageCircle } from 'lucide-react'
import { lazy, Suspense, startTransition, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CountAnnouncement } from '../../ui/CountAnnouncement.tsx'
import { CountBadge } from '../../ui/CountBadge.tsx'
import { useUnreadMessages } from './api/inbox.ts'

const loadDrawer = () => import('./MessagesDrawer.tsx')
const MessagesDrawer = lazy(loadDrawer)
// Without a connection it stays closed; the bar below the header says why.
const prepareDrawer = () => loadDrawer().catch(() => undefined)

export default function MessagesButton({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const known = useUnreadMessages(userId)
  const unread = known ?? 0
  const label = unread > 0 ? t('messages.open', { count: unread }) : t('messages.title')
  const [open, setOpen] = useState(false)
  /** The drawer is loaded when it is first wanted, and stays to slide out. */
  const [wanted, setWanted] = useState(false)
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={label}
        className="relative grid size-11 place-items-center rounded-md transition-colors duration-150 hover:bg-sunken xl:fixed xl:end-2 xl:bottom-4 xl:rounded-full xl:bg-sky xl:text-paper xl:shadow-float xl:hover:bg-sky-deep xl:focus-visible:rounded-full 2xl:end-4"
        onPointerEnter={() => void prepareDrawer()}
        onFocus={() => void prepareDrawer()}
        // The button answers first: drawing the conversations takes longer on a slow phone.
        onClick={() =>
          startTransition(() => {
            setWanted(true)
            setOpen(true)
          })
        }
      >
        <MessageCircle aria-hidden className="size-5.5" />
        <CountBadge
          count={unread}
          className="absolute start-5.5 top-0.5 ring-2 ring-paper xl:start-auto xl:-end-0.5 xl:-top-0.5"
        />
      </button>
      <CountAnnouncement count={known} text={label} />
      {wanted && (
        <Suspense>
          <MessagesDrawer userId={userId} open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  )
}
