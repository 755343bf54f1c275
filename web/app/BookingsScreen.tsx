// My Bookings, put together: features never import each other, so what waits, payment, chat and reviews are handed to the page here.
import { BookingsPage } from '../features/bookings/BookingsPage.tsx'
import { ActionItemList } from '../features/dashboard/ActionItemList.tsx'
import { ChatDialog } from '../features/messages/ChatDialog.tsx'
import { UnreadMark } from '../features/messages/components/UnreadMark.tsx'
import { PaymentAction } from '../features/payments/PaymentAction.tsx'
import { PaymentDialog } from '../features/payments/PaymentDialog.tsx'
import { PaymentPanel } from '../features/payments/PaymentPanel.tsx'
import { ReleasedDialog } from '../features/reviews/ReleasedDialog.tsx'
import { ReviewPanel } from '../features/reviews/ReviewPanel.tsx'

const slots = {
  ActionItemList,
  PaymentPanel,
  PaymentAction,
  PaymentDialog,
  ReleasedDialog,
  ReviewPanel,
  ChatDialog,
  UnreadMark,
}

export default function BookingsScreen() {
  return <BookingsPage slots={slots} />
}
