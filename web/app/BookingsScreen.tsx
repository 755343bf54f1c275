// My Bookings, put together: features never import each other, so what waits, payment, changes of the price, chat and reviews are
// handed to the page here.
import { type ComponentProps, lazy, Suspense } from 'react'
import { BookingsPage } from '../features/bookings/BookingsPage.tsx'
import type { BookingSlots } from '../features/bookings/slots.ts'
import { ActionItemList } from '../features/dashboard/ActionItemList.tsx'
import { ChatDialog } from '../features/messages/ChatDialog.tsx'
import { UnreadMark } from '../features/messages/components/UnreadMark.tsx'
import { PaymentAction } from '../features/payments/PaymentAction.tsx'
import { PaymentDialog } from '../features/payments/PaymentDialog.tsx'
import { PaymentPanel } from '../features/payments/PaymentPanel.tsx'
import { ReleasedDialog } from '../features/reviews/ReleasedDialog.tsx'
import { ReviewPanel } from '../features/reviews/ReviewPanel.tsx'

const LazyChanges = lazy(() => import('../features/changes/ChangesPanel.tsx'))

function ChangesPanel({ booking, side }: ComponentProps<BookingSlots['ChangesPanel']>) {
  return (
    <Suspense>
      <LazyChanges
        booking={booking}
        side={side}
        payment={(extra, onClose) => <PaymentDialog booking={booking} extra={extra} onClose={onClose} />}
      />
    </Suspense>
  )
}

const slots = {
  ActionItemList,
  PaymentPanel,
  PaymentAction,
  PaymentDialog,
  ChangesPanel,
  ReleasedDialog,
  ReviewPanel,
  ChatDialog,
  UnreadMark,
}

export default function BookingsScreen() {
  return <BookingsPage slots={slots} />
}
