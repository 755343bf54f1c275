// A booking's aside: its money and what this side can do now.
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../shared/fees.ts'
import { clockOf } from '../../../shared/placeClocks.ts'
import { Money } from '../../ui/Money.tsx'
import { PriceSplit } from '../../ui/PriceSplit.tsx'
import type { Booking, Side } from './api/queries.ts'
import { CompletionForm } from './CompletionForm.tsx'
import { BookingExpenses } from './components/BookingExpenses.tsx'
import { DayPanels } from './components/DayPanels.tsx'
import { canUndo, Decision, UndoDecline } from './components/Decision.tsx'
import { OfferDecision } from './components/OfferDecision.tsx'
import { TaskerOffer } from './components/TaskerOffer.tsx'
import { proposalToAnswer } from './proposals.ts'
import type { BookingSlots } from './slots.ts'

const ProposalAnswer = lazy(() => import('./components/ProposalAnswer.tsx'))
const VisitNotes = lazy(() => import('./components/VisitNotes.tsx'))

type AsideProps = {
  booking: Booking
  side: Side
  slots: BookingSlots
  onMoved: (to: 'accepted' | 'completed') => void
  onPay: () => void
  onReleased: () => void
}

export function BookingAside({
  booking,
  side,
  slots: { PaymentPanel, ChangesPanel },
  ...events
}: AsideProps) {
  const { onMoved, onPay, onReleased } = events
  const { t } = useTranslation()
  const other = side === 'tasker' ? booking.task.giver : booking.doer
  const proposal = proposalToAnswer(booking, side)
  const offer = booking.status === 'pending' ? booking.offer_options : null
  return (
    <div className="flex h-full flex-col gap-5">
      {proposal && (
        <Suspense fallback={<div className="min-h-64" />}>
          <ProposalAnswer
            booking={booking}
            proposal={proposal}
            side={side}
            name={other?.full_name ?? t('ui.deletedUser')}
          />
        </Suspense>
      )}
      <DayPanels booking={booking} side={side} name={other?.full_name ?? t('ui.deletedUser')} />
      {booking.visit_number === 0 && booking.status === 'accepted' ? (
        <Suspense>
          <VisitNotes booking={booking} side={side} />
        </Suspense>
      ) : isAgreed(booking) ? (
        <PaymentPanel booking={booking} side={side} onPay={onPay} onReleased={onReleased}>
          <CompletionForm
            bookingId={booking.id}
            scheduled={booking.task.scheduled_date}
            timeZone={clockOf(booking.task)}
            onMarked={() => onMoved('completed')}
          />
        </PaymentPanel>
      ) : (
        !offer && <Offer booking={booking} side={side} />
      )}
      {booking.payment && booking.payment.escrow_status !== 'pending' && (
        <ChangesPanel booking={booking} side={side} />
      )}
      {offer && side === 'giver' && (
        <OfferDecision booking={booking} options={offer} onAccepted={() => onMoved('accepted')} />
      )}
      {offer && side === 'tasker' && (
        <TaskerOffer booking={booking} options={offer} onAccepted={() => onMoved('accepted')} />
      )}
      {booking.status === 'pending' && !offer && side === 'giver' && (
        <Decision booking={booking} onAccepted={() => onMoved('accepted')} />
      )}
      {side === 'giver' && canUndo(booking) && <UndoDecline booking={booking} />}
    </div>
  )
}

/** Whether there is a payment to speak of; before that the aside shows what is offered. */
function isAgreed({ status, payment }: Booking): boolean {
  const paid = payment !== null && payment.escrow_status !== 'pending'
  return paid || ['accepted', 'in_progress', 'completed'].includes(status)
}

/** The offer before an agreement. */
function Offer({ booking, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const { agreed_amount, task, doer, status, passed_over } = booking
  const price = priceOf(agreed_amount)
  return (
    <div>
      {status === 'pending' ? (
        <>
          <PriceSplit
            price={price}
            side={side}
            other={side === 'giver' ? doer?.full_name : task.giver?.full_name}
          />
          <BookingExpenses booking={booking} side={side} className="mt-2" />
        </>
      ) : (
        <p className="flex flex-wrap gap-x-2 text-ink-soft">
          <span>{t('ui.price.taskAmount')}</span>
          <Money amount={agreed_amount} className="font-semibold" />
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
