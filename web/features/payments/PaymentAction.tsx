// The one thing that a giver can do now about a booking's money, without the panel around it: pay, or release.
import type { PayableBooking } from './api/queries.ts'
import { PayButton, ReleaseButton } from './components/PanelActions.tsx'

type PaymentActionProps = {
  booking: PayableBooking
  onPay: () => void
  onReleased: () => void
}

export function PaymentAction({ booking, onPay, onReleased }: PaymentActionProps) {
  const escrow = booking.payment?.escrow_status ?? 'pending'
  if (booking.status === 'accepted' && escrow === 'pending')
    return <PayButton booking={booking} onPay={onPay} />
  if (booking.status === 'completed' && escrow === 'held')
    return <ReleaseButton booking={booking} onReleased={onReleased} />
  return null
}
