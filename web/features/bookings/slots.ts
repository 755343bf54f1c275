// Components of other features on a booking. web/app passes them in, because features never import each other.
import type { ComponentType, ReactNode } from 'react'
import type { ActionItem } from '../../lib/queries/actionItems.ts'
import type { Booking, Person, Side } from './api/queries.ts'

export type BookingSlots = {
  /** The state of the booking's money; `children` is the tasker's form while the work is under way. */
  PaymentPanel: ComponentType<{
    booking: Booking
    side: Side
    onPay: () => void
    onReleased: () => void
    children?: ReactNode
  }>
  /** The giver's next step with the money, as a button alone; nothing where there is none. */
  PaymentAction: ComponentType<{ booking: Booking; onPay: () => void; onReleased: () => void }>
  /** Paying for an accepted booking, until the money is held. */
  PaymentDialog: ComponentType<{ booking: Booking; onClose: () => void }>
  /** Changes of the price, for a booking that was paid. */
  ChangesPanel: ComponentType<{ booking: Booking; side: Side }>
  /** After the giver has released the money. */
  ReleasedDialog: ComponentType<{ booking: Booking; onClose: () => void }>
  /** The reviews between both people, and the form to write one. */
  ReviewPanel: ComponentType<{ booking: Booking; side: Side }>
  /** The conversation of the booking's two people. */
  ChatDialog: ComponentType<{
    bookingId: string
    otherId: string
    /** Null when they have left. */
    other: Person | null
    otherName: string
    title: string
    completed: boolean
    open: boolean
    onOpenChange: (open: boolean) => void
  }>
  /** The person's pending items, line by line, as on the dashboard. */
  ActionItemList: ComponentType<{ items: ActionItem[] }>
  /** How many of its messages are unread, inside the button that opens the conversation or the booking. */
  UnreadMark: ComponentType<{ bookingId: string }>
}
