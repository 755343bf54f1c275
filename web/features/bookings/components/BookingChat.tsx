// The conversation about one booking, above the page.
import { useTranslation } from 'react-i18next'
import type { Booking, Side } from '../api/queries.ts'
import type { BookingSlots } from '../slots.ts'

type BookingChatProps = Pick<BookingSlots, 'ChatDialog'> & {
  booking: Booking
  side: Side
  onClose: () => void
}

export function BookingChat({ ChatDialog, booking, side, onClose }: BookingChatProps) {
  const { t } = useTranslation()
  const other = side === 'tasker' ? booking.task.giver : booking.doer
  return (
    <ChatDialog
      bookingId={booking.id}
      otherId={side === 'tasker' ? booking.task_giver_id : booking.task_doer_id}
      other={other}
      otherName={other?.full_name ?? t('ui.deletedUser')}
      title={booking.task.title}
      completed={booking.status === 'completed'}
      open
      onOpenChange={(open) => !open && onClose()}
    />
  )
}
