// A booking as one line that opens to its card: what is over, and on a phone every booking, with what is to be done on it.
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { formatDate, formatNearDateTime } from '../../../lib/format.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Money } from '../../../ui/Money.tsx'
import { VerifiedMark } from '../../../ui/VerifiedMark.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { statusTones } from '../BookingCard.tsx'
import { sectionOf } from '../groups.ts'
import type { BookingSlots } from '../slots.ts'

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
  /** It stands open, until it is closed by hand. */
  unfolded: boolean
  /** The card alone, where there is room. In a window that becomes narrow it stays open. */
  whole: boolean
  slots: Pick<BookingSlots, 'UnreadMark'>
  /** What this side can do now, while the card, which has it too, is closed. */
  step?: ((open: () => void) => ReactNode) | undefined
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
  if (whole && !open) setOpen(true)
  const { task, status } = booking
  const other = side === 'tasker' ? task.giver : booking.doer
  const name = other?.full_name ?? t('ui.deletedUser')
  const id = `booking-${booking.id}`
  const state = <Badge tone={statusTones[status]}>{t(`bookings.status.${status}`)}</Badge>
  const when =
    sectionOf(booking, side) === 'past'
      ? formatDate(booking.completed_at ?? booking.created_at)
      : task.scheduled_date
        ? formatNearDateTime(task.scheduled_date)
        : t('tasks.anyTime')
  return (
    <>
      {!whole && (
        <div className="rounded-lg border border-line bg-surface transition-colors hover:border-line-strong">
          <h2 className="font-sans text-base tracking-normal">
            <button
              type="button"
              aria-expanded={open}
              aria-controls={id}
              onClick={() => setOpen(!open)}
              className="flex w-full items-center gap-x-4 rounded-lg px-4 py-3 text-start focus-visible:rounded-lg max-sm:gap-x-2.5 max-sm:px-3 max-sm:py-2.5 lg:py-2"
            >
              <Avatar name={name} src={other?.avatar_url} size="sm" />
              <span className="min-w-0 flex-1 items-center gap-x-4 lg:grid lg:grid-cols-[minmax(0,1fr)_16rem]">
                <span
                  dir="auto"
                  className="cut-words line-clamp-2 leading-snug font-semibold sm:line-clamp-1"
                >
                  {task.title}
                </span>
                <span className="mt-0.5 block text-sm font-normal text-ink-soft sm:truncate lg:mt-0">
                  {/* What the card below shows, too, with more to it. */}
                  {!open && (
                    <>
                      <bdi>{name}</bdi>
                      {step && (
                        <span className="ms-1.5 align-middle">
                          <VerifiedMark person={other} />
                        </span>
                      )}
                      <span>{' · '}</span>
                    </>
                  )}
                  <span>{when}</span>
                </span>
                {/* On a phone the title has the line, and the state stands below. */}
                <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 sm:hidden">
                  {state}
                  {!open && <MovedMoney booking={booking} side={side} />}
                </span>
              </span>
              <span className="flex items-center gap-x-4 max-sm:hidden">
                {/* Each of one width, so that they stand in columns. */}
                <span className="min-w-28 text-end">{state}</span>
                <span className="min-w-36 text-end">
                  {!open && <MovedMoney booking={booking} side={side} />}
                </span>
              </span>
              <span className="flex shrink-0 items-center gap-x-4 gap-y-2 max-sm:flex-col">
                {!open && <UnreadMark bookingId={booking.id} />}
                <ChevronDown
                  aria-hidden
                  className={`size-5 text-ink-faint transition-transform ${open ? 'rotate-180' : ''}`}
                />
              </span>
            </button>
          </h2>
          {step && !open && (
            <div className="flex flex-col px-3 pb-3 empty:hidden">{step(() => setOpen(true))}</div>
          )}
        </div>
      )}
      <div id={id} hidden={!open} className={whole ? undefined : 'mt-2'}>
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
