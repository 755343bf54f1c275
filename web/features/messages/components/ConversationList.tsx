// The drawer's conversations: with whom, about which task, the last message, and how many are unread.
import { Archive, ChevronRight, MessagesSquare, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { bookingPath } from '../../../lib/paths.ts'
import { useRoles } from '../../../lib/session.tsx'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CountBadge } from '../../../ui/CountBadge.tsx'
import { classes } from '../../../ui/classes.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import {
  type ConversationSummary,
  type PastUnread,
  useConversations,
  useUnreadElsewhere,
} from '../api/inbox.ts'

type ListProps = {
  userId: string
  /** The booking whose chat was left: its entry takes the focus. */
  focused: string | null
  onChoose: (conversation: ConversationSummary) => void
}

export function ConversationList({ userId, focused, onChoose }: ListProps) {
  const { t } = useTranslation()
  const conversations = useConversations(userId)
  const elsewhere = useUnreadElsewhere(userId, conversations.data)
  /** The button that asks again had the focus: the first entry takes it over. */
  const [wasFocused, setWasFocused] = useState(false)
  // Asked again after a failure, the button stays where it is, and with it the focus.
  if (!conversations.data && conversations.errorUpdateCount === 0) return <Loading />
  if (!conversations.data && conversations.isPaused) return <ErrorState onRetry={conversations.refetch} />
  if (!conversations.data) {
    return (
      <div className="grid h-full place-content-center p-6">
        <Button
          variant="secondary"
          loading={conversations.isFetching}
          onClick={() => conversations.refetch()}
          onFocus={() => setWasFocused(true)}
          onBlur={() => setWasFocused(false)}
        >
          <RotateCw aria-hidden />
          <span>{t('ui.tryAgain')}</span>
        </Button>
      </div>
    )
  }
  const past = elsewhere && <PastBookings {...elsewhere} />
  if (conversations.data.length === 0) {
    return (
      <div className="flex h-full flex-col">
        {past}
        <NoConversations />
      </div>
    )
  }
  return (
    <>
      <ul className="divide-y divide-line">
        {conversations.data.map((conversation, index) => (
          <li key={conversation.bookingId}>
            <Entry
              conversation={conversation}
              focused={focused === conversation.bookingId || (wasFocused && focused === null && index === 0)}
              onChoose={() => onChoose(conversation)}
            />
          </li>
        ))}
      </ul>
      {past}
    </>
  )
}

function NoConversations() {
  const { t } = useTranslation()
  return (
    <div className="grid flex-1 place-content-center justify-items-center gap-2 p-6 text-center">
      <span className="mb-2 grid size-16 place-items-center rounded-full bg-sunken text-ink-soft">
        <MessagesSquare aria-hidden className="size-7" />
      </span>
      <p className="font-display text-lg font-bold">{t('messages.noConversations')}</p>
      <p className="text-ink-soft">{t('messages.startByAccepting')}</p>
    </div>
  )
}

/** Unread messages that the button counts and no conversation contains. They are shown with their bookings. */
function PastBookings({ count, bookings }: { count: number; bookings: PastUnread[] }) {
  const { t } = useTranslation()
  return (
    <section aria-labelledby="unread-past" className="border-line border-y">
      <h3
        id="unread-past"
        className="flex items-center gap-2 px-5 pt-4 pb-1 font-sans text-sm font-medium text-ink-soft"
      >
        <Archive aria-hidden className="size-4 shrink-0" />
        <span>{t('messages.elsewhere', { count })}</span>
      </h3>
      <ul>
        {bookings.map(({ bookingId, title, unread }) => (
          <li key={bookingId}>
            <Link
              to={bookingPath(bookingId)}
              className="flex min-h-12 items-center gap-3 px-5 py-3 font-medium hover:bg-sunken focus-visible:rounded-none focus-visible:outline-offset-[-3px]"
            >
              <span dir="auto" className="cut-words min-w-0 flex-1 truncate">
                {title}
              </span>
              <CountBadge count={unread} />
              <span className="sr-only">{t('messages.unread', { count: unread })}</span>
              <ChevronRight aria-hidden className="size-5 shrink-0 text-ink-faint rtl:rotate-180" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Entry({
  conversation: {
    other,
    otherName,
    otherAvatar,
    title,
    lastMessage,
    lastHasPhoto,
    lastAt,
    lastIsOwn,
    unread,
  },
  focused,
  onChoose,
}: {
  conversation: ConversationSummary
  focused: boolean
  onChoose: () => void
}) {
  const { t } = useTranslation()
  const bothSides = (useRoles()?.held.length ?? 0) > 1
  const name = otherName ?? t('ui.deletedUser')
  const last = lastMessage || (lastHasPhoto ? t('messages.photo') : null)
  return (
    <button
      type="button"
      // biome-ignore lint/a11y/noAutofocus: the focus comes back to where it left the list
      autoFocus={focused}
      onClick={onChoose}
      className="flex w-full items-start gap-3 px-5 py-4 text-start hover:bg-sunken focus-visible:rounded-none focus-visible:outline-offset-[-3px]"
    >
      <Avatar name={name} src={otherAvatar} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-3">
          <span
            dir="auto"
            className={classes('cut-words flex-1 truncate', unread > 0 ? 'font-bold' : 'font-semibold')}
          >
            {name}
          </span>
          {lastAt && <RelativeTime at={lastAt} className="shrink-0 text-sm text-ink-faint" />}
        </span>
        <span dir="auto" className="cut-words block truncate text-sm text-ink-soft">
          {title}
        </span>
        {bothSides && (
          <span className="block text-sm text-ink-faint">
            {t(`layout.side.on.${other.role === 'task_doer' ? 'task_giver' : 'task_doer'}`)}
          </span>
        )}
        <span className="mt-1 flex items-center gap-3">
          <span
            dir="auto"
            className={classes(
              'cut-words min-w-0 flex-1 truncate',
              unread > 0 ? 'font-medium text-ink' : 'text-ink-soft',
            )}
          >
            {last === null ? t('messages.none') : lastIsOwn ? t('messages.own', { text: last }) : last}
          </span>
          <CountBadge count={unread} />
          {unread > 0 && <span className="sr-only">{t('messages.unread', { count: unread })}</span>}
        </span>
      </span>
    </button>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="flex flex-col gap-5 p-5">
      <p role="status" className="text-ink-soft">
        {t('messages.loading')}
      </p>
      {[1, 2, 3].map((row) => (
        <div key={row} className="flex gap-3">
          <Skeleton className="size-12 shrink-0 rounded-full" />
          <div className="flex flex-1 flex-col justify-center gap-2">
            <Skeleton className="w-1/2" />
            <Skeleton className="w-4/5" />
          </div>
        </div>
      ))}
    </div>
  )
}
