// My Bookings, put together: features never import each other, so payment and chat are handed to the page here.
import { BookingsPage } from '../features/bookings/BookingsPage.tsx'
import { ChatDialog } from '../features/messages/ChatDialog.tsx'
import { UnreadMark } from '../features/messages/UnreadMark.tsx'
import { PaymentDialog } from '../features/payments/PaymentDialog.tsx'
import { PaymentPanel } from '../features/payments/PaymentPanel.tsx'

const slots = { PaymentPanel, PaymentDialog, ChatDialog, UnreadMark }

export default function BookingsScreen() {
  return <BookingsPage slots={slots} />
}
