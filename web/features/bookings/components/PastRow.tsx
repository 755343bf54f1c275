// A booking that is over, as one line that opens to its card.
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { formatDate } from '../../../lib/format.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Money } from '../../../ui/Money.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { statusTones } from '../BookingCard.tsx'
import type { BookingSlots } from '../slots.ts'

export function PastRow({
  booking,
  side,
  unfolded,
  slots: { UnreadMark },
  children,
}: {
  booking: Booking
  side: Side
  /** It stands open, until it is closed by hand. */
  unfolded: boolean
  slots: Pick<BookingSlots, 'UnreadMark'>
  /** The whole card. */
  children: ReactNode
}) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(unfolded)
  // While it is drawn: an address that names a part of the card finds it.
  const [wasUnfolded, setWasUnfolded] = useState(unfolded)
  if (unfolded !== wasUnfolded) {
    setWasUnfolded(unfolded)
    if (unfolded) setOpen(true)
  }
  const { task, status } = booking
  const other = side === 'tasker' ? task.giver : booking.doer
  const name = other?.full_name ?? t('ui.deletedUser')
  const id = `past-${booking.id}`
  const state = <Badge tone={statusTones[status]}>{t(`bookings.status.${status}`)}</Badge>
  return (
    <>
      <h2 className="font-sans text-base tracking-normal">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="flex w-full items-center gap-x-4 rounded-lg max-sm:gap-x-2.5 max-sm:px-3.5 border border-line bg-surface px-4 py-3 text-start lg:py-2 transition-colors hover:border-line-strong"
        >
          <Avatar name={name} src={other?.avatar_url} size="sm" />
          <span className="min-w-0 flex-1 items-center gap-x-4 lg:grid lg:grid-cols-[minmax(0,1fr)_16rem]">
            <span dir="auto" className="cut-words line-clamp-2 leading-snug font-semibold sm:line-clamp-1">
              {task.title}
            </span>
            <span className="mt-0.5 block text-sm font-normal text-ink-soft sm:truncate lg:mt-0">
              {/* What the card below shows, too, with more to it. */}
              {!open && (
                <>
                  <bdi>{name}</bdi>
                  <span>{' · '}</span>
                </>
              )}
              <span>{formatDate(booking.completed_at ?? booking.created_at)}</span>
            </span>
            {/* On a phone the title has the line, and the state stands below. */}
            <span className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 sm:hidden">
              {state}
              {!open && <MovedMoney booking={booking} side={side} />}
            </span>
          </span>
          <span className="flex items-center gap-x-4 max-sm:hidden">
            {/* Each of one width, so that they stand in columns. */}
            <span className="min-w-28 text-end">{state}</span>
            <span className="min-w-36 text-end">{!open && <MovedMoney booking={booking} side={side} />}</span>
          </span>
          {!open && <UnreadMark bookingId={booking.id} />}
          <ChevronDown
            aria-hidden
            className={`size-5 shrink-0 text-ink-faint transition-transform ${open ? 'rotate-180' : ''}`}
          />
        </button>
      </h2>
      <div id={id} hidden={!open} className="mt-2">
        {open && children}
      </div>
    </>
  )
}

/** What this side paid or got in the end; the task's amount where nothing was ever paid. */
function MovedMoney({ booking: { payment, agreed_amount }, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const moved = payment !== null && ['released', 'refunded'].includes(payment.escrow_status)
  const stays = moved ? cents(Math.max(payment.total - payment.refund_amount - payment.lost_amount, 0)) : null
  const gives = side === 'giver'
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-1.5 text-sm font-normal text-ink-soft">
      <span>{t(!moved ? 'ui.price.taskAmount' : gives ? 'ui.price.youPaid' : 'ui.price.youGet')}</span>
      <Money
        amount={!moved ? agreed_amount : gives ? (stays ?? cents(0)) : payment.payout_amount}
        exact={moved}
      />
    </span>
  )
}
