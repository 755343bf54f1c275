// A booking's line on a phone: what and with whom, then what is this person's turn to do, then when and for how much.
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../../../ui/Avatar.tsx'
import { VerifiedMark } from '../../../ui/VerifiedMark.tsx'
import type { Booking, Person, Side } from '../api/queries.ts'
import { MovedMoney } from './MovedMoney.tsx'

/** Contents of a booking's row, and the attributes of its button. */
export type LineProps = {
  booking: Booking
  side: Side
  toggle: { type: 'button'; 'aria-expanded': boolean; 'aria-controls': string; onClick: () => void }
  /** The other side; null when they have left. */
  other: Person | null
  name: string
  state: ReactNode
  when: string
  unread: ReactNode
}

export function PhoneLine({
  booking,
  side,
  toggle,
  other,
  name,
  state,
  when,
  unread,
  step,
}: LineProps & {
  /** This side's action; left out while the card, which also has it, is open. */
  step: ReactNode
}) {
  const open = toggle['aria-expanded']
  return (
    <div className="relative rounded-lg border border-line bg-surface px-3 py-2.5">
      <h2 className="font-sans text-base tracking-normal">
        {/* The whole line is its target. */}
        <button
          {...toggle}
          className="flex w-full items-center gap-x-2.5 rounded-sm text-start after:absolute after:inset-0"
        >
          <Avatar name={name} src={other?.avatar_url} size="sm" />
          <span className="min-w-0 flex-1">
            <span dir="auto" className="cut-words line-clamp-2 leading-snug font-semibold">
              {booking.task.title}
            </span>
            <span className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-normal text-ink-soft">
              {/* The card below shows it, too, in more detail. */}
              {!open && (
                <>
                  <bdi className="max-w-full truncate">{name}</bdi>
                  <VerifiedMark person={other} />
                </>
              )}
              {state}
            </span>
          </span>
          <span className="flex shrink-0 flex-col items-center gap-y-2">
            {unread}
            <ChevronDown
              aria-hidden
              className={`size-5 text-ink-faint transition-transform ${open ? 'rotate-180' : ''}`}
            />
          </span>
        </button>
      </h2>
      <div className="relative z-10 mt-2 flex flex-col empty:hidden">{step}</div>
      <p className="mt-1.5 flex flex-wrap justify-between gap-x-3 text-[0.8125rem] text-ink-soft">
        <span className="first-letter:uppercase">{when}</span>
        {!open && <MovedMoney booking={booking} side={side} />}
      </p>
    </div>
  )
}
