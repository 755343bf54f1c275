// The floating button with the number of unread messages, on every page of a signed-in person (specification 000 §2).
import { MessageCircle } from 'lucide-react'
import { lazy, Suspense, startTransition, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CountBadge } from '../../ui/CountBadge.tsx'
import { classes } from '../../ui/classes.ts'
import { GrownCount } from '../../ui/GrownCount.tsx'
import { useClearance } from '../../ui/useClearance.ts'
import { useUnreadMessages } from './api/inbox.ts'

const loadDrawer = () => import('./MessagesDrawer.tsx')
const MessagesDrawer = lazy(loadDrawer)
// Without a connection it stays closed; the bar below the header says why.
const prepareDrawer = () => loadDrawer().catch(() => undefined)

export function MessagesButton({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const known = useUnreadMessages(userId)
  const unread = known ?? 0
  const label = unread > 0 ? t('messages.open', { count: unread }) : t('messages.title')
  const [open, setOpen] = useState(false)
  /** The drawer is loaded when it is first wanted, and stays to slide out. */
  const [wanted, setWanted] = useState(false)
  const place = useRef<HTMLElement>(null)
  const { rise, aside } = useClearance(place)
  return (
    <aside
      ref={place}
      aria-label={t('messages.title')}
      className="pointer-events-none fixed end-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 size-11 sm:size-14 print:hidden"
    >
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={label}
        style={{ transform: `translateY(${-rise}px)` }}
        className={classes(
          'pointer-events-auto relative grid size-11 place-items-center sm:size-14 rounded-full bg-sky text-paper shadow-float transition-[transform,opacity,background-color] duration-200 hover:bg-sky-deep focus-visible:rounded-full',
          aside && 'max-sm:not-focus-visible:pointer-events-none max-sm:not-focus-visible:opacity-0',
        )}
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
        <MessageCircle aria-hidden className="size-5 sm:size-6" />
        <CountBadge count={unread} className="absolute -end-0.5 -top-0.5 h-5.5 min-w-5.5 ring-2 ring-paper" />
      </button>
      <GrownCount count={known} text={label} />
      {wanted && (
        <Suspense>
          <MessagesDrawer userId={userId} open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </aside>
  )
}
