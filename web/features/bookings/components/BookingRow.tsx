// A booking as one line that opens to its card: past ones, and on a phone every booking, with its next action.
import { ChevronDown, PauseCircle } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDate, formatNearDateTime } from '../../../lib/format.ts'
import { createStore } from '../../../lib/store.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { statusTones } from '../BookingCard.tsx'
import { sectionOf } from '../groups.ts'
import type { BookingSlots } from '../slots.ts'
import { MovedMoney } from './MovedMoney.tsx'
import { type LineProps, PhoneLine } from './PhoneLine.tsx'

/** Rows that are open, by the entry of the history: Back finds them so, and the page as long as it was. */
const openRows = createStore<ReadonlySet<string>>(new Set())

export function BookingRow({
  booking,
  side,
  unfolded,
  whole,
  slots: { UnreadMark },
  step,
  children,
}: {
  booking: Booking
  side: Side
  /** It stays open, until it is closed by hand. */
  unfolded: boolean
  /** The card alone, where there is room. In a window that becomes narrow it stays open. */
  whole: boolean
  slots: Pick<BookingSlots, 'UnreadMark'>
  /** On a phone: what this side can do now, while the card, which has it too, is closed. */
  step?: ((open: () => void) => ReactNode) | undefined
  /** The whole card. */
  children: ReactNode
}) {
  const { t } = useTranslation()
  const place = `${useLocation().key} ${booking.id} ${booking.status}`
  const [open, setOpen] = useState(unfolded || openRows.get().has(place))
  useEffect(() => {
    const others = [...openRows.get()].filter((other) => other !== place)
    openRows.set(new Set(open && !whole ? [...others, place] : others))
  }, [open, whole, place])
  // While it is drawn: an address that names a part of the card finds it.
  const [wasUnfolded, setWasUnfolded] = useState(unfolded)
  if (unfolded !== wasUnfolded) {
    setWasUnfolded(unfolded)
    if (unfolded) setOpen(true)
  }
  if (whole && !open) setOpen(true)
  const { task } = booking
  const other = side === 'tasker' ? task.giver : booking.doer
  const id = `booking-${booking.id}`
  const line: LineProps = {
    booking,
    side,
    toggle: {
      type: 'button',
      'aria-expanded': open,
      'aria-controls': id,
      onClick: () => setOpen(!open),
    },
    other,
    name: other?.full_name ?? t('ui.deletedUser'),
    state: <State booking={booking} />,
    when:
      sectionOf(booking, side) === 'past' && booking.series_id === null
        ? formatDate(booking.completed_at ?? booking.created_at)
        : task.scheduled_date
          ? formatNearDateTime(task.scheduled_date, clockOf(task))
          : t('tasks.anyTime'),
    unread: !open && <UnreadMark bookingId={booking.id} />,
  }
  return (
    <>
      {!whole &&
        (step ? <PhoneLine {...line} step={!open && step(() => setOpen(true))} /> : <WideLine {...line} />)}
      <div id={id} hidden={!open} className={whole ? undefined : 'mt-2'}>
        {open && children}
      </div>
    </>
  )
}

/** A problem that holds a booking up is shown instead of its status. */
function State({ booking: { status, payment, task } }: { booking: Booking }) {
  const { t } = useTranslation()
  if (payment?.escrow_status === 'frozen')
    return (
      <Badge tone="waiting" icon={PauseCircle}>
        {t('bookings.onHold')}
      </Badge>
    )
  const held = status === 'pending' && task.on_hold
  return (
    <Badge tone={statusTones[status]}>{t(held ? 'tasks.onHold.label' : `bookings.status.${status}`)}</Badge>
  )
}

function WideLine({ booking, side, toggle, other, name, state, when, unread }: LineProps) {
  const open = toggle['aria-expanded']
  return (
    <h2 className="rounded-lg border border-line bg-surface font-sans text-base tracking-normal transition-colors hover:border-line-strong">
      <button
        {...toggle}
        className="flex w-full items-center gap-x-4 rounded-lg px-4 py-3 text-start focus-visible:rounded-lg lg:py-2"
      >
        <Avatar name={name} src={other?.avatar_url} size="sm" />
        <span className="min-w-0 flex-1 items-center gap-x-4 lg:grid lg:grid-cols-[minmax(0,1fr)_16rem]">
          <span dir="auto" className="cut-words line-clamp-1 leading-snug font-semibold">
            {booking.task.title}
          </span>
          <span className="mt-0.5 block truncate text-sm font-normal text-ink-soft lg:mt-0">
            {/* The card below shows it, too, in more detail. */}
            {!open && (
              <>
                <bdi>{name}</bdi>
                <span>{' · '}</span>
              </>
            )}
            <span>{when}</span>
          </span>
        </span>
        {/* Each of one width, so that they form columns. */}
        <span className="min-w-28 text-end">{state}</span>
        <span className="min-w-36 text-end text-sm font-normal text-ink-soft">
          {!open && <MovedMoney booking={booking} side={side} />}
        </span>
        <span className="flex shrink-0 items-center gap-x-4">
          {unread}
          <ChevronDown
            aria-hidden
            className={`size-5 text-ink-faint transition-transform ${open ? 'rotate-180' : ''}`}
          />
        </span>
      </button>
    </h2>
  )
}
