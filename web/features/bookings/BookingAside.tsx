// A booking's aside: its money and what this side can do now.
import { useTranslation } from 'react-i18next'
import { fees } from '../../../shared/fees.ts'
import type { Cents } from '../../../shared/money.ts'
import { formatMoney } from '../../lib/format.ts'
import { Money } from '../../ui/Money.tsx'
import type { Booking, Side } from './api/queries.ts'
import { CompletionForm } from './CompletionForm.tsx'
import { canUndo, Decision, UndoDecline } from './components/Decision.tsx'
import type { BookingSlots } from './slots.ts'

type AsideProps = {
  booking: Booking
  side: Side
  slots: BookingSlots
  onMoved: (to: 'accepted' | 'completed') => void
  onPay: () => void
  onReleased: () => void
}

export function BookingAside({ booking, side, slots: { PaymentPanel }, ...events }: AsideProps) {
  const { onMoved, onPay, onReleased } = events
  return (
    <div className="flex h-full flex-col gap-5">
      {isAgreed(booking) ? (
        <PaymentPanel booking={booking} side={side} onPay={onPay} onReleased={onReleased}>
          <CompletionForm
            bookingId={booking.id}
            scheduled={booking.task.scheduled_date}
            onMarked={() => onMoved('completed')}
          />
        </PaymentPanel>
      ) : (
        <Offer booking={booking} side={side} />
      )}
      {booking.status === 'pending' && side === 'giver' && (
        <Decision booking={booking} onAccepted={() => onMoved('accepted')} />
      )}
      {side === 'giver' && canUndo(booking) && <UndoDecline booking={booking} />}
    </div>
  )
}

/** Whether there is a payment to speak of; before that the aside shows what is offered. */
export function isAgreed({ status, payment }: Booking): boolean {
  const paid = payment !== null && payment.escrow_status !== 'pending'
  return paid || ['accepted', 'in_progress', 'completed'].includes(status)
}

/** What is offered, before anything is agreed. */
function Offer({
  booking: { agreed_amount, task, status, passed_over },
  side,
}: {
  booking: Booking
  side: Side
}) {
  const { t } = useTranslation()
  const { total, payout } = fees(agreed_amount)
  const money = (amount: Cents) => formatMoney(amount, { exact: true })
  return (
    <div>
      <Money amount={agreed_amount} className="block font-display text-3xl leading-tight font-bold" />
      <p className="text-sm text-ink-soft">{t('bookings.taskAmount')}</p>
      {status === 'pending' && (
        <p className="mt-2 text-ink-soft">
          {side === 'giver'
            ? t('bookings.wouldPay', { total: money(total) })
            : t('bookings.wouldReceive', { payout: money(payout) })}
        </p>
      )}
      {status === 'rejected' && side === 'tasker' && (
        <p className="mt-2 text-ink-soft">
          {t(
            !passed_over
              ? 'bookings.declinedNote'
              : task.status === 'cancelled'
                ? 'bookings.taskWithdrawn'
                : 'bookings.passedOver',
          )}
        </p>
      )}
    </div>
  )
}
