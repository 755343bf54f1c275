// My Bookings, put together: features never import each other, so what waits, payment, changes of the price, chat and reviews are
// handed to the page here.
import { type ComponentProps, createContext, lazy, Suspense, useContext, useState } from 'react'
import { BookingsPage } from '../features/bookings/BookingsPage.tsx'
import type { BookingSlots } from '../features/bookings/slots.ts'
import type { PayableExtra } from '../features/changes/slots.ts'
import { ActionItemList } from '../features/dashboard/ActionItemList.tsx'
import { ChatDialog } from '../features/messages/ChatDialog.tsx'
import { UnreadMark } from '../features/messages/components/UnreadMark.tsx'
import { PaymentAction } from '../features/payments/PaymentAction.tsx'
import { PaymentDialog } from '../features/payments/PaymentDialog.tsx'
import { PaymentPanel } from '../features/payments/PaymentPanel.tsx'
import { ReleasedDialog } from '../features/reviews/ReleasedDialog.tsx'
import { ReviewPanel } from '../features/reviews/ReviewPanel.tsx'

const LazyChanges = lazy(() => import('../features/changes/ChangesPanel.tsx'))

type Paying = { booking: ComponentProps<typeof PaymentDialog>['booking']; extra: PayableExtra }

/** Opens the payment of a change. It is above the lists: once it is paid, its booking moves to another one. */
const PayContext = createContext<(paying: Paying) => void>(() => undefined)

function ChangesPanel({ booking, side }: ComponentProps<BookingSlots['ChangesPanel']>) {
  const pay = useContext(PayContext)
  return (
    <Suspense>
      <LazyChanges booking={booking} side={side} onPay={(extra) => pay({ booking, extra })} />
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
  const [paying, setPaying] = useState<Paying | null>(null)
  return (
    <PayContext value={setPaying}>
      <BookingsPage slots={slots} />
      {paying && <PaymentDialog {...paying} onClose={() => setPaying(null)} />}
    </PayContext>
  )
}
