// The next action of this side on a booking's row. An action that needs a form opens the card.
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { isMissing } from '../dayOfWork.ts'
import { sectionOf } from '../groups.ts'
import { proposalToAnswer } from '../proposals.ts'
import type { BookingSlots } from '../slots.ts'
import { canUndo, Decision, UndoDecline } from './Decision.tsx'

const answersChange = ({ changes, task_doer_id }: Booking) =>
  changes.some(({ state, proposed_by }) => state === 'proposed' && proposed_by !== task_doer_id)

export type NextStepProps = {
  booking: Booking
  side: Side
  slots: Pick<BookingSlots, 'PaymentAction'>
  onMoved: (to: 'accepted' | 'completed') => void
  onPay: () => void
  onReleased: () => void
}

export function NextStep({
  booking,
  side,
  slots: { PaymentAction },
  onMoved,
  onPay,
  onReleased,
  onOpen,
}: NextStepProps & { onOpen: () => void }) {
  const { t } = useTranslation()
  if (side === 'giver' && canUndo(booking)) return <UndoDecline booking={booking} />
  if (sectionOf(booking, side) !== 'needsYou') return null
  if (booking.status === 'pending' && booking.offer_options)
    return (
      <Button onClick={onOpen}>
        {t(side === 'tasker' ? 'actionItems.kind.answer_counter.action' : 'bookings.offer.see')}
      </Button>
    )
  if (isMissing(booking, side))
    return <Button onClick={onOpen}>{t('actionItems.kind.answer_no_show.action')}</Button>
  // A payment that is due comes first.
  if (proposalToAnswer(booking, side) && (side === 'tasker' || booking.status === 'in_progress'))
    return <Button onClick={onOpen}>{t('actionItems.kind.answer_time.action')}</Button>
  if (booking.status === 'in_progress' && (side === 'giver' || answersChange(booking)))
    return <Button onClick={onOpen}>{t('actionItems.kind.answer_change.action')}</Button>
  if (side === 'tasker')
    return (
      <Button onClick={onOpen}>
        {t(
          booking.status === 'in_progress'
            ? 'bookings.markComplete'
            : 'actionItems.kind.answer_complaint.action',
        )}
      </Button>
    )
  if (booking.status === 'pending')
    return <Decision booking={booking} onAccepted={() => onMoved('accepted')} />
  return <PaymentAction booking={booking} onPay={onPay} onReleased={onReleased} />
}
